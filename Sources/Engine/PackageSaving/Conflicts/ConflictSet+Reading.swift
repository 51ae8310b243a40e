import DurableIO
package import FileTrees
package import FoundationEssentials
package import PackageFormat

extension ConflictSet {
  /// Returns whether a name in a package's own folder may be that of a conflict copy.
  package static func mayHaveAny(in package: OpenPackage) throws(FilePackageError) -> Bool {
    if try !package.location.keptConflicts().isEmpty { return true }
    let listing = if let known = package.tree.knownListing { known } else { try package.node.list() }
    return listing.fileNames.contains { ConflictName.mayBeCopy($0) }
  }

  /// Returns the entry of a version.
  ///
  /// - Throws: `noSuchVersion`.
  func entry(_ id: UUID) throws(FilePackageError) -> Entry {
    guard let entry = self[id] else {
      throw FilePackageError(
        .noSuchVersion, .read, package.node, reason: "no version '\(id.uuidString)' is in conflict with it")
    }
    return entry
  }

  /// Returns the document of a version; nil stands for the document on disk, without the conflict copies.
  package func contents(of id: UUID?) throws(FilePackageError) -> FileWrapper {
    let tree = try id == nil ? package.savedTree() : package.newTree()
    return try package.node.attempt(.read) {
      try apply(id.map { try entry($0) }, to: tree)
      return tree
    }
  }

  /// Returns the last common state of a version and the document on disk; nil if it is not known.
  package func commonAncestor(of id: UUID) throws(FilePackageError) -> FileWrapper? {
    try package.node.attempt(.read) { try base(of: entry(id)) }
  }

  /// Makes the error for a version that has other files than the version that was shown.
  func hasChanged(_ version: ConflictVersion) -> FilePackageError {
    FilePackageError(
      .changedOnDisk, .save, package.node,
      reason: "version '\(version.id.uuidString.prefix(8))' has more files now than when it was listed")
  }
}

extension ConflictVersion {
  /// Makes the error for a version that lacks a child, and so cannot become the document.
  package func lacks(_ child: String, at location: Location) -> FilePackageError {
    FilePackageError(
      .noSuchVersion, .read, StoredNode(location: location, path: PackagePath(child)),
      reason: "version '\(id.uuidString.prefix(8))' has lost it; "
        + "that version can become a document of its own, without it")
  }
}
