package import FilePackages
import FoundationEssentials
import ObjectStores

/// An entry of the feed, by its number and the hash of its bytes. It stands for all entries up to it.
package struct FeedPosition: Sendable, Hashable {
  /// The number of the entry; 0 before the first one.
  package let number: Int
  /// The hash of the bytes; zeros before the first entry.
  package let hash: ContentHash
  /// The date that the store gave the entry, in milliseconds; nil if no listing had it yet.
  let date: Int64?

  /// The position before the first entry.
  package static let start = FeedPosition(0, ContentHash.zeros, date: nil)

  init(_ number: Int, _ hash: ContentHash, date: Int64?) {
    (self.number, self.hash, self.date) = (number, hash, date)
  }

  /// Reads the text of another position; nil for anything else.
  package init?(_ text: String) {
    let parts = text.split(separator: " ")
    guard parts.count == 3, let number = Int(parts[0]), let name = BlobName(digits: parts[1]) else {
      return nil
    }
    self.init(number, name.hash, date: Int64(parts[2]))
  }

  /// The number, the hash and the date.
  package var text: String { "\(number) \(BlobName(hash)) \(date.map { "\($0)" } ?? "-")" }
}

extension ContentHash {
  /// The hash before the first entry.
  fileprivate static var zeros: ContentHash {
    guard let zeros = ContentHash(bytes: [UInt8](repeating: 0, count: count)[...]) else {
      preconditionFailure("32 zeros have the length of a hash")
    }
    return zeros
  }
}
