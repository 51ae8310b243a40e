import FilePackages
import FoundationEssentials

/// Cuts entries into pages (DT1), and stores the pages and their list. It holds few pages in memory.
struct TreeWriter {
  /// The store of the pages; nil if the caller needs only the root.
  private let blobs: BlobStore?
  /// The pages that the store has.
  private let known: Set<BlobName>
  private var page = TreePageWriter(level: 0)
  private var totals = TreeTotals()
  /// The last entry's path; nil between two pages.
  private var last: PackagePath?
  private var branches: [TreeBranch] = []
  private var waiting: [Data] = []

  init(_ blobs: BlobStore?, known: Set<BlobName> = []) { (self.blobs, self.known) = (blobs, known) }

  /// Whether the next entry begins a page.
  var isBetweenPages: Bool { last == nil }

  /// Adds the next entry.
  mutating func add(_ entry: TreeEntry) async throws {
    page.write(.entry(entry))
    // No document has as many bytes as would be too many here: its entries were checked.
    totals = totals.adding(TreeItem.entry(entry).totals) ?? totals
    last = entry.path
    if page.count >= TreePage.fullSize || TreePage.isEnd(entry.path) { try await endPage() }
  }

  /// Adds the next page, which the store has, between two pages.
  mutating func add(_ branch: TreeBranch) { branches.append(branch) }

  /// Ends the last page, and returns the tree after the store has all pages.
  ///
  /// - Throws: `CloudDataError` if the list of pages is too large; the errors of the store.
  mutating func finish() async throws -> TreeRoot {
    try await endPage()
    if branches.count == 1 {
      try await flush()
      return branches[0].root
    }
    let top = TreePage(level: branches.isEmpty ? 0 : 1, items: branches.map { .branch($0) })
    let bytes = top.bytes
    guard bytes.count <= TreePage.maximumListSize, let totals = top.totals else {
      throw CloudDataError(
        .refused, in: blobs?.place ?? "this machine", reason: "its entries need too many pages")
    }
    let name = try await put(bytes)
    try await flush()
    return TreeRoot(page: name, totals: totals)
  }

  private mutating func endPage() async throws {
    guard let last else { return }
    let root = TreeRoot(page: try await put(page.bytes), totals: totals)
    branches.append(TreeBranch(lastPath: last, root: root))
    (page, totals, self.last) = (TreePageWriter(level: 0), TreeTotals(), nil)
  }

  private mutating func put(_ bytes: Data) async throws -> BlobName {
    let name = BlobName(of: bytes)
    if blobs != nil, !known.contains(name) { waiting.append(bytes) }
    if waiting.count >= 4 * BlobStore.maximumCalls { try await flush() }
    return name
  }

  private mutating func flush() async throws {
    guard let blobs else { return }
    // The names are known.
    _ = try await concurrentMap(waiting, BlobStore.maximumCalls) { try await blobs.putPage($0) }
    waiting = []
  }
}
