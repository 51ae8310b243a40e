package import FilePackages

// DT1 Each entry and the entries before it in its page decide alone whether the page ends after it: by the hash of its
//     path, or by the size of the page.
// DT2 A page is what the list of pages says: with these paths, and with this number of entries and bytes. So reading a
//     tree ends after as many entries as its root says.

/// The entries of a document in a container.
///
/// A page of sorted entries ends after a path whose hash says so. A tree of several pages has a list of them, and
/// each page is a blob, as the list is. So equal documents have equal roots, a change of one entry makes one new page
/// and a new list, and a comparison reads only pages that differ.
package struct DocumentTree: Sendable {
  /// The tree.
  package let root: TreeRoot
  /// The store of its pages.
  package let blobs: BlobStore

  package init(_ root: TreeRoot, _ blobs: BlobStore) { (self.root, self.blobs) = (root, blobs) }

  /// Stores the pages of a tree of these entries, which are in order.
  ///
  /// - Parameter blobs: the store; nil to compute the root alone.
  /// - Throws: `CloudDataError` for entries out of order and for an entry that no tree can have; `ObjectStoreError`;
  ///   `CancellationError`.
  package static func store(
    _ entries: some Sequence<TreeEntry>, in blobs: BlobStore?
  ) async throws -> TreeRoot {
    var writer = TreeWriter(blobs)
    var last = PackagePath.root
    for entry in entries {
      try entry.check(in: blobs)
      if entry.path <= last { throw entry.error("its entries are out of order", in: blobs) }
      last = entry.path
      try await writer.add(entry)
    }
    return try await writer.finish()
  }

  /// Stores the tree with some entries changed; reads and stores only the pages that have them, and the list.
  ///
  /// The new tree relies on the other pages of this one, which have to stay.
  ///
  /// - Parameter changes: the new entries by their paths; nil removes an entry, and does nothing if there is none.
  /// - Throws: as `store(_:in:)` and `entries()`.
  package func updated(with changes: [PackagePath: TreeEntry?]) async throws -> TreeRoot {
    if changes.isEmpty { return root }
    for case let entry? in changes.values { try entry.check(in: blobs) }
    let tree = try await OpenedTree(root, blobs)
    var writer = TreeWriter(blobs, known: Set(tree.pages.map(\.branch.root.page)).union([root.page]))
    var rest = changes.sorted { $0.key < $1.key }[...]
    for page in tree.pages {
      let own = page == tree.pages.last ? rest : rest.prefix { $0.key <= page.branch.lastPath }
      // From the end of an old page on, nothing differs up to the next change (DT1).
      if own.isEmpty, writer.isBetweenPages {
        writer.add(page.branch)
        continue
      }
      rest = rest.dropFirst(own.count)
      let kept = try await tree.entries(of: page).filter { changes[$0.path] == nil }
      for entry in (kept + own.compactMap(\.value)).sorted(by: { $0.path < $1.path }) {
        try await writer.add(entry)
      }
    }
    // Of an empty tree.
    for case let entry? in rest.map(\.value) { try await writer.add(entry) }
    return try await writer.finish()
  }

  // MARK: Reading

  /// Returns all entries, in order; a folder comes before its entries.
  ///
  /// - Throws: `CloudDataError` for pages that are missing, damaged, or beyond the limits; `ObjectStoreError`;
  ///   `CancellationError`.
  package func entries() async throws -> [TreeEntry] {
    let tree = try await OpenedTree(root, blobs)
    return try await tree.entries(of: tree.pages)
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
