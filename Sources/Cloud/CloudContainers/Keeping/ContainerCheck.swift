import FilePackages
import FoundationEssentials
import ObjectStores

/// A look at all objects that the documents of a container need.
package struct ContainerCheck: Sendable {
  let session: ContainerSession

  package init(_ session: ContainerSession) { self.session = session }

  /// Looks at the log, and at all blobs that its versions need. Compares the log with what this machine knows.
  ///
  /// - Parameter reads: whether to read every blob; otherwise the store only has to list it.
  /// - Throws: `ObjectStoreError`; `CancellationError`.
  package func run(reads: Bool) async throws -> CheckReport {
    var report = CheckReport()
    if let (finding, error) = try await problemOfMark() {
      (report.finding, report.problems) = (finding, [error])
      return report
    }
    var marks = BlobMarks(session.blobs)
    let kept = try await snapshot(&report)
    let versions = kept.versions
    (report.documents, report.versions) = (Set(versions.map(\.stored.version.document)).count, versions.count)
    // A collection of garbage may have taken the content of an old deletion.
    try await marks.mark(GarbageCollection.trees(of: versions, before: kept.lastCollection))
    report.problems += marks.problems
    report.blobs = marks.marks.count
    var missing = Set(marks.marks.keys)
    try await session.store.listAll(BlobName.prefix) { page in
      for object in page { if let name = BlobName(object.key) { missing.remove(name) } }
      return true
    }
    for name in missing.sorted() {
      var error = CloudDataError(.missing, in: session.store.place, blob: name)
      error.document = marks.marks[name]?.document
      report.problems.append(error)
    }
    if reads { report.problems += try await read(marks, missing) }
    if report.finding == .whole, !report.problems.isEmpty { report.finding = .damaged }
    return report
  }

  /// Returns the reason why the store is not this container's; nil if it is.
  private func problemOfMark() async throws -> (CheckReport.Finding, CloudDataError)? {
    do {
      try await session.checkMark()
      return nil
    } catch let error as CloudDataError {
      switch error.code {
      case .missing:
        let isEmpty = try await session.store.list("", after: nil, limit: 1).objects.isEmpty
        return (isEmpty ? .empty : .noContainer, error)
      case .invalid where try await checking(nil, { try await ContainerMark(session.store).find() }).isSuccess:
        return (.anotherContainer, error)
      default: return (.damaged, error)
      }
    }
  }

  /// Returns what the log keeps, and notes the entries that this machine knows and the store lost.
  private func snapshot(_ report: inout CheckReport) async throws -> LogSnapshot {
    let (log, state) = (session.log, session.state)
    let known = try await state.known()
    let position = known.position
    var hashes = try await state.entryHashes()
    hashes[position.number] = position.number > 0 ? position.hash : nil
    let listed = try await log.list(from: 0)
    let present = Set(listed.map(\.number))
    // Entries that a collection of garbage took are before all others.
    let lost = hashes.keys.filter { $0 >= listed.first?.number ?? 0 && !present.contains($0) }.sorted()
    report.problems += lost.map { session.log.missing($0) }
    let both = listed.filter { hashes[$0.number] != nil }
    let found = try await concurrentMap(both, BlobStore.maximumCalls) { object in
      try await checking { try await log.hash(of: object.number) }
    }
    for (object, hash) in zip(both, found) {
      if case .success(let hash) = hash, hash != hashes[object.number] {
        report.problems.append(session.log.damaged(object.number))
      }
    }
    if !report.problems.isEmpty { report.finding = .rolledBack }
    report.problems += found.compactMap(\.problem)
    let newer = listed.filter { $0.number > position.number }
    let copy = try state.copy()
    let news = try await checking { () -> (ContainerLog.Start?, [ContainerLog.Read]) in
      do {
        return (nil, try await log.read(newer, after: position))
      } catch let error as CloudDataError where error.isOfEntry {
        if error.code == .refusedByStore { report.problems.append(error) }
        guard let (start, entries) = try await log.fromSnapshot(after: position.number) else { throw error }
        return (start, entries)
      }
    }
    switch news {
    // An entry that does not follow this machine's last one says that the store was rolled back.
    case .failure(let error): if report.problems.isEmpty { report.problems.append(error) }
    case .success((let start, let entries)):
      _ = try await copy.learn(  // The copy has the news.
        entries, from: start, date: known.date, device: session.settings.device,
        time: session.now().milliseconds)
    }
    // A new machine reads a snapshot in place of the entries that a collection of garbage took.
    if let last = listed.last?.number, last > listed.count {
      switch try await checking(nil, { try await log.fromSnapshot(after: 0) }) {
      case .success(.some): break
      case .success(nil): report.problems.append(log.missingSnapshot(before: listed[0].number))
      case .failure(let error): if !report.problems.contains(error) { report.problems.append(error) }
      }
    }
    return try await copy.snapshot()
  }

  /// Reads all blobs, the pieces of large files in their order, and returns the errors of those that are damaged.
  private func read(_ marks: BlobMarks, _ missing: Set<BlobName>) async throws -> [CloudDataError] {
    let blobs = session.blobs
    var names = Set(marks.marks.keys).subtracting(missing)
    let files = marks.composed.values.sorted { ($0.document ?? "", $0.path) < ($1.document ?? "", $1.path) }
    for file in files {
      // A list that cannot be read is among the problems already.
      _ = try await checking {
        try await file.content.forEachPiece(in: blobs) { piece, _ in names.remove(piece.name) }
      }
    }
    let damaged = try await concurrentMap(names.sorted(), BlobStore.maximumCalls) { name in
      // `get` checks the bytes, which have no other use here.
      try await checking(marks.marks[name]?.document) { _ = try await blobs.get(name) }.problem
    }
    let wrong = try await concurrentMap(files, BlobStore.maximumCalls) { file in
      try await checking(file.document) { try await file.check(in: blobs) }.problem
    }
    return (damaged + wrong).compactMap { $0 }
  }
}

extension Result {
  /// Whether it is no failure.
  fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
