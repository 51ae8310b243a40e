import FilePackages
import FoundationEssentials

/// Cuts a sequence of items into the pages of one level (DT1).
struct PageCutter {
  let level: UInt8
  private var writer: TreePageWriter
  private var totals = TreeTotals()
  private var last: PackagePath?

  init(level: UInt8) {
    self.level = level
    writer = TreePageWriter(level: level)
  }

  /// A finished page, and the item for the page above it.
  struct Cut {
    var bytes: Data
    var branch: TreeBranch
  }

  /// Whether no item waits for the end of its page.
  var isEmpty: Bool { last == nil }

  /// Adds the next item, and returns its page if the page ends after it.
  mutating func add(_ item: TreeItem) -> Cut? {
    writer.write(item)
    // No document has as many bytes as would be too many here: its entries were checked.
    totals = totals.adding(item.totals) ?? totals
    last = item.path
    let isEnd = writer.count >= TreePage.fullSize || TreePage.rank(of: item.path) > level
    return isEnd ? finish() : nil
  }

  /// Ends the last page; nil if it has no items.
  mutating func finish() -> Cut? {
    guard let last else { return nil }
    let bytes = writer.bytes
    let cut = Cut(bytes: bytes, branch: TreeBranch(lastPath: last, page: BlobName(of: bytes), totals: totals))
    self = PageCutter(level: level)
    return cut
  }
}
