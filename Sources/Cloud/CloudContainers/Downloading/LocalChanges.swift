import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage

/// The changes of a download to a package's tree in memory, with a look at each child that they replace or remove.
///
/// It reads those children, so it runs on a thread that may block.
struct LocalChanges {
  static let unknownChange = "it has changes that the container does not have yet"
  private static let metadata = PackagePath([PackageLayout.metadata])

  private let commit: DownloadCommit
  private let path: FilePath
  private let tree: FileWrapper
  private let isNew: Bool

  /// - Parameter isNew: whether the package is being made.
  init(_ commit: DownloadCommit, at path: FilePath, in tree: FileWrapper, isNew: Bool) {
    (self.commit, self.path, self.tree, self.isNew) = (commit, path, tree, isNew)
  }

  /// Changes the tree.
  ///
  /// - Throws: `changedOnDisk` for a child that is not as the container had it (DD2); `CloudDataError` for names that
  ///   differ only in case. The caller then gives up the tree.
  func apply(_ differences: [TreeDifference]) throws {
    let open = try differences.filter { try !isDone($0) }
    for difference in open { try check(difference) }
    let here = try contentsHere(differences)
    // Children go before their folders.
    for difference in open.reversed() where !difference.hasSameBytes { try remove(difference) }
    for difference in open { try put(difference, here) }
    for folder in Set(open.filter { $0.new != nil && $0.old == nil }.map(\.path.parent)) {
      try checkNames(in: folder)
    }
  }

  /// Returns the node at a path; nil if there is none, or if the path leads through a file, which is another difference.
  private func node(at path: PackagePath) throws -> FileWrapper? {
    do {
      return try tree.descendant(at: path.string)
    } catch let error as FilePackageError where error.code == .wrongKind {
      return nil
    }
  }

  // MARK: Looking

  /// Returns whether the tree has the new entry already, from a download that was cut short.
  private func isDone(_ difference: TreeDifference) throws -> Bool {
    guard !isNew, try isSame(node(at: difference.path), as: difference.new) else { return false }
    guard let old = difference.old, let new = difference.new else { return true }
    // Equal bytes may have another mode or date now.
    return !(difference.hasSameBytes && old != new)
  }

  /// Checks that a child is as the container had it (DD2).
  private func check(_ difference: TreeDifference) throws {
    if isNew { return }
    guard try isSame(node(at: difference.path), as: difference.old) else {
      throw changed(difference.path)
    }
  }

  private func isSame(_ node: FileWrapper?, as entry: TreeEntry?) throws -> Bool {
    guard let node, let entry else { return node == nil && entry == nil }
    switch entry.kind {
    case .directory: return node.isDirectory
    case .link(let destination):
      return node.isSymbolicLink ? try node.linkDestination() == destination : false
    case .file(let content):
      guard node.isRegularFile else { return false }
      if entry.path == Self.metadata, content.isSharedMetadata { return try sharedHash(node) == content.hash }
      return try node.regularFileSize == content.size && node.contentHash() == content.hash
    }
  }

  /// Returns the hash of the application's values in the metadata; nil if another program made the file.
  private func sharedHash(_ node: FileWrapper) throws -> ContentHash? {
    let bytes = try node.contents()
    guard let metadata = try? PackageMetadata(decoding: bytes) else { return nil }  // Another program's.
    return ContentHash(of: Array(try metadata.encodedApplicationValues()))
  }

  private func checkNames(in folder: PackagePath) throws {
    guard let node = folder.isRoot ? tree : try node(at: folder), node.isDirectory else { return }
    try EntryRules.check(
      try node.childNames().map { FileName($0) }, of: folder, in: commit.download.blobs.place)
  }

  // MARK: Changing

  private func remove(_ difference: TreeDifference) throws {
    // The metadata belong to the package.
    if difference.old == nil || difference.path == Self.metadata { return }
    if let node = try node(at: difference.path), node.isDirectory {
      // Another program's new child holds its folder.
      guard try node.childCount() == 0, try node.unsupportedNames().isEmpty else {
        throw changed(difference.path)
      }
    }
    try tree.removeDescendant(at: difference.path.string)
  }

  /// Returns files of the tree whose bytes are those of an old entry, by their hashes.
  private func contentsHere(_ differences: [TreeDifference]) throws -> [ContentHash: FileWrapper] {
    if isNew { return [:] }
    var contents: [ContentHash: FileWrapper] = [:]
    for entry in differences.compactMap(\.old) {
      guard let hash = entry.contentHash, let node = try node(at: entry.path), try isSame(node, as: entry)
      else { continue }
      contents[hash] = node
    }
    return contents
  }

  private func put(_ difference: TreeDifference, _ here: [ContentHash: FileWrapper]) throws {
    guard let entry = difference.new else { return }
    switch entry.kind {
    case .directory:
      let folder: FileWrapper
      if let old = try node(at: entry.path) {
        folder = old
      } else {
        folder = FileWrapper(directoryWithFileWrappers: [:])
        try tree.setDescendant(folder, at: entry.path.string)
      }
      // A save could not make the folder's entries without these bits.
      folder.setImported(mode: entry.mode | 0o700, modified: nil)
    case .link(let destination):
      try tree.setDescendant(FileWrapper.imported(linkTo: destination), at: entry.path.string)
    case .file(let content):
      if difference.hasSameBytes, let file = try node(at: entry.path) {
        file.setImported(mode: entry.mode, modified: content.modified)
      } else if let file = commit.fetched.wrapper(content, mode: entry.mode) {
        try tree.setDescendant(file, at: entry.path.string)
      } else if let old = here[content.hash] {
        let file = try old.newFile()
        file.setImported(mode: entry.mode, modified: content.modified)
        try tree.setDescendant(file, at: entry.path.string)
      } else {
        // Its bytes were here under another name, and a program changed them.
        throw changed(entry.path)
      }
    }
  }

  private func changed(_ child: PackagePath) -> FilePackageError {
    FilePackageError(
      .changedOnDisk, .save, document: FileName(path).string, child: child.display, reason: Self.unknownChange
    )
  }
}
