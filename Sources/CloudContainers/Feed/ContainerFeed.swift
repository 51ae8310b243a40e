import FoundationEssentials
package import ObjectStores

// A reader begins ten minutes before the last entry that it knows. So it finds an entry that a device with another
//     clock, or a slow answer, wrote late.
// Ten minutes after the last entry no other one comes late, but for a device that slept meanwhile. So a reader looks at
//     the overlap once more then, and from then on once an hour.
// The feed only makes discovery sooner. A listing of all versions, once a day, finds each version without it.
// An entry stays for three days. So a store that no longer has a younger entry, which it had, was rolled back.
// A reader reads 100,000 entries at most, and then lists all versions: anyone who may write can fill a feed.

/// The news of a container: one small object for each version.
///
/// The key says everything: `feed/<hour>/<millisecond>-<document>-<number>-<device>`. So one listing is one poll.
package struct ContainerFeed: Sendable {
  package let store: any ObjectStore
  /// The time by which a reader begins before the last known entry, in milliseconds.
  package var overlap: Int64

  /// Ten minutes.
  package static let overlap: Int64 = 600_000
  /// The beginning of the keys.
  package static let prefix = "feed/"

  package init(_ store: any ObjectStore, overlap: Int64 = overlap) {
    (self.store, self.overlap) = (store, overlap)
  }

  /// An entry: a document has a version of this number.
  package struct Entry: Sendable, Hashable {
    package var milliseconds: Int64
    package var document: CloudDocumentID
    package var sequence: Int
    package var device: String

    package init(milliseconds: Int64, document: CloudDocumentID, sequence: Int, device: String) {
      (self.milliseconds, self.document, self.sequence) = (milliseconds, document, sequence)
      self.device = device
    }

    /// The key of the object.
    package var key: ObjectKey {
      checkedKey("\(ContainerFeed.folder(milliseconds))-\(document)-\(paddedNumber(sequence, 16))-\(device)")
    }

    /// Reads a key; nil for one that no entry has.
    package init?(_ key: ObjectKey) {
      let segments = key.segments
      guard segments.count == 3, segments[0] + "/" == ContainerFeed.prefix else { return nil }
      let parts = segments[2].split(separator: "-", maxSplits: 3, omittingEmptySubsequences: false)
      guard parts.count == 4, parts[0].utf8.count == 13, let milliseconds = Int64(parts[0]),
        milliseconds >= 0,
        let document = CloudDocumentID(parts[1]), parts[2].utf8.count == 16, let sequence = Int(parts[2]),
        (1...CloudVersion.maximumSequence).contains(sequence)
      else { return nil }
      self.init(
        milliseconds: milliseconds, document: document, sequence: sequence, device: String(parts[3]))
      if self.key != key { return nil }
    }
  }

  /// Returns the beginning of the keys of a moment.
  static func folder(_ milliseconds: Int64) -> String {
    let time = max(0, milliseconds)
    return "\(prefix)\(paddedNumber(Int(time / 3_600_000), 7))/\(paddedNumber(Int(time), 13))"
  }

  /// Announces a version, at a time by the store's clock.
  ///
  /// - Returns: the entry, which the store has now.
  package func announce(
    _ document: CloudDocumentID, _ sequence: Int, by device: String, at milliseconds: Int64
  ) async throws -> Entry {
    let entry = Entry(milliseconds: milliseconds, document: document, sequence: sequence, device: device)
    try await store.put(Data(), at: entry.key)
    return entry
  }

  /// The news since a moment, and the container that the store has.
  package struct News: Sendable {
    /// The highest number of each document that has an entry.
    package var newest: [CloudDocumentID: Int] = [:]
    /// The number of entries that were read.
    package var count = 0
    /// Whether there are more entries than a reader reads.
    package var isCutShort = false
    /// The time after which a later reader needs the entries, beside those of the overlap. An entry counts from the
    /// date that the store gave it: a device whose clock is ahead hides no entry of another device.
    package var cursor: Int64
    /// The identity of the container; nil if its mark at the end of the feed is missing.
    package var container: String?
    /// The last entry; nil if there is none.
    package var witness: Witness?
    /// Whether the entry is missing that the reader expected.
    package var lacksWitness: Bool
    /// Whether the reader is no longer a device of the container.
    package var isRemoved = false
    /// The time of the last loss of versions that another device told, by the store's clock; nil if there was none.
    package var lossTold: Int64?
  }

  /// An entry that the store surely had at a time by its clock.
  package struct Witness: Sendable, Hashable {
    var key: ObjectKey
    var milliseconds: Int64

    init(_ entry: Entry, at milliseconds: Int64) {
      (key, self.milliseconds) = (entry.key, min(entry.milliseconds, milliseconds))
    }

    /// Reads the text of another witness; nil for anything else.
    init?(_ text: String) {
      let parts = text.split(separator: " ")
      guard parts.count == 2, let milliseconds = Int64(parts[0]), let key = ObjectKey(String(parts[1])) else {
        return nil
      }
      (self.key, self.milliseconds) = (key, milliseconds)
    }

    /// The time and the key.
    var text: String { "\(milliseconds) \(key)" }
  }

  /// The time for which an entry surely stays, in milliseconds.
  private static let witnessTime: Int64 = 2 * 86_400_000

  /// Returns the time after which an object of the feed may go, in seconds; nil if it stays.
  static func retention(of key: ObjectKey) -> Double? {
    if Entry(key) != nil { return 3 * 86_400 }
    return key.string.hasPrefix(lossPrefix) ? VersionLog.retention : nil
  }

  /// Returns whether a reader has seen all entries of the overlap before `cursor`.
  ///
  /// - Parameters:
  ///   - read: the time of its last look at all of them, by the store's clock.
  ///   - now: the time by the store's clock.
  package func hasSettled(_ cursor: Int64, read: Int64?, at now: Int64) -> Bool {
    guard let read else { return false }
    return read >= cursor + overlap && (0..<Self.settledTime).contains(now - read)
  }

  /// The time for which a reader relies on its look at the overlap, in milliseconds.
  private static let settledTime: Int64 = 3_600_000

  /// The number of entries that a look reads, to the end of the page.
  package static let maximumEntries = 100_000

  /// Reads the entries from the overlap before `cursor` on; one request if there are fewer than a thousand.
  ///
  /// - Parameters:
  ///   - hasSettled: whether to leave out the overlap.
  ///   - witness: an entry that the store had.
  ///   - now: the time by the store's clock, which may be minutes off.
  ///   - device: the reader.
  ///   - maximumEntries: the number of entries after which it reads no further page of them.
  package func news(
    since cursor: Int64, hasSettled: Bool = false, expecting witness: Witness? = nil, at now: Int64 = 0,
    for device: String? = nil, maximumEntries: Int = maximumEntries
  ) async throws -> News {
    let expected = witness.flatMap { isExpected($0, at: now) ? $0 : nil }
    var news = News(cursor: cursor, lacksWitness: expected != nil)
    var last: Date?
    let start = min(hasSettled ? cursor : cursor - overlap, expected?.milliseconds ?? .max)
    func read(_ page: [StoredObject]) {
      for object in page {
        if let entry = Entry(object.key) {
          let time = min(entry.milliseconds, object.modificationDate.milliseconds)
          news.newest[entry.document] = max(entry.sequence, news.newest[entry.document] ?? 0)
          news.count += 1
          news.cursor = max(news.cursor, time)
          if object.key == expected?.key { news.lacksWitness = false }
          // The store's date tells which entry came last, whatever the clocks of the devices said.
          if object.modificationDate >= last ?? .distantPast {
            (last, news.witness) = (object.modificationDate, Witness(entry, at: time))
          }
        } else if object.key.string.hasPrefix(Self.markPrefix) {
          news.container = String(object.key.string.dropFirst(Self.markPrefix.count))
        } else if object.key == device.map(Self.removedKey) {
          news.isRemoved = true
        } else if object.key.string.hasPrefix(Self.lossPrefix), object.key != device.map(Self.lossKey) {
          news.lossTold = max(news.lossTold ?? 0, object.modificationDate.milliseconds)
        }
      }
    }
    try await store.listInGrowingPages(Self.prefix, after: ObjectKey(Self.folder(start))) { page in
      read(page)
      news.isCutShort = news.count >= maximumEntries
      return !news.isCutShort
    }
    if news.isCutShort {
      try await store.listInGrowingPages(Self.prefix, after: Self.endOfEntries) { page in
        read(page)
        return true
      }
      if news.lacksWitness { news.lacksWitness = try await !has(expected, at: now) }
    }
    return news
  }

  /// Returns whether the store has an entry that it had. It counts as there once it may have gone.
  func has(_ witness: Witness?, at now: Int64) async throws -> Bool {
    guard let witness, isExpected(witness, at: now) else { return true }
    return try await store.head(witness.key) != nil
  }

  /// Returns whether no collection of garbage takes an entry yet. One of a moment ahead is by another clock.
  private func isExpected(_ witness: Witness, at now: Int64) -> Bool {
    now - witness.milliseconds < Self.witnessTime
  }

  // The hours of entries are digits, and what follows them are letters.
  private static let endOfEntries = checkedKey("\(prefix)A")

  // A loss comes after all entries, too. So each poll of each device sees it.
  private static let lossPrefix = "\(prefix)loss/"

  /// Tells the other devices that the store lost versions, so that each of them compares what it knows.
  package func tellLoss(by device: String) async throws {
    try await store.put(Data(), at: Self.lossKey(device))
  }

  private static func lossKey(_ device: String) -> ObjectKey { checkedKey(lossPrefix + device) }

  // A removal comes after all entries, too.
  private static let removedPrefix = "\(prefix)removed/"

  /// Tells a device that it is no longer one of the container.
  package func remove(_ device: String) async throws(ObjectStoreError) {
    try await store.put(Data(), at: Self.removedKey(device))
  }

  /// Returns whether a device was removed.
  package func hasRemoved(_ device: String) async throws(ObjectStoreError) -> Bool {
    try await store.head(Self.removedKey(device)) != nil
  }

  /// Returns the devices that were removed.
  package func removedDevices() async throws -> Set<String> {
    var devices: Set<String> = []
    try await store.listInGrowingPages(Self.removedPrefix) { page in
      devices.formUnion(page.map { String($0.key.string.dropFirst(Self.removedPrefix.count)) })
      return true
    }
    return devices
  }

  private static func removedKey(_ device: String) -> ObjectKey { checkedKey(removedPrefix + device) }

  // The mark comes after all entries. So each poll sees it, and an empty or exchanged store is found out at once.
  private static let markPrefix = "\(prefix)mark/"

  /// Marks the end of the feed with the container's identity.
  package func mark(_ container: String) async throws {
    try await store.put(Data(), at: checkedKey(Self.markPrefix + container))
  }

  /// Removes that mark: each poll then looks at the mark of the container.
  package func unmark(_ container: String) async throws(ObjectStoreError) {
    try await store.delete(checkedKey(Self.markPrefix + container))
  }
}
