import FilePackages

// A document that has its name alone, and keeps it, changes no other one. So many of them go to the container at once,
// and many versions are one entry of the log. Each other document sees the names that those before it got.

extension ContainerSession {
  /// Brings documents up to date: first those that have their names alone, together, then each other one.
  ///
  /// - Parameter names: the names of all documents.
  /// - Returns: the outcomes.
  func bringUpToDate(
    _ documents: [KnownDocument], among names: LiveNames
  ) async throws -> [SyncReport.Document] {
    var (names, outcomes) = (names, [SyncReport.Document]())
    transfers.expect(try documents.filter { try movesContent($0) }.map(\.record.id))
    var (new, others) = ([KnownDocument](), [KnownDocument]())
    for document in documents {
      if try isIndependent(document, names) { new.append(document) } else { others.append(document) }
    }
    for (documents, groupSize) in [(new, Int.max), (others, 1)] {
      var rest = documents[...]
      while !rest.isEmpty {
        var looked = Array(zip(rest, try await looks(at: rest)))[...]
        rest = rest.dropFirst(looked.count)
        transfers.expect(looked.filter { $1.map { !$0.isUnchanged } ?? false }.map(\.0.record.id))
        while !looked.isEmpty {
          let group = looked.prefix(groupSize)
          looked = looked.dropFirst(groupSize)
          for ((document, _), (outcome, now)) in zip(group, try await sync(group, among: names)) {
            if now != document.record { names.set(try liveNames(of: now), of: now.id) }
            outcomes.append(outcome)
          }
        }
      }
    }
    return outcomes
  }

  /// Brings documents up to date that do not depend on each other. Eight at once look at files and move content.
  ///
  /// - Returns: the outcomes and the records as they are now, in order.
  private func sync(
    _ documents: some Collection<(KnownDocument, LocalTree?)>, among names: LiveNames
  ) async throws -> [(SyncReport.Document, DocumentRecord)] {
    try await concurrentMap(documents, Committer.maximumVersions) { document, look in
      try await committer.expecting(1) {
        try await sync(document.record, document.local, seen: look, among: names)
      }
    }
  }

  /// Returns whether no other document has the name of a document that is new, or that keeps its name.
  private func isIndependent(_ document: KnownDocument, _ names: LiveNames) throws -> Bool {
    let record = document.record
    guard document.local != nil, !names.isTaken(DocumentName.folded(record.name), byOthersThan: record.id)
    else { return false }
    guard let head = try head(of: record) else { return record.base == nil }
    return !head.isDeleted && record.baseName == record.name && head.name == record.name
  }

  /// Returns whether the content of a document goes or comes, as far as the state says.
  private func movesContent(_ document: KnownDocument) throws -> Bool {
    let record = document.record
    guard let head = try head(of: record) else { return document.local != nil }
    if head.isDeleted { return false }
    return document.local == nil ? record.isWanted : head.root != base(of: record)
  }
}
