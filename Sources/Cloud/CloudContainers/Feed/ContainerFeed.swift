import FilePackages
import FoundationEssentials
package import ObjectStores

// Entries have numbers from 1 on, and each is made only if absent. An entry has the hash of the one before. So a reader
//     who finds the last entry that it knows, with the bytes that it knows, knows that the store was not rolled back.
// Entries stay for three days, and the last one for ever. A reader who was away for longer lists all versions.
// The feed only makes discovery sooner. A listing of all versions, once a day, finds each version without it.
// Anyone who may write can fill a feed. So a reader reads up to a thousand entries, and lists all versions if there are
//     more.

/// The news of a container: a chain of small objects, `feed/<number>`.
package struct ContainerFeed: Sendable {
  package let store: any ObjectStore
  /// Whether a reader compares the hashes of entries, and looks for the last known one. Only a test leaves it out.
  let checksChain: Bool

  /// The beginning of the keys.
  package static let prefix = "feed/"
  /// The number of entries that a look reads.
  package static let maximumUnread = 1_000
  /// The bytes of entries that a look reads.
  static let maximumSize = 4 << 20
  /// The time after which an entry may go, in seconds.
  static let retention: Double = 3 * 86_400
  /// The largest number of an entry.
  private static let maximumNumber = 9_999_999_999_999_999

  package init(_ store: any ObjectStore, checksChain: Bool = true) {
    (self.store, self.checksChain) = (store, checksChain)
  }

  /// Returns the key of an entry.
  package static func key(_ number: Int) -> ObjectKey { checkedKey(prefix + paddedNumber(number, 16)) }

  /// Reads the key of an entry; nil for another key.
  package static func number(of key: ObjectKey) -> Int? {
    let segments = key.segments
    guard segments.count == 2, let number = Int(segments[1]), (1...maximumNumber).contains(number),
      self.key(number) == key
    else { return nil }
    return number
  }

  // MARK: Reading

  /// The feed after a position.
  package struct News: Sendable {
    /// The entries after the position, in order; none if the reader has to list all versions.
    package var entries: [FeedEntry] = []
    /// The last entry.
    package var end: FeedPosition
    /// The state of the store, by the chain.
    package var state = State.whole
    /// The identity of the container; nil if its mark at the end of the feed is missing.
    package var container: String?
    /// Whether the reader is no longer a device of the container.
    package var isRemoved = false
    /// The errors of entries that cannot be read.
    package var problems: [CloudDataError] = []
  }

  /// The state of a store, by its chain.
  package enum State: Int, Comparable, Sendable {
    /// All entries after the position were read, and each follows the one before.
    case whole
    /// There are entries that were not read.
    case incomplete
    /// The store no longer has the entry of the position, or an entry does not follow the one before.
    case rolledBack

    /// Compares how little a reader can rely on what it knows.
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  /// Reads the entries after a position.
  ///
  /// Cost: one listing, and a read for each entry. If the date of the last known entry is not known or another one, that
  /// entry is read as well.
  ///
  /// - Parameters:
  ///   - known: the last entry up to which the reader knows all news.
  ///   - own: a later entry that the reader made; nil if there is none.
  ///   - readsEntries: whether to read the entries; otherwise the last one alone, to know the end.
  ///   - device: the reader.
  package func news(
    after known: FeedPosition, own: FeedPosition? = nil, readsEntries: Bool = true, for device: String? = nil
  ) async throws -> News {
    let first = try await list(from: known.number, for: device)
    var part = first
    if first.isCutShort {
      part = try await list(from: lastNumber(from: first.entries.last?.number ?? 0), for: device)
    }
    var news = News(end: known)
    (news.container, news.isRemoved) = (part.container, part.isRemoved)
    do {
      if checksChain {
        (news.state, news.end) = try await compare(known, with: first)
        // The chain leads from the one to the other.
        if let own { news.state = max(news.state, try await compare(own, with: first).state) }
      }
      if first.isCutShort { news.state = max(news.state, .incomplete) }
      try await read(
        part.entries.filter { $0.number > known.number }, readsEntries, into: &news, after: known)
    } catch let error as CloudDataError {
      // The entries stay unread, and a listing has their versions.
      (news.entries, news.end, news.state, news.problems) = ([], known, .incomplete, [error])
    }
    return news
  }

  /// Reads the entries after the known one, or the last of them alone.
  private func read(
    _ unread: [Listed], _ readsEntries: Bool, into news: inout News, after known: FeedPosition
  ) async throws {
    guard let last = unread.last else {
      if news.state != .whole { news.end = try await position(lastNumber(from: 0)) }
      return
    }
    let hasGap = zip(unread, (known.number + 1)...).contains { $0.number != $1 }
    let size = unread.reduce(0) { $0 + $1.size }
    if hasGap || !readsEntries || size > Self.maximumSize { news.state = max(news.state, .incomplete) }
    guard news.state == .whole else {
      news.end = try await position(of: last)
      return
    }
    try await read(unread, into: &news)
  }

  /// An entry in a listing.
  private struct Listed: Sendable {
    var number: Int
    var size: Int
    var date: Int64
  }

  /// A part of the feed, and the marks after it.
  private struct Part {
    var entries: [Listed] = []
    /// Whether there are more entries, and the marks were not read.
    var isCutShort = false
    var container: String?
    var isRemoved = false
  }

  private func list(from number: Int, for device: String?) async throws -> Part {
    var part = Part()
    let start = number > 1 ? Self.key(number - 1) : nil
    try await store.listAll(Self.prefix, after: start) { page in
      for object in page {
        if let number = Self.number(of: object.key) {
          part.entries.append(
            Listed(number: number, size: object.size, date: object.modificationDate.milliseconds))
        } else if object.key.string.hasPrefix(Self.markPrefix) {
          part.container = String(object.key.string.dropFirst(Self.markPrefix.count))
        } else if object.key == device.map(Self.removedKey) {
          part.isRemoved = true
        }
      }
      part.isCutShort = part.entries.count > Self.maximumUnread
      return !part.isCutShort
    }
    return part
  }

  /// Compares an entry that the store had with the one that it has.
  private func compare(
    _ known: FeedPosition, with part: Part
  ) async throws -> (state: State, position: FeedPosition) {
    if known.number == 0 { return (.whole, known) }
    guard let object = part.entries.first(where: { $0.number == known.number }) else {
      // A collection of garbage takes an entry only if there is a later one.
      let last = part.entries.last?.number ?? 0
      return (last < known.number && !part.isCutShort ? .rolledBack : .incomplete, known)
    }
    if object.date == known.date { return (.whole, known) }
    guard let present = try await self.present(object) else { return (.incomplete, known) }
    return (present.hash == known.hash ? .whole : .rolledBack, present)
  }

  /// Reads entries, and checks that each follows the one before.
  private func read(_ unread: [Listed], into news: inout News) async throws {
    let all = try await concurrentMap(unread, BlobStore.maximumCalls) { try await bytes(of: $0.number) }
    for (object, bytes) in zip(unread, all) {
      guard let bytes else {
        // A collection of garbage has taken it since the listing.
        (news.entries, news.state) = ([], .incomplete)
        news.end = try await position(of: unread[unread.count - 1])
        return
      }
      do throws(FeedEntry.Problem) {
        let entry = try FeedEntry(decoding: bytes)
        if checksChain, entry.previous != news.end.hash { news.state = .rolledBack }
        news.entries.append(entry)
      } catch {
        news.state = .rolledBack
        news.problems.append(
          CloudDataError(
            .unreadableNews, in: store.place, key: Self.key(object.number).string, reason: error.words))
      }
      news.end = FeedPosition(object.number, Self.hash(of: bytes), date: object.date)
    }
    if news.state != .whole { news.entries = [] }
  }

  private func bytes(of number: Int) async throws -> Data? {
    try await store.content(of: Self.key(number), limit: FeedEntry.maximumSize + 1)
  }

  private static func hash(of bytes: Data) -> ContentHash { bytes.withUnsafeBytes { ContentHash(of: $0) } }

  private func present(_ object: Listed) async throws -> FeedPosition? {
    guard let bytes = try await bytes(of: object.number) else { return nil }
    return FeedPosition(object.number, Self.hash(of: bytes), date: object.date)
  }

  private func position(of object: Listed) async throws -> FeedPosition {
    if let present = try await present(object) { return present }
    throw CloudDataError(
      .unreadableNews, in: store.place, key: Self.key(object.number).string,
      reason: "has lost the last entry of its feed")
  }

  private func position(_ number: Int) async throws -> FeedPosition {
    guard number > 0 else { return .start }
    guard let last = try await list(from: number, for: nil).entries.last else { return .start }
    return try await position(of: last)
  }

  /// Finds the last entry: the number of requests is a logarithm of its number.
  ///
  /// - Parameter first: an entry that is there, or 0.
  /// - Returns: 0 if there is none.
  private func lastNumber(from first: Int) async throws -> Int {
    var (low, step) = (first, Self.maximumUnread)
    func next(after number: Int) async throws -> Int? {
      try await store.list(Self.prefix, after: number > 0 ? Self.key(number) : nil, limit: 1)
        .objects.first.flatMap { Self.number(of: $0.key) }
    }
    while let found = try await next(after: min(low + step, Self.maximumNumber)) {
      (low, step) = (found, 2 * step)
    }
    var high = min(low + step, Self.maximumNumber)
    while low < high {
      let middle = low + (high - low) / 2
      if let found = try await next(after: middle) { low = found } else { high = middle }
    }
    return low
  }

  // MARK: Writing

  /// Makes the next entry after the last one.
  ///
  /// - Returns: the position of the entry, also if an earlier call made it whose answer was lost; nil if the number has
  ///   another entry.
  package func append(_ entry: FeedEntry, after last: FeedPosition) async throws -> FeedPosition? {
    let (bytes, number) = (entry.bytes, last.number + 1)
    guard number <= Self.maximumNumber else {
      throw CloudDataError(.unreadableNews, in: store.place, reason: "has no number left for an entry")
    }
    if try await !store.oneObject({ try await store.put(bytes, at: Self.key(number), ifAbsent: true) }),
      try await self.bytes(of: number) != bytes
    {
      return nil
    }
    return FeedPosition(number, Self.hash(of: bytes), date: nil)
  }

  // MARK: Marks

  // The names of entries are digits, and marks begin with letters. So marks come after all entries, and each poll sees
  //     them. An empty or exchanged store is found out at once.

  private static let markPrefix = "\(prefix)mark/"
  private static let removedPrefix = "\(prefix)removed/"

  /// Marks the end of the feed with the container's identity.
  package func mark(_ container: String) async throws {
    let key = checkedKey(Self.markPrefix + container)
    try await store.oneObject { try await store.put(Data(), at: key) }
  }

  /// Removes that mark: each poll then looks at the mark of the container.
  package func unmark(_ container: String) async throws(ObjectStoreError) {
    try await store.delete(checkedKey(Self.markPrefix + container))
  }

  /// Tells a device that it is no longer one of the container.
  package func remove(_ device: String) async throws(ObjectStoreError) {
    try await store.put(Data(), at: Self.removedKey(device))
  }

  /// Returns the devices that were removed.
  package func removedDevices() async throws -> Set<String> {
    var devices: Set<String> = []
    try await store.listAll(Self.removedPrefix) { page in
      devices.formUnion(page.map { String($0.key.string.dropFirst(Self.removedPrefix.count)) })
      return true
    }
    return devices
  }

  // A collection of garbage marks the feed before it looks at any blob.

  private static let collectionPrefix = "\(prefix)collecting/"

  /// Tells the other devices that one of them collects garbage.
  package func beginCollection(by device: String) async throws(ObjectStoreError) {
    try await store.put(Data(), at: checkedKey(Self.collectionPrefix + device))
  }

  /// Tells the other devices that a collection of garbage removes nothing any more.
  package func endCollection(by device: String) async throws(ObjectStoreError) {
    try await store.delete(checkedKey(Self.collectionPrefix + device))
  }

  /// Returns the devices that collect garbage, and the times at which they began, by the store's clock.
  func collections() async throws -> [(device: String, date: Date)] {
    var collections: [(device: String, date: Date)] = []
    try await store.listAll(Self.collectionPrefix) { page in
      collections += page.map {
        (device: String($0.key.string.dropFirst(Self.collectionPrefix.count)), date: $0.modificationDate)
      }
      return true
    }
    return collections
  }

  private static func removedKey(_ device: String) -> ObjectKey { checkedKey(removedPrefix + device) }
}
