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
  /// Returns the places at which two trees differ, in order; reads only pages that one of them has alone, and the lists.
  ///
  /// - Parameter old: the first tree; nil for an empty one.
  /// - Throws: as `entries()`.
  package static func differences(
    from old: TreeRoot?, to new: TreeRoot, in blobs: BlobStore
  ) async throws -> [TreeDifference] {
    if old?.page == new.page { return [] }
    let other = try await OpenedTree(new, blobs)
    let one = if let old { try await OpenedTree(old, blobs) } else { nil as OpenedTree? }
    // Between the same ends, both trees have the same entries (DT2).
    let shared = Set(one?.pages ?? []).intersection(other.pages)
    var left = try await one?.entries(of: one?.pages.filter { !shared.contains($0) } ?? [])[...] ?? []
    var right = try await other.entries(of: other.pages.filter { !shared.contains($0) })[...]
    var differences: [TreeDifference] = []
    while let path = [left.first?.path, right.first?.path].compactMap({ $0 }).min() {
      let old = left.first?.path == path ? left.removeFirst() : nil
      let new = right.first?.path == path ? right.removeFirst() : nil
      if old != new { differences.append(TreeDifference(path: path, old: old, new: new)) }
    }
    return differences
  }
}
