import FilePackages
import FoundationEssentials
import ObjectStores

/// A look at all objects that the documents of a container need.
package struct ContainerCheck: Sendable {
  let session: ContainerSession

  package init(_ session: ContainerSession) { self.session = session }

  /// A version in the store.
  private struct Found: Sendable {
    var document: CloudDocumentID
    var sequence: Int
    var date: Date
    var isHead: Bool
    /// The document's name; nil if this machine does not know it.
    var name: String?
    /// The record of a document whose last known version has this number.
    var known: DocumentRecord?
  }

  /// The trees that a version needs, and the reasons why it cannot be used.
  private struct Needs: Sendable {
    var trees: [(root: TreeRoot, document: String?)] = []
    var problems: [CloudDataError] = []
  }

  /// Looks at all versions, and at all blobs that they need. Compares them with what this machine knows.
  ///
  /// - Parameter reads: whether to read every blob; otherwise the store only has to list it.
  /// - Throws: `ObjectStoreError`; `CancellationError`.
  package func run(reads: Bool) async throws -> CheckReport {
    var report = CheckReport()
    if let (finding, error) = try await problemOfMark() {
      (report.finding, report.problems) = (finding, [error])
      return report
    }
    try await session.measureClock()
    let now = Date(milliseconds: try await session.storeTime())
    var marks = BlobMarks(session.blobs)
    // Before the listing, which then has all versions of the news.
    let told = try await newsVersions(&report)
    let found = try await versions(&report, told)
    let needs = try await concurrentMap(found, BlobStore.maximumCalls) { try await self.needs(of: $0, now) }
    report.problems += needs.flatMap(\.problems)
    if needs.contains(where: { $0.problems.contains { $0.code == .rolledBack } }) {
      report.finding = .rolledBack
    }
    try await marks.mark(needs.flatMap(\.trees))
    report.problems += marks.problems
    report.blobs = marks.names.count
    var missing = marks.names
    try await session.store.listAll(BlobName.prefix) { page in
      for object in page { if let name = BlobName(object.key) { missing.remove(name) } }
      return true
    }
    for name in missing.sorted() {
      var error = CloudDataError(.missing, in: session.store.place, blob: name)
      error.document = marks.documents[name]
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

  /// Returns the last numbers of documents by the news that this machine has not read, and by those that it could not.
  private func newsVersions(_ report: inout CheckReport) async throws -> [CloudDocumentID: Int] {
    let (known, own) = try await session.state.feedPositions()
    let news = try await session.feed.news(after: known, own: own)
    report.problems += news.problems
    return try await session.unreadVersions().reduce(into: ContainerSession.newest(in: news.entries)) {
      $0[$1.document] = max($0[$1.document] ?? 0, $1.sequence)
    }
  }

  /// Lists the versions, and notes those that this machine or the news know and the store lost.
  private func versions(
    _ report: inout CheckReport, _ told: [CloudDocumentID: Int]
  ) async throws -> [Found] {
    var known: [CloudDocumentID: (record: DocumentRecord, head: CloudVersion)] = [:]
    for record in try await session.state.records() {
      if let head = try session.head(of: record) { known[head.document] = (record, head) }
    }
    var found: [Found] = []
    var newest: [CloudDocumentID: Int] = [:]
    try await session.log.forEachDocument { document, versions in
      newest[document] = versions.last?.sequence
      for version in versions {
        found.append(
          Found(
            document: document, sequence: version.sequence, date: version.object.modificationDate,
            isHead: version.sequence == versions.last?.sequence, name: known[document]?.record.name,
            known: known[document]?.head.sequence == version.sequence ? known[document]?.record : nil))
      }
    }
    (report.documents, report.versions) = (newest.count, found.count)
    for (document, (record, head)) in known.sorted(by: { $0.key < $1.key })
    where newest[document] ?? 0 < head.sequence {
      report.problems.append(session.lost(head, of: record))
      report.finding = .rolledBack
    }
    for (document, sequence) in told.sorted(by: { $0.key < $1.key })
    where newest[document] ?? 0 < sequence && known[document]?.head.sequence ?? 0 < sequence {
      report.problems.append(session.absent(document, sequence, named: known[document]?.record.name))
      report.finding = .rolledBack
    }
    return found
  }

  private func needs(of found: Found, _ now: Date) async throws -> Needs {
    var needs = Needs()
    let log = session.log
    switch try await checking(found.name, { try await log.stored(found.document, found.sequence) }) {
    case .failure(let error): needs.problems.append(error)
    case .success(nil):
      // A collection of garbage may have taken it since the listing.
      let key = CloudVersion.key(of: found.document, found.sequence)
      guard try await session.store.list(key.string, after: nil, limit: 1).objects.isEmpty else {
        let place = session.store.place
        needs.problems.append(CloudDataError(.missing, in: place, key: key.string, document: found.name))
        break
      }
    case .success(let stored?):
      let version = stored.version
      if let record = found.known, record.head != stored.bytes {
        needs.problems.append(session.lost(version, of: record))
      }
      // A collection of garbage may have taken the content of an old deletion.
      if version.isDeleted, now.timeIntervalSince(found.date) >= VersionLog.retention { break }
      if !version.hasContent { needs.trees.append((version.root, version.name)) }
      guard found.isHead else { break }
      for digest in version.conflicts {
        switch try await checking(version.name, { try await log.conflict(digest, of: found.document) }) {
        case .failure(let error): needs.problems.append(error)
        case .success(let conflict): needs.trees.append((conflict.root, version.name))
        }
      }
    }
    return needs
  }

  /// Reads all blobs, the pieces of large files in their order, and returns the errors of those that are damaged.
  private func read(_ marks: BlobMarks, _ missing: Set<BlobName>) async throws -> [CloudDataError] {
    let blobs = session.blobs
    var names = marks.names.subtracting(missing)
    let files = marks.composed.values.sorted { ($0.document ?? "", $0.path) < ($1.document ?? "", $1.path) }
    for file in files {
      // A list that cannot be read is among the problems already.
      _ = try await checking {
        try await file.content.forEachPiece(in: blobs) { piece, _ in names.remove(piece.name) }
      }
    }
    let damaged = try await concurrentMap(names.sorted(), BlobStore.maximumCalls) { name in
      // `get` checks the bytes, which have no other use here.
      try await checking(marks.documents[name]) { _ = try await blobs.get(name) }.problem
    }
    let wrong = try await concurrentMap(files, BlobStore.maximumCalls) { file in
      try await checking(file.document) { try await file.check(in: blobs) }.problem
    }
    return (damaged + wrong).compactMap { $0 }
  }
}

extension Result where Failure == CloudDataError {
  /// The error of a failure.
  fileprivate var problem: CloudDataError? { if case .failure(let error) = self { error } else { nil } }
}

extension Result {
  /// Whether it is no failure.
  fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
