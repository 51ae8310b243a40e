import FoundationEssentials
import ObjectStores

// A poll is one listing of the feed. A listing of all versions follows once a day, or if the feed was not read for
//     so long: it finds each version of which the feed says nothing.

extension ContainerSession {
  /// The time after which a listing of all versions is due, in milliseconds.
  static let listingInterval: Int64 = 86_400_000

  /// The number of versions that are read one by one without a look at whether the store has them.
  static let maximumReads = 1_024

  /// The outcome of a look at the container.
  package struct Discovered: Sendable {
    /// The number of documents with a new version.
    package var count = 0
    /// The placeholders that other devices renamed.
    package var renamed: [(old: String, new: String)] = []
    /// The names of documents whose last version the store had lost.
    package var lost: [String] = []
    /// The errors of versions that cannot be read, and of those that are lost.
    package var problems: [any Error] = []
  }

  /// Learns the last versions in the container; one request if there is nothing new.
  ///
  /// A version that cannot be read hides its document alone.
  ///
  /// - Parameters:
  ///   - everything: whether to list all versions in any case.
  ///   - isRolledBack: whether the store is known to have lost versions.
  package func discover(everything: Bool = false, isRolledBack: Bool = false) async throws -> Discovered {
    let found = try await read(everything: everything, isRolledBack: isRolledBack)
    if let text = witness.confirmed?.text, try await state.text(.witness) != text {
      try await state.set(.witness, to: text)
    }
    return found
  }

  private func read(everything: Bool, isRolledBack: Bool) async throws -> Discovered {
    let time = now().milliseconds
    let last = try await state.number(.lastListing)
    let isDue = last.map { !(0..<Self.listingInterval).contains(time - $0) } ?? true
    let expected = try await state.witness()
    if isRolledBack {
      witness.begin(nil, isConfirmed: false)
      return try await compare()
    }
    if everything || isDue {
      witness.begin(expected, isConfirmed: expected == nil)
      // Another device may have filled the number of a version that the store lost.
      return try await discoverByListing(comparing: everything)
    }
    let cursor = try await state.number(.feedCursor) ?? 0
    let moment = try await storeTime()
    let hasSettled = feed.hasSettled(cursor, read: try await state.number(.overlapRead), at: moment)
    let news = try await feed.news(
      since: cursor, hasSettled: hasSettled, expecting: expected, at: moment, for: settings.device)
    if news.isRemoved { throw removedFromContainer }
    if news.container != settings.container {
      try await checkMark()
      try await feed.mark(settings.container)
    }
    let knownLoss = try await state.number(.lossTold) ?? 0
    if news.lacksWitness || news.lossTold ?? 0 > knownLoss {
      witness.begin(news.witness, isConfirmed: false)
      let found = try await compare()
      if let told = news.lossTold { try await state.set(.lossTold, to: told) }
      return found
    }
    witness.begin(news.witness ?? expected, isConfirmed: true)
    if news.isCutShort { return try await discoverByListing(comparing: false) }
    let found = try await learn(news.newest, isListing: false)
    if news.cursor != cursor { try await state.set(.feedCursor, to: news.cursor) }
    if !hasSettled, moment >= news.cursor + feed.overlap { try await state.set(.overlapRead, to: moment) }
    return found
  }

  private var removedFromContainer: CloudDataError { CloudDataError(.removed, in: store.place) }

  /// Compares all documents with the store. If the run is cut off before, the next one has to compare again.
  private func compare() async throws -> Discovered {
    let found = try await discoverByListing(comparing: true)
    witness.confirm()
    return found
  }

  /// Learns the last versions by a listing of all of them.
  ///
  /// - Parameter comparing: whether the store may have lost versions and got others of the same numbers since.
  func discoverByListing(comparing: Bool) async throws -> Discovered {
    let time = now().milliseconds
    try await checkMark()
    if try await feed.hasRemoved(settings.device) { throw removedFromContainer }
    // A clock that was set since then would put the cursor past entries that are still to come.
    try await measureClock(always: true)
    let cursor = try await storeTime()
    var newest: [CloudDocumentID: Int] = [:]
    try await log.forEachDocument { document, versions in newest[document] = versions.last?.sequence }
    let (lost, problems) = try await rewindLost(newest, comparing: comparing)
    var found = try await learn(newest, isListing: true)
    (found.lost, found.problems) = (lost, problems + found.problems)
    try await state.pruneEarlierHeads()
    try await state.set(.lastListing, to: time)
    try await state.set(.feedCursor, to: max(cursor, await state.number(.feedCursor) ?? 0))
    return found
  }

