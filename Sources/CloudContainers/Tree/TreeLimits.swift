/// The largest document that this machine takes from a container.
package struct TreeLimits: Sendable, Hashable {
  /// Files, folders and links.
  package var entries: UInt64
  /// The bytes of all files.
  package var bytes: UInt64

  package init(entries: UInt64 = 1_000_000, bytes: UInt64 = 1 << 40) {
    (self.entries, self.bytes) = (entries, bytes)
  }

  /// The reason why a tree of these totals is too large, in words; nil if it is not.
  func problem(_ totals: TreeTotals) -> String? {
    if totals.entries > entries { return "it has more than \(entries) entries" }
    if totals.bytes > bytes { return "it has more than \(bytes) bytes" }
    return nil
  }
}
