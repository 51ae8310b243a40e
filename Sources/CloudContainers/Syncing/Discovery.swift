import FoundationEssentials
import ObjectStores

// A poll is one listing of the feed. A listing of all versions follows once a day, or if the feed was not read for
//     so long: it finds each version of which the feed says nothing.

extension ContainerSession {
  /// The time after which a listing of all versions is due, in milliseconds.
  static let listingInterval: Int64 = 86_400_000

  /// Learns the last versions in the container; one request if there is nothing new.
  ///
  /// A version that cannot be read hides its document alone.
  ///
  /// - Parameter everything: whether to list all versions in any case.
  /// - Returns: the number of documents with a new version, and the errors of versions that cannot be read.
  package func discover(everything: Bool = false) async throws -> (count: Int, problems: [any Error]) {
    let time = now().milliseconds
    let last = try await state.number(.lastListing)
    let isDue = last.map { !(0..<Self.listingInterval).contains(time - $0) } ?? true
    var newest: [CloudDocumentID: Int] = [:]
    if everything || isDue {
      try await ContainerMark(store).check(settings.container)
      // A clock that was set since then would put the cursor past entries that are still to come.
      try await measureClock(always: true)
      let cursor = try await storeTime()
      try await log.forEachDocument { document, versions in newest[document] = versions.last?.sequence }
      let learnt = try await learn(newest)
      try await state.set(.lastListing, to: time)
      try await state.set(.feedCursor, to: max(cursor, await state.number(.feedCursor) ?? 0))
      return learnt
    }
    let cursor = try await state.number(.feedCursor) ?? 0
    let news = try await feed.news(since: cursor)
    if news.container != settings.container {
      try await ContainerMark(store).check(settings.container)
      try await feed.mark(settings.container)
    }
    for entry in news.entries {
      newest[entry.document] = max(entry.sequence, newest[entry.document] ?? 0)
    }
    let learnt = try await learn(newest)
    if news.cursor != cursor { try await state.set(.feedCursor, to: news.cursor) }
    return learnt
  }

  /// Reads the versions that are newer than the known ones, eight at a time.
  private func learn(
    _ newest: [CloudDocumentID: Int]
  ) async throws -> (count: Int, problems: [any Error]) {
    var known: [String: DocumentRecord] = [:]
    for record in try await state.records() { known[record.id] = record }
    var missing: [(CloudDocumentID, Int)] = []
    for (document, sequence) in newest.sorted(by: { $0.key < $1.key }) {
      let head = try known[document.string].flatMap { try self.head(of: $0)?.sequence } ?? 0
      if sequence > head { missing.append((document, sequence)) }
    }
    var learnt: [CloudVersion] = []
    var problems: [any Error] = []
    for start in stride(from: 0, to: missing.count, by: 256) {
      let part = missing[start..<min(start + 256, missing.count)]
      let results = try await concurrentMap(part, BlobStore.maximumCalls) { document, sequence in
        try await readable(document, sequence)
      }
      for result in results {
        switch result {
        case .success(let version): if let version { learnt.append(version) }
        case .failure(let error): problems.append(error)
        }
      }
    }
    var changed: [DocumentRecord] = []
    for version in learnt {
      var record = known[version.document.string] ?? DocumentRecord(id: version.document, name: version.name)
      try note(version, in: &record)
      changed.append(record)
    }
    if !changed.isEmpty { try await state.save(changed) }
    return (changed.count, problems)
  }

  /// Reads a version; the result is a failure if its bytes are damaged, or of a newer program.
  private func readable(
    _ document: CloudDocumentID, _ sequence: Int
  ) async throws -> Result<CloudVersion?, CloudDataError> {
    do {
      return .success(try await log.version(of: document, sequence))
    } catch let error as CloudDataError {
      return .failure(error)
    }
  }

  /// Notes the last version of a document.
  package func note(_ version: CloudVersion, in record: inout DocumentRecord) throws {
    record.head = try version.encoded()
    if record.base == nil && record.node == nil { record.name = version.name }
  }

  /// Reads the last version of a document anew.
  package func refreshHead(of record: inout DocumentRecord) async throws {
    let known = try head(of: record)?.sequence ?? 0
    let last = try await log.lastSequence(of: try record.document, after: known)
    guard last > known, let version = try await log.version(of: try record.document, last) else { return }
    try note(version, in: &record)
  }
}

/// Calls `body` with each element, some at once, and returns the results in the order of the elements.
func concurrentMap<Element: Sendable, Result: Sendable>(
  _ elements: some Collection<Element>, _ width: Int,
  _ body: @escaping @Sendable (Element) async throws -> Result
) async throws -> [Result] {
  try await withThrowingTaskGroup(of: (Int, Result).self) { group in
    var results = [Result?](repeating: nil, count: elements.count)
    var rest = elements.enumerated().makeIterator()
    func addNext() {
      guard let (index, element) = rest.next() else { return }
      group.addTask { (index, try await body(element)) }
    }
    for _ in 0..<width { addNext() }
    while let (index, result) = try await group.next() {
      results[index] = result
      addNext()
    }
    return results.compactMap { $0 }
  }
}
