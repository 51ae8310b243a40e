import FoundationEssentials
import ObjectStores

// A poll is one listing of the feed, and a read of each new entry. A listing of all versions follows once a day, or if
//     the feed cannot say what is new.
// The state notes the end of the feed only after it has the news up to it. If a run is cut off before, the next one
//     begins with the same entry.
// A version that cannot be read hides its document alone. The state notes it, and each run reads it again and names it.

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
    let time = now().milliseconds
    let last = try await state.number(.lastListing)
    let isDue = last.map { !(0..<Self.listingInterval).contains(time - $0) } ?? true
    let comparing = everything || isRolledBack
    // A new device knows no version that an entry could contradict.
    let news = try await news(readsEntries: !comparing && last != nil)
    var isLost = comparing || news.state == .rolledBack
    if !isLost { isLost = try await haveLost(news.entries) }
    let isTold = news.entries.contains { $0.kind == .lost && $0.device != settings.device }
    if isLost || isTold || isDue || news.state != .whole {
      return try await discoverByListing(news, comparing: isLost)
    }
    let found = try await learn(Self.newest(in: news.entries), isListing: false)
    try await noteEnd(news)
    return found
  }

  /// Reads the feed from the last known entry on.
  ///
  /// - Throws: `CloudDataError` if this device was removed, or if the store has another container.
  func news(readsEntries: Bool) async throws -> ContainerFeed.News {
    let (known, own) = try await state.feedPositions()
    let news = try await feed.news(after: known, own: own, readsEntries: readsEntries, for: settings.device)
    if news.isRemoved { throw CloudDataError(.removed, in: store.place) }
    if news.container != settings.container {
      try await checkMark()
      // A refusal costs a look at the container's mark with each run.
      _ = try await checking { try await feed.mark(settings.container) }
    }
    feedEnd.begin(at: news.end, max(news.state, .incomplete))
    return news
  }

  /// Notes that this machine has all news.
  private func noteEnd(_ news: ContainerFeed.News) async throws {
    feedEnd.learn(news.end)
    let (known, own) = try await state.feedPositions()
    if known == news.end, own == nil { return }
    try await state.noteAnnounced(news.entries.flatMap(\.versions), upTo: news.end, .whole)
  }

  /// Returns the last number of each document in entries of the feed.
  static func newest(in entries: [FeedEntry]) -> [CloudDocumentID: Int] {
    var newest: [CloudDocumentID: Int] = [:]
    for entry in entries {
      for version in entry.versions {
        let known = entry.kind == .lost ? 0 : newest[version.document] ?? 0
        newest[version.document] = max(version.sequence, known)
      }
    }
    return newest
  }

  /// Compares all documents with the store.
  func compareAll() async throws {
    // The records have the versions that it finds.
    _ = try await discoverByListing(news(readsEntries: false), comparing: true)
  }

  /// Learns the last versions by a listing of all of them.
  ///
  /// - Parameters:
  ///   - news: the feed, as it was before.
  ///   - comparing: whether the store may have lost versions and got others of the same numbers since.
  private func discoverByListing(_ news: ContainerFeed.News, comparing: Bool) async throws -> Discovered {
    let time = now().milliseconds
    try await checkMark()
    var problems: [any Error] = news.problems
    // Without a comparison the clocks count as before.
    if case .failure(let error) = try await checking(nil, { try await measureClock() }) {
      problems.append(error)
    }
    var newest: [CloudDocumentID: Int] = [:]
    try await log.forEachDocument { document, versions in newest[document] = versions.last?.sequence }
    let (lost, lossProblems) = try await rewindLost(newest, comparing: comparing)
    // The store may have lost the news of a version that it has. Another device may know no lost entry.
    if lost.isEmpty && news.state == .rolledBack && news.problems.isEmpty { try await tellLoss(of: []) }
    let isLossTold = news.entries.contains { $0.kind == .lost }
    var found = try await learn(newest, isListing: true, forgetsLost: comparing || isLossTold)
    (found.lost, found.problems) = (lost, lossProblems + found.problems + problems)
    try await state.pruneEarlierHeads()
    try await state.set(.lastListing, to: time)
    try await noteEnd(news)
    return found
  }

  /// Reads the versions that are newer than the known ones: first those in packs, and then the rest, eight at a time.
  ///
  /// - Parameters:
  ///   - isListing: whether the numbers are those of a listing, which has versions that no device announced.
  ///   - forgetsLost: whether a version that an earlier run could not read is forgotten if the store does not have it.
  private func learn(
    _ newest: [CloudDocumentID: Int], isListing: Bool, forgetsLost: Bool = false
  ) async throws -> Discovered {
    var found = Discovered()
    let listed = newest
    let before = try await state.unread()
    let newest = before.reduce(into: newest) { $0[$1.document] = max($0[$1.document] ?? 0, $1.sequence) }
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
    if !isListing, missing.count > Self.maximumReads {
      // Anyone may fill the feed with documents that no store has.
      let present = try await present(missing)
      missing = missing.filter { present[$0.key] == $0.value || known[$0.key.string] != nil }
    }
    let single = missing.sorted { $0.key < $1.key }
    var unread: [UnreadVersion] = []
    for start in stride(from: 0, to: single.count, by: 256) {
      let part = single[start..<min(start + 256, single.count)]
      let results = try await concurrentMap(part, BlobStore.maximumCalls) { [known] document, sequence in
        let record = known[document.string]
        return try await announced(
          document, sequence, after: record.flatMap { try self.head(of: $0)?.sequence } ?? 0,
          named: record?.name)
      }
      for ((document, sequence), (stored, problem)) in zip(part, results) {
        if let stored { note(stored, needsPacking: isListing) }
        guard let problem else { continue }
        found.problems.append(problem)
        if forgetsLost, listed[document] ?? 0 < sequence { continue }
        unread.append(UnreadVersion(document: document, sequence: sequence, problem: "\(problem)"))
      }
    }
    if !changed.isEmpty { try await state.save(changed) }
    if unread != before { try await state.setUnread(unread) }
    found.count = changed.count
    return found
  }

  /// Reads a version that a listing or the feed has.
  ///
  /// - Parameters:
  ///   - known: the number of the last known version.
  ///   - name: the document's name; nil if it is not known.
  /// - Returns: the version, or the last one that the store has if that is newer than the known one; and the reason why
  ///   this is not the announced version or a later one.
  private func announced(
    _ document: CloudDocumentID, _ sequence: Int, after known: Int, named name: String?
  ) async throws -> (StoredVersion?, CloudDataError?) {
    let last: Int
    switch try await readable(document, sequence, named: name) {
    case .failure(let error): return (nil, error)
    case .success(let stored):
      if let stored { return (stored, nil) }
      // A collection of garbage takes a version after a later one came.
      last = try await log.lastSequence(of: document, after: known)
    }
    let absent = absent(document, sequence, named: name)
    guard last > known, last != sequence else { return (nil, absent) }
    switch try await readable(document, last, named: name) {
    case .failure(let error): return (nil, error)
    case .success(let stored): return (stored, last > sequence && stored != nil ? nil : absent)
    }
  }

  /// Makes the error for a version that the news have and the store does not.
  func absent(_ document: CloudDocumentID, _ sequence: Int, named name: String?) -> CloudDataError {
    CloudDataError(
      .rolledBack, in: store.place, key: CloudVersion.key(of: document, sequence).string, document: name,
      reason: "the news tell of its version \(sequence), and the store does not have it")
  }

  /// Returns the versions that this machine could not read, and has no later ones of.
  func unreadVersions() async throws -> [UnreadVersion] {
    var unread: [UnreadVersion] = []
    for version in try await state.unread() {
      let record = try await state.record(version.document)
      let head = try record.flatMap { try self.head(of: $0) }
      if head?.sequence ?? 0 < version.sequence { unread.append(version) }
    }
    return unread
  }

  /// Returns those versions that the store has: one request for a thousand versions of any document.
  private func present(_ versions: [CloudDocumentID: Int]) async throws -> [CloudDocumentID: Int] {
    var present: [CloudDocumentID: Int] = [:]
    try await store.listAll(CloudVersion.prefix) { page in
      for object in page {
        guard let (document, sequence) = CloudVersion.parse(object.key) else { continue }
        if versions[document] == sequence { present[document] = sequence }
      }
      return true
    }
    return present
  }

  /// Reads a version; the result is a failure if the store refuses it, or if its bytes are damaged or of a newer program.
  func readable(
    _ document: CloudDocumentID, _ sequence: Int, named name: String?
  ) async throws -> Result<StoredVersion?, CloudDataError> {
    try await checking(name) { try await log.stored(document, sequence) }
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
