import FoundationEssentials
package import ObjectStores

// A reader begins ten minutes before the last entry that it knows. So it finds an entry that a device with another
//     clock, or a slow answer, wrote late.
// The feed only makes discovery sooner. A listing of all versions, once a day, finds each version without it.

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
  package func announce(
    _ document: CloudDocumentID, _ sequence: Int, by device: String, at milliseconds: Int64
  ) async throws {
    let entry = Entry(milliseconds: milliseconds, document: document, sequence: sequence, device: device)
    try await store.put(Data(), at: entry.key)
  }

  /// The news since a moment, and the container that the store has.
  package struct News: Sendable {
    package var entries: [Entry] = []
    /// The time after which a later reader needs the entries, beside those of the overlap. An entry counts from the
    /// date that the store gave it: a device whose clock is ahead hides no entry of another device.
    package var cursor: Int64
    /// The identity of the container; nil if its mark at the end of the feed is missing.
    package var container: String?
  }

  /// Returns the entries from the overlap before `cursor` on; one request if there are fewer than a thousand.
  package func news(since cursor: Int64) async throws -> News {
    var news = News(cursor: cursor)
    try await store.listAll(Self.prefix, after: ObjectKey(Self.folder(cursor - overlap))) { page in
      for object in page {
        if let entry = Entry(object.key) {
          news.entries.append(entry)
          news.cursor = max(news.cursor, min(entry.milliseconds, object.modificationDate.milliseconds))
        } else if object.key.string.hasPrefix(Self.markPrefix) {
          news.container = String(object.key.string.dropFirst(Self.markPrefix.count))
        }
      }
      return true
    }
    return news
  }

  // The mark comes after all entries. So each poll sees it, and an empty or exchanged store is found out at once.
  private static let markPrefix = "\(prefix)mark/"

  /// Marks the end of the feed with the container's identity.
  package func mark(_ container: String) async throws {
    try await store.put(Data(), at: checkedKey(Self.markPrefix + container))
  }
}
