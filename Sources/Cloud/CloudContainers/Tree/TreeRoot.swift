import FilePackages

/// A whole tree by the name of its first page, with its totals.
///
/// Equal trees have equal roots, however they were made.
package struct TreeRoot: Sendable, Hashable {
  /// The page at the top.
  package var page: BlobName
  /// The numbers of entries and bytes.
  package var totals: TreeTotals

  package init(page: BlobName, totals: TreeTotals) { (self.page, self.totals) = (page, totals) }

  /// The number of bytes of a root in another object.
  package static let byteCount = ContentHash.count + 16

  /// The root in `byteCount` bytes.
  package var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.write(page.hash)
    writer.write(totals.entries)
    writer.write(totals.bytes)
    return writer.bytes
  }

  /// Reads a root; nil unless there are exactly `byteCount` bytes.
  package init?(bytes: ArraySlice<UInt8>) {
    var reader = ByteReader(bytes)
    do {
      guard bytes.count == Self.byteCount else { return nil }
      page = BlobName(try reader.readHash())
      totals = TreeTotals(entries: try reader.read(), bytes: try reader.read())
    } catch {
      return nil
    }
  }
}

/// The numbers of entries and bytes of a tree, or of a part of one.
package struct TreeTotals: Sendable, Hashable {
  /// Files, folders and links.
  package var entries: UInt64
  /// The bytes of all files.
  package var bytes: UInt64

  package init(entries: UInt64 = 0, bytes: UInt64 = 0) { (self.entries, self.bytes) = (entries, bytes) }

  /// The largest document that goes to a container, or comes from it. A download takes up to 4 KiB of memory for each
  /// entry that differs.
  package static let limit = TreeTotals(entries: 250_000, bytes: 1 << 40)

  /// The reason why a tree of these totals is too large, in words; nil if it is not.
  func problem(over limit: TreeTotals = .limit) -> String? {
    if entries > limit.entries { return "it has \(entries) entries, and \(limit.entries) are the limit" }
    if bytes > limit.bytes { return "it has \(bytes) bytes, and \(limit.bytes) are the limit" }
    return nil
  }

  /// Returns the sum; nil if it is too large for any document.
  package func adding(_ other: TreeTotals) -> TreeTotals? {
    let (entries, tooMany) = entries.addingReportingOverflow(other.entries)
    let (bytes, tooLarge) = bytes.addingReportingOverflow(other.bytes)
    return tooMany || tooLarge ? nil : TreeTotals(entries: entries, bytes: bytes)
  }
}
