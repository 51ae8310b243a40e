package import FilePackages

/// A page of a tree: entries in the order of their paths; or the list of such pages, if there are several.
package struct TreePage: Sendable, Hashable {
  /// 0 for a page of entries, 1 for the list of pages.
  package var level: UInt8
  /// The entries or pages, in order; none only for the page of an empty tree.
  package var items: [TreeItem]

  package init(level: UInt8, items: [TreeItem]) { (self.level, self.items) = (level, items) }

  /// The format that this version writes, and the newest that it reads.
  static let format: UInt8 = 1
  /// The size of the largest list of pages.
  static let maximumListSize = BlobStore.maximumSize
  /// The size at which a page ends, whatever its paths are.
  static let fullSize = 32 << 10
  /// The size of the longest path or destination of a link, in bytes, with its names together.
  package static let maximumPathSize = 8 << 10
  /// The size of the largest page: a full one, and one more entry.
  package static let maximumSize = fullSize + 2 * maximumPathSize + 256

  /// The sum over all items; nil if it is too large.
  package var totals: TreeTotals? {
    items.reduce(TreeTotals() as TreeTotals?) { $0?.adding($1.totals) }
  }

  /// The entries of a page of entries.
  var entries: [TreeEntry] { items.compactMap { if case .entry(let entry) = $0 { entry } else { nil } } }

  /// Returns whether a page ends after this path; a page has 128 entries on average.
  ///
  /// The path alone decides. So two trees have the same pages where they have the same entries.
  package static func isEnd(_ path: PackagePath) -> Bool {
    ContentHash(of: path.bytes).withUnsafeBytes { $0[0] & 127 == 0 }
  }
}

/// An entry, or a page in the list of pages.
package enum TreeItem: Sendable, Hashable {
  case entry(TreeEntry)
  case branch(TreeBranch)

  /// The path of an entry, or of the last entry of a page.
  package var path: PackagePath {
    switch self {
    case .entry(let entry): entry.path
    case .branch(let branch): branch.lastPath
    }
  }

  /// The numbers of entries and bytes.
  package var totals: TreeTotals {
    switch self {
    case .entry(let entry): TreeTotals(entries: 1, bytes: entry.size)
    case .branch(let branch): branch.root.totals
    }
  }
}

/// A page as the list of pages names it.
package struct TreeBranch: Sendable, Hashable {
  /// The path of the last entry.
  package var lastPath: PackagePath
  /// The page, with the sum over all entries.
  package var root: TreeRoot

  package init(lastPath: PackagePath, root: TreeRoot) { (self.lastPath, self.root) = (lastPath, root) }
}
