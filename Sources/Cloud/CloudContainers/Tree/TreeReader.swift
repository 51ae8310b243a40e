import FilePackages
import FoundationEssentials

/// Reads pages of trees, and keeps those that it is told to keep.
final class TreeReader {
  private let blobs: BlobStore
  private let limits: TreeLimits
  private var pages: [BlobName: TreePage] = [:]

  init(_ blobs: BlobStore, _ limits: TreeLimits = TreeLimits()) {
    (self.blobs, self.limits) = (blobs, limits)
  }

  /// The place of a page in its tree.
  struct Position: Sendable {
    var page: BlobName
    /// nil for the top page.
    var level: UInt8?
    /// All paths of the page come after this one.
    var after = PackagePath.root
    /// The last path of the page; nil for the top page.
    var lastPath: PackagePath?
    var totals: TreeTotals

    init(_ root: TreeRoot) { (page, totals) = (root.page, root.totals) }

    init(_ branch: TreeBranch, level: UInt8, after: PackagePath) {
      (page, self.level, self.after) = (branch.page, level, after)
      (lastPath, totals) = (branch.lastPath, branch.totals)
    }
  }

  /// Keeps a page that need not be read.
  func keep(_ page: TreePage, as name: BlobName) { pages[name] = page }

  /// Forgets a page.
  func forget(_ name: BlobName) { pages[name] = nil }

  /// Reads a page (DT2).
  func page(at position: Position) async throws -> TreePage {
    if position.level == nil, let problem = limits.problem(position.totals) {
      throw CloudDataError(.refused, in: blobs.place, blob: position.page, reason: problem)
    }
    let page: TreePage
    if let kept = pages[position.page] {
      page = kept
    } else {
      page = try await Self.read(position.page, from: blobs)
    }
    if let problem = page.problem(at: position) {
      throw CloudDataError(.invalid, in: blobs.place, blob: position.page, reason: problem)
    }
    pages[position.page] = page
    return page
  }

  /// Reads the first of these pages, eight at a time, unless the very first one is kept already.
  func prefetch(ahead names: [BlobName]) async throws {
    guard names.count > 1, pages[names[0]] == nil else { return }
    let blobs = blobs
    let missing = Set(names.prefix(2 * BlobStore.maximumCalls)).filter { pages[$0] == nil }
    let read = try await withThrowingTaskGroup(of: (BlobName, TreePage).self) { group in
      for name in missing { group.addTask { (name, try await Self.read(name, from: blobs)) } }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    pages.merge(read) { _, new in new }
  }

  @concurrent
  private static func read(_ name: BlobName, from blobs: BlobStore) async throws -> TreePage {
    let bytes = try await blobs.page(name, maximumSize: TreePage.maximumSize)
    do throws(TreePage.Problem) {
      return try TreePage(decoding: bytes)
    } catch {
      switch error {
      case .newerFormat: throw CloudDataError(.newerFormat, in: blobs.place, blob: name)
      case .damaged(let words):
        throw CloudDataError(.invalid, in: blobs.place, blob: name, reason: words)
      }
    }
  }
}

extension TreePage {
  /// The difference between the page and what its tree says of it, in words (DT2).
  fileprivate func problem(at position: TreeReader.Position) -> String? {
    if let level = position.level, level != self.level { return "its pages have wrong levels" }
    if totals != position.totals { return "its size is not what it says" }
    if let first = items.first, first.path <= position.after { return "its pages are out of order" }
    if let last = position.lastPath, last != items.last?.path { return "its pages are out of order" }
    return nil
  }
}

extension TreeReader {
  /// Calls `body` with each entry below a page, in order.
  func forEachEntry(at position: Position, _ body: (TreeEntry) async throws -> Void) async throws {
    let page = try await page(at: position)
    // Each page is read once.
    forget(position.page)
    var after = position.after
    for (index, item) in page.items.enumerated() {
      switch item {
      case .entry(let entry): try await body(entry)
      case .branch(let branch):
        try await prefetch(ahead: page.items[index...].prefix(2 * BlobStore.maximumCalls).compactMap(\.page))
        try await forEachEntry(at: Position(branch, level: page.level - 1, after: after), body)
        after = branch.lastPath
      }
    }
  }
}

extension TreeItem {
  /// The page below; nil for an entry.
  var page: BlobName? { if case .branch(let branch) = self { branch.page } else { nil } }
}
