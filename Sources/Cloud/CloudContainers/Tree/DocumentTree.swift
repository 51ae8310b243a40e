package import FilePackages

// DT1 Each item and the items before it in its page decide alone whether the page ends after it: by the rank of its
//     path, or by the size of the page.
// DT2 A page is what the page above it says: of the next lower level, with these paths, and with this number of
//     entries and bytes. So reading a tree ends after as many entries as its root says.

/// The entries of a document in a container: a Merkle search tree.
///
/// Sorted entries are cut into pages where the hash of a path says so, pages are cut into pages above them, and each
/// page is a blob. So equal documents have equal roots, a change of one entry makes one new page on each level, and a
/// comparison reads only pages that differ.
package struct DocumentTree: Sendable {
  /// The tree.
  package let root: TreeRoot
  /// The store of its pages.
  package let blobs: BlobStore
  let limits: TreeLimits

  package init(_ root: TreeRoot, _ blobs: BlobStore, limits: TreeLimits = TreeLimits()) {
    (self.root, self.blobs, self.limits) = (root, blobs, limits)
  }

  /// Stores the pages of a tree of these entries, which are in order.
  ///
  /// - Parameter blobs: the store; nil to compute the root alone.
  /// - Throws: `CloudDataError` for entries out of order and for an entry that no tree can have; `ObjectStoreError`;
  ///   `CancellationError`.
  package static func store(
    _ entries: some Sequence<TreeEntry>, in blobs: BlobStore?
  ) async throws -> TreeRoot {
    var builder = TreeBuilder(PageSink(blobs))
    var last = PackagePath.root
    for entry in entries {
      try entry.check(in: blobs)
      if entry.path <= last { throw entry.error("its entries are out of order", in: blobs) }
      last = entry.path
      try await builder.add(.entry(entry))
    }
    return try await builder.finish()
  }

  // MARK: Reading

  /// Calls `body` with each entry, in order; a folder comes before its entries.
  ///
  /// - Throws: `CloudDataError` for pages that are missing, damaged, or beyond the limits; `ObjectStoreError`;
  ///   `CancellationError`; the errors of `body`.
  package func forEachEntry(_ body: (TreeEntry) async throws -> Void) async throws {
    try await TreeReader(blobs, limits).forEachEntry(at: .init(root), body)
  }

  /// Returns all entries, in order.
  ///
  /// - Throws: as `forEachEntry(_:)`.
  package func entries() async throws -> [TreeEntry] {
    var entries: [TreeEntry] = []
    try await forEachEntry { entries.append($0) }
    return entries
  }

  /// Returns the entry at a path; nil if there is none. Cost: one page of each level.
  ///
  /// - Throws: as `forEachEntry(_:)`.
  package func entry(at path: PackagePath) async throws -> TreeEntry? {
    var cursor = TreeCursor(TreeReader(blobs, limits), root, level: 0)
    try await cursor.seek(path)
    for case .entry(let entry) in cursor.page.items where entry.path == path { return entry }
    return nil
  }
}

extension TreeEntry {
  /// - Throws: `CloudDataError` if no tree can have the entry.
  func check(in blobs: BlobStore?) throws {
    if let problem { throw error(problem, in: blobs) }
  }

  func error(_ reason: String, in blobs: BlobStore?) -> CloudDataError {
    CloudDataError(.refused, in: blobs?.place ?? "this machine", child: path.display, reason: reason)
  }
}
