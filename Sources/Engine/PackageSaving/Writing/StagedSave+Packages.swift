import DurableIO
package import FileTrees
import FoundationEssentials
package import PackageFormat
import SystemPackage

// The plans of packages that do not exist yet.
extension StagedSave {
  /// Plans a package of a tree.
  ///
  /// - Parameters:
  ///   - contentType: the document's type; nil for a package without metadata, unless
  ///     the tree has a `Metadata.plist` with values for it.
  ///   - databasePath: the path of the document's database in the tree.
  package init(
    creating snapshot: PackageSnapshot, at location: Location, contentType: UTType?,
    databasePath: String? = nil
  ) throws(FilePackageError) {
    try self.init(snapshot, nil, at: location, .create) { found in
      let values = snapshot.metadataRole == .values ? found : nil
      if contentType == nil && values == nil { return nil }
      var draft = MetadataDraft(new: contentType, values ?? [:], location)
      draft.databasePath = databasePath
      return draft
    }
  }

  /// Plans a package of a tree that is a copy of the document with those metadata, and must have its sums.
  package init(_ tree: FileWrapper, copying known: PackageMetadata, at location: Location)
    throws(FilePackageError)
  {
    try self.init(tree.snapshot(), nil, at: location, .copy) { values in
      MetadataDraft(copying: known, values, location)
    }
    summary = known.summary
  }

  /// Plans a copy of a document: of its own, with unsaved edits and an identifier of its own, and without a history.
  ///
  /// - Parameter history: whether the copy is the same document, as it was last saved, with its identifier and its
  ///   history. The tree then has no unsaved edits of a document with metadata, which the plan takes as they are.
  package init(
    copying package: OpenPackage, to location: Location, withHistory history: Bool
  ) throws(FilePackageError) {
    if try package.location.contains(location) {
      throw FilePackageError(
        .unsupported, .copy, StoredNode(location: location, path: .root),
        reason: "the copy would be in the original document")
    }
    try self.init(package.tree.snapshot(), package.node, at: location, .copy, withHistory: history) {
      values throws(FilePackageError) in
      if let known = try package.baseline.metadata.get() {
        return MetadataDraft(copying: known, values, location)
      }
      return values.map { MetadataDraft(new: nil, $0, location) }
    }
  }

  /// - Parameter draft: makes the metadata of a package without a history, with the application's values in the tree.
  private init(
    _ snapshot: PackageSnapshot, _ original: StoredNode?, at location: Location,
    _ operation: FilePackageError.Operation, withHistory history: Bool = false,
    _ draft: (_ values: [String: PropertyListValue]?) throws(FilePackageError) -> MetadataDraft?
  ) throws(FilePackageError) {
    do throws(FilePackageError) {
      guard case .directory(let changes) = snapshot.root.content else {
        throw FilePackageError(.notAPackage, operation, document: FileName(location.path).string)
      }
      if let hidden = changes[PackageLayout.hidden]?.now, hidden.stored == nil {
        throw FilePackageError(
          .reservedName, operation, StoredNode(location: location, path: PackagePath([PackageLayout.hidden])))
      }
      let folders = CopiedFolders(includesHistory: history)
      var plan = try SavePlan(making: snapshot, original: original, entering: folders.enter)
      (plan.original, plan.leftOut) = (original, folders.leftOut)
      var metadata: MetadataDraft?
      if !history {
        let (own, values) = try plan.withoutOurs(at: location, snapshot.metadataRole)
        metadata = try draft(values)
        plan = metadata == nil ? own : own.writingMetadata(over: nil)
      }
      var options = Options()
      (options.operation, options.sharesFiles) = (operation, false)
      options.isCancellable = operation == .copy
      self.init(plan, at: location, over: .absent, options: options, metadata: metadata)
    } catch {
      throw error.during(operation).of(location)
    }
  }
}

extension Location {
  /// Returns whether a place is in this package, or in a folder in it.
  fileprivate func contains(_ destination: Location) throws(FilePackageError) -> Bool {
    do {
      let package = try disk.status(of: try openDirectory(.root)).identity
      return try disk.isFolder(at: destination.path.folder, within: package)
    } catch {
      throw FilePackageError(
        error, .copy, StoredNode(location: destination, path: .root),
        activity: "opening the folder that contains it")
    }
  }
}
