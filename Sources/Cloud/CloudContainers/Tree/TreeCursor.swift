import FilePackages

/// The pages of one level of a tree, in order.
struct TreeCursor {
  private let reader: TreeReader
  private let root: TreeReader.Position
  private let level: UInt8
  /// The pages from the top to this level, each with the index of the item that leads on.
  private var way: [(page: TreePage, index: Int, after: PackagePath)] = []
  /// The page.
  private(set) var page = TreePage(level: 0, items: [])

  init(_ reader: TreeReader, _ root: TreeRoot, level: UInt8) {
    (self.reader, self.root, self.level) = (reader, .init(root), level)
  }

  /// Whether no page of this level comes after this one.
  var isLast: Bool { way.allSatisfy { $0.index == $0.page.items.count - 1 } }

  /// The page as the page above it names it; nil for the page of an empty tree.
  var branch: TreeBranch? {
    if let (above, index, _) = way.last, case .branch(let branch) = above.items[index] { return branch }
    return page.items.last.map { TreeBranch(lastPath: $0.path, page: root.page, totals: root.totals) }
  }

  /// Goes to the page that has a path or would have it: the first one that does not end before it, or the last one.
  mutating func seek(_ path: PackagePath) async throws {
    way = []
    try await descend(from: root) { items in
      items.firstIndex { path <= $0.path } ?? items.count - 1
    }
  }

  /// Goes to the next page; there is one unless `isLast`.
  mutating func advance() async throws {
    while let (page, index, _) = way.popLast() {
      guard index + 1 < page.items.count else { continue }
      let after = page.items[index].path
      guard case .branch(let branch) = page.items[index + 1] else { return }
      way.append((page, index + 1, after))
      try await descend(from: .init(branch, level: page.level - 1, after: after)) { _ in 0 }
      return
    }
  }

  private mutating func descend(
    from position: TreeReader.Position, _ choose: ([TreeItem]) -> Int
  ) async throws {
    page = try await reader.page(at: position)
    var after = position.after
    while page.level > level {
      let index = choose(page.items)
      guard case .branch(let branch) = page.items[index] else { return }
      if index > 0 { after = page.items[index - 1].path }
      way.append((page, index, after))
      page = try await reader.page(at: .init(branch, level: page.level - 1, after: after))
    }
  }
}
