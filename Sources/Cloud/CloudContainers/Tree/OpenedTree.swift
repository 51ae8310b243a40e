import FilePackages
import FoundationEssentials

/// A tree whose list of pages was read.
struct OpenedTree: Sendable {
  /// A page of entries, as the list has it.
  struct Page: Sendable, Hashable {
    var branch: TreeBranch
    /// All paths of the page come after this one.
    var after: PackagePath
  }

  /// The pages of entries, in order.
  let pages: [Page]
  private let blobs: BlobStore
  /// The entries of a tree of one page.
  private let entries: [TreeEntry]?

  /// Reads the list of a tree's pages, or its only page.
  ///
  /// - Throws: as `DocumentTree.entries()`.
  init(_ root: TreeRoot, _ blobs: BlobStore) async throws {
    if let problem = root.totals.problem() {
      throw CloudDataError(.refused, in: blobs.place, blob: root.page, reason: problem)
    }
    let top = try await Self.page(root.page, maximumSize: TreePage.maximumListSize, in: blobs)
    if top.totals != root.totals { throw Self.invalid(root.page, "its size is not what it says", in: blobs) }
    self.blobs = blobs
    var branches = top.items.compactMap { if case .branch(let branch) = $0 { branch } else { nil } }
    entries = top.level == 0 ? top.entries : nil
    if top.level == 0, let last = top.items.last {
      branches = [TreeBranch(lastPath: last.path, root: root)]
    }
    let ends = [.root] + branches.map(\.lastPath)
    pages = zip(branches, ends).map { Page(branch: $0, after: $1) }
  }

  /// Reads the entries of a page (DT2).
  func entries(of page: Page) async throws -> [TreeEntry] {
    if let entries { return entries }
    let name = page.branch.root.page
    let read = try await Self.page(name, maximumSize: TreePage.maximumSize, in: blobs)
    if read.level != 0 { throw Self.invalid(name, "its pages have wrong levels", in: blobs) }
    if read.totals != page.branch.root.totals {
      throw Self.invalid(name, "its size is not what it says", in: blobs)
    }
    guard let first = read.items.first, page.after < first.path,
      read.items.last?.path == page.branch.lastPath
    else { throw Self.invalid(name, "its pages are out of order", in: blobs) }
    return read.entries
  }

  /// Reads the entries of pages, eight pages at a time.
  func entries(of pages: some Collection<Page>) async throws -> [TreeEntry] {
    try await concurrentMap(pages, BlobStore.maximumCalls) { try await entries(of: $0) }.flatMap { $0 }
  }

  @concurrent
  private static func page(
    _ name: BlobName, maximumSize: Int, in blobs: BlobStore
  ) async throws -> TreePage {
    let bytes = try await blobs.page(name, maximumSize: maximumSize)
    do throws(TreePage.Problem) {
      return try TreePage(decoding: bytes)
    } catch {
      switch error {
      case .newerFormat: throw CloudDataError(.newerFormat, in: blobs.place, blob: name)
      case .damaged(let words): throw invalid(name, words, in: blobs)
      }
    }
  }

  private static func invalid(_ name: BlobName, _ reason: String, in blobs: BlobStore) -> CloudDataError {
    CloudDataError(.invalid, in: blobs.place, blob: name, reason: reason)
  }
}
