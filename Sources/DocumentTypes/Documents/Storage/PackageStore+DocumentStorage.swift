import FilePackages
import FoundationEssentials

// Each method is one step on the store's thread.

extension PackageStore: DocumentStorage {
  func reload<Content: DocumentContent>(as type: Content.Type, with changes: TreeChanges?) throws -> Content {
    try reload { tree in
      try changes?.apply(to: tree)
      return try read(tree, as: type)
    }
  }

  /// Publishes committed saves, as far as it can: the tree soon belongs to another store.
  func detachedTree<Content: DocumentContent>(
    of content: Content
  ) throws -> (tree: FileWrapper, type: UTType?) {
    let metadata = try metadata()
    // A save that cannot be published stays in the log. That failure is often the reason for saving elsewhere.
    try? close()
    let written = try self.written(content)
    let type = metadata?.contentType.map { UTType($0.identifier) ?? contentType } ?? contentType
    if written !== tree, metadata != nil, !Content.seesMetadata { try dropOwnFiles(from: written) }
    return (written, metadata == nil ? nil : type)
  }

  func unsavedChanges<Content: DocumentContent>(of content: Content) throws -> TreeChanges {
    do {
      let written = try fileWrapper(of: content)
      // A new tree stands for all of the document.
      return written === tree ? try written.changes() : try TreeChanges(everythingIn: written)
    } catch {
      // The store cannot read the disk to compare: the copy gets the whole content. If there is none, the first error
      // counts.
      let new = try? content.newTree(at: nil).tree
      guard let new, new.isDirectory else { throw error }
      return try TreeChanges(everythingIn: new)
    }
  }

  func makeConflictVersion(of paths: [String]) throws { try keepConflict(paths) }

  func facts() -> StorageFacts {
    StorageFacts(
      contentType: contentType, modified: committedMetadata?.modificationDate ?? modificationDate,
      revision: committedMetadata?.revision.uuidString,
      identifier: committedMetadata?.identifier.uuidString, hasNewConflicts: !recoveryConflicts.isEmpty)
  }

  func finish(after report: SaveReport?) -> (report: SaveReport?, failure: FilePackageError?) {
    if let report {
      let (closed, failure) = closing(after: report)
      return (closed, failure)
    }
    do throws(FilePackageError) {
      try close()
      return (nil, nil)
    } catch {
      return (nil, error)
    }
  }
}
