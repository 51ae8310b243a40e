import FilePackages
import FoundationEssentials

/// Builds the pages of a new tree, all levels at once, from items in order.
///
/// Memory: one page for each level, and the pages that wait for the store.
struct TreeBuilder {
  private var levels: [Level]
  private let lowest: UInt8
  private(set) var sink: PageSink

  private struct Level {
    var cutter: PageCutter
    /// The number of finished pages.
    var count = 0
    /// The first page, until a second one shows that it is not the top of the tree.
    var first: TreeBranch?
  }

  /// - Parameter level: the level of the pages that the items belong to.
  init(level: UInt8 = 0, _ sink: PageSink) {
    (lowest, self.sink) = (level, sink)
    levels = [Level(cutter: PageCutter(level: level))]
  }

  /// Adds the next item.
  mutating func add(_ item: TreeItem) async throws { try await add(item, at: 0) }

  private mutating func add(_ item: TreeItem, at index: Int) async throws {
    if index == levels.count { levels.append(Level(cutter: PageCutter(level: lowest + UInt8(index)))) }
    if let cut = levels[index].cutter.add(item) { try await take(cut, at: index) }
  }

  private mutating func take(_ cut: PageCutter.Cut, at index: Int) async throws {
    try await sink.add(cut.bytes)
    levels[index].count += 1
    if levels[index].count == 1 {
      levels[index].first = cut.branch
      return
    }
    if let first = levels[index].first {
      levels[index].first = nil
      try await add(.branch(first), at: index + 1)
    }
    try await add(.branch(cut.branch), at: index + 1)
  }

  /// Ends all pages, and returns the top of the tree after the store has them.
  mutating func finish() async throws -> TreeRoot {
    var index = 0
    while index < levels.count {
      if let cut = levels[index].cutter.finish() { try await take(cut, at: index) }
      if let top = levels[index].first {
        try await sink.finish()
        return TreeRoot(page: top.page, totals: top.totals)
      }
      index += 1
    }
    let empty = TreePage(level: 0, items: []).bytes
    try await sink.add(empty)
    try await sink.finish()
    return TreeRoot(page: BlobName(of: empty), totals: TreeTotals())
  }
}