  /// Reads the versions that are newer than the known ones: first those in packs, and then the rest, eight at a time.
  ///
  /// - Parameter isListing: whether the numbers are those of a listing, which has versions that no device announced.
  private func learn(
    _ newest: [CloudDocumentID: Int], isListing: Bool
  ) async throws -> Discovered {
    var found = Discovered()
    guard !newest.isEmpty else { return found }
    var known: [String: DocumentRecord] = [:]
    for record in try await state.records() { known[record.id] = record }
    var missing: [CloudDocumentID: Int] = [:]
    for (document, sequence) in newest {
      let head = try known[document.string].flatMap { try self.head(of: $0)?.sequence } ?? 0
      if sequence > head { missing[document] = sequence }
    }
    var changed: [DocumentRecord] = []
    func note(_ stored: StoredVersion, needsPacking: Bool) {
      let version = stored.version
      var record = known[version.document.string] ?? DocumentRecord(id: version.document, name: version.name)
      let (old, isKnown) = (record.name, record.head != nil)
      self.note(stored, in: &record)
      record.needsPacking = needsPacking
      if isKnown, old != record.name, !version.isDeleted { found.renamed.append((old, record.name)) }
      changed.append(record)
    }
    if missing.count >= packing.reading {
      for (document, stored) in try await HeadPacks(store: store).versions(missing) {
        missing[document] = nil
        note(stored, needsPacking: false)
      }
    }
    if !isListing, missing.count > Self.maximumReads { missing = try await present(missing) }
    let single = missing.sorted { $0.key < $1.key }
    for start in stride(from: 0, to: single.count, by: 256) {
      let part = single[start..<min(start + 256, single.count)]
      let results = try await concurrentMap(part, BlobStore.maximumCalls) { document, sequence in
        try await readable(document, sequence)
      }
      for result in results {
        switch result {
        case .success(let stored): if let stored { note(stored, needsPacking: isListing) }
        case .failure(let error): found.problems.append(error)
        }
      }
    }
    if !changed.isEmpty { try await state.save(changed) }
    found.count = changed.count
    return found
  }

  /// Returns those versions that the store has: one request for a thousand versions of any document.
  private func present(_ versions: [CloudDocumentID: Int]) async throws -> [CloudDocumentID: Int] {
    var present: [CloudDocumentID: Int] = [:]
    try await store.listInGrowingPages(CloudVersion.prefix) { page in
      for object in page {
        guard let (document, sequence) = CloudVersion.parse(object.key) else { continue }
        if versions[document] == sequence { present[document] = sequence }
      }
      return true
    }
    return present
  }

  /// Reads a version; the result is a failure if its bytes are damaged, or of a newer program.
  func readable(
    _ document: CloudDocumentID, _ sequence: Int
  ) async throws -> Result<StoredVersion?, CloudDataError> {
    do {
      return .success(try await log.stored(document, sequence))
    } catch let error as CloudDataError {
      return .failure(error)
    }
  }

  /// Notes the last version of a document.
  private func note(_ stored: StoredVersion, in record: inout DocumentRecord) {
    (record.head, record.needsPacking) = (stored.bytes, false)
    heads.note(stored, of: record.id)
    if record.base == nil && record.node == nil { record.name = stored.version.name }
  }

  /// Reads the last version of a document anew.
  package func refreshHead(of record: inout DocumentRecord) async throws {
    let known = try head(of: record)?.sequence ?? 0
    let last = try await log.lastSequence(of: try record.document, after: known)
    guard last > known, let stored = try await log.stored(try record.document, last) else { return }
    note(stored, in: &record)
  }
}
