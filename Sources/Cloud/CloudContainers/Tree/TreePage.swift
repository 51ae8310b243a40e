package import FilePackages

/// A page of a tree: entries in the order of their paths, or pages below it.
package struct TreePage: Sendable, Hashable {
  /// 0 for a page of entries; the pages of a page have a level that is one lower.
  package var level: UInt8
  /// The entries or pages, in order; none only for the page of an empty tree.
  package var items: [TreeItem]

  package init(level: UInt8, items: [TreeItem]) { (self.level, self.items) = (level, items) }

  /// The format that this version writes, and the newest that it reads.
  static let format: UInt8 = 1
  /// The highest level that a page may have.
  package static let maximumLevel: UInt8 = 12
  /// The size at which a page ends, whatever its paths are.
  static let fullSize = 32 << 10
  /// The size of the longest path or destination of a link, in bytes, with its names together.
  package static let maximumPathSize = 8 << 10
  /// The largest number of pieces that an entry has by itself; a list has more.
  package static let maximumPieces = 24
  /// The size of the largest page: a full one, and one more entry.
  package static let maximumSize = fullSize + 2 * maximumPathSize + maximumPieces * 40 + 256

  /// The sum over all items; nil if it is too large.
  package var totals: TreeTotals? {
    items.reduce(TreeTotals() as TreeTotals?) { $0?.adding($1.totals) }
  }

  /// Returns the highest level at which a page ends after this path, and one more; 0 for most paths.
  ///
  /// The path alone decides. So two trees have the same pages where they have the same entries.
  package static func rank(of path: PackagePath) -> UInt8 {
    let word = ContentHash(of: path.bytes).withUnsafeBytes { bytes in
      UInt64(littleEndian: bytes.load(as: UInt64.self))
    }
    // A page has 128 items on average. Above four levels only the size ends a page, so that chosen paths make no tower.
    return UInt8(min(word.trailingZeroBitCount / 7, 4))
  }
}

/// An entry, or a page below a page.
package enum TreeItem: Sendable, Hashable {
  case entry(TreeEntry)
  case branch(TreeBranch)

  /// The path of an entry, or of the last entry below a page.
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
    case .branch(let branch): branch.totals
    }
  }
}

/// A page as the page above it names it.
package struct TreeBranch: Sendable, Hashable {
  /// The path of the last entry below the page.
  package var lastPath: PackagePath
  /// The page.
  package var page: BlobName
  /// The sum over all entries below the page.
  package var totals: TreeTotals

  package init(lastPath: PackagePath, page: BlobName, totals: TreeTotals) {
    (self.lastPath, self.page, self.totals) = (lastPath, page, totals)
  }
}
