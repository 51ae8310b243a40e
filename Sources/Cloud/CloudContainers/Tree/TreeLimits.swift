/// The largest tree that this machine reads.
package struct TreeLimits: Sendable, Hashable {
  /// Files, folders and links.
  package var entries: UInt64
  /// The bytes of all files.
  package var bytes: UInt64

  package init(entries: UInt64 = 1_000_000, bytes: UInt64 = 1 << 40) {
    (self.entries, self.bytes) = (entries, bytes)
  }

  /// The largest document that goes to a container, or comes from it. A download takes up to 4 KiB of memory for each
  /// entry that differs.
  package static let document = TreeLimits(entries: 250_000)

  /// The reason why a tree of these totals is too large, in words; nil if it is not.
  func problem(_ totals: TreeTotals) -> String? {
    if totals.entries > entries { return "it has \(totals.entries) entries, and \(entries) are the limit" }
    if totals.bytes > bytes { return "it has \(totals.bytes) bytes, and \(bytes) are the limit" }
    return nil
  }
}
