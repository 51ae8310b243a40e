package import FilePackages

/// A place at which two trees differ.
package struct TreeDifference: Sendable, Hashable {
  /// The place.
  package var path: PackagePath
  /// The entry of the first tree; nil if it has none.
  package var old: TreeEntry?
  /// The entry of the second tree; nil if it has none.
  package var new: TreeEntry?

  package init(path: PackagePath, old: TreeEntry? = nil, new: TreeEntry? = nil) {
    (self.path, self.old, self.new) = (path, old, new)
  }
}

extension DocumentTree {
  /// Returns the places at which two trees differ, in order; reads only pages that one of them has alone.
  ///
  /// - Parameter old: the first tree; nil for an empty one.
  /// - Throws: as `forEachEntry(_:)`.
  package static func differences(
    from old: TreeRoot?, to new: TreeRoot, in blobs: BlobStore, limits: TreeLimits = TreeLimits()
  ) async throws -> [TreeDifference] {
    if old?.page == new.page { return [] }
    let reader = TreeReader(blobs, limits)
    var (left, right) = (TreeStream(reader), TreeStream(reader))
    if let old { try await left.open(old) }
    try await right.open(new)
    var differences: [TreeDifference] = []
    while left.head != nil || right.head != nil {
      switch (left.head, right.head) {
      case (.branch(let one)?, .branch(let other)?) where one.page == other.page:
        left.skip()
        right.skip()
      case (.entry(let one)?, .entry(let other)?) where one.path == other.path:
        if one != other { differences.append(TreeDifference(path: one.path, old: one, new: other)) }
        left.skip()
        right.skip()
      case (.entry(let one)?, _) where right.isAfter(one.path):
        differences.append(TreeDifference(path: one.path, old: one))
        left.skip()
      case (_, .entry(let other)?) where left.isAfter(other.path):
        differences.append(TreeDifference(path: other.path, new: other))
        right.skip()
      default: try await TreeStream.open(&left, &right)
      }
    }
    return differences
  }
}

/// The items of a tree in order. A page stays closed until the caller needs its items.
private struct TreeStream {
  private let reader: TreeReader
  /// The items that follow, the next one last, each with the level of its page.
  private var rest: [(item: TreeItem, level: UInt8)] = []
  /// All items that follow come after this path.
  private var after = PackagePath.root

  init(_ reader: TreeReader) { self.reader = reader }

  var head: TreeItem? { rest.last?.item }

  /// Returns whether no item that follows can have this path or an earlier one.
  func isAfter(_ path: PackagePath) -> Bool {
    switch head {
    case nil: true
    case .entry(let entry): path < entry.path
    case .branch: path <= after
    }
  }

  mutating func skip() {
    if let (item, _) = rest.popLast() { after = item.path }
  }

  mutating func open(_ root: TreeRoot) async throws { push(try await reader.page(at: .init(root))) }

  private mutating func push(_ page: TreePage) {
    rest += page.items.reversed().map { ($0, page.level) }
  }

  private mutating func openHead() async throws {
    guard let (item, level) = rest.last, case .branch(let branch) = item else { return }
    rest.removeLast()
    push(try await reader.page(at: .init(branch, level: level - 1, after: after)))
    reader.forget(branch.page)
  }

  /// The level of the next page; nil if the next item is no page.
  private var headLevel: UInt8? {
    if let (item, level) = rest.last, case .branch = item { level } else { nil }
  }

  /// Opens the next page of the stream whose page is higher, or of both.
  static func open(_ left: inout TreeStream, _ right: inout TreeStream) async throws {
    let (one, other) = (left.headLevel, right.headLevel)
    try await prefetch(left, right)
    if let one, one >= other ?? 0 { try await left.openHead() }
    if let other, other >= one ?? 0 { try await right.openHead() }
  }

  /// Reads the next pages that only one of the streams has, if the first of them is missing.
  private static func prefetch(_ left: TreeStream, _ right: TreeStream) async throws {
    let (ours, theirs) = (left.nextPages, right.nextPages)
    let (known, others) = (Set(ours), Set(theirs))
    try await left.reader.prefetch(ahead: ours.filter { !others.contains($0) })
    try await left.reader.prefetch(ahead: theirs.filter { !known.contains($0) })
  }

  /// The next pages of one level.
  private var nextPages: [BlobName] {
    guard let level = headLevel else { return [] }
    return rest.reversed().prefix { $0.level == level }.compactMap { $0.item.page }
  }
}
