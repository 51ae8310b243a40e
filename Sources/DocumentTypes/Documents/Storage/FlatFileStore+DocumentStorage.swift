import FilePackages
import FoundationEssentials

// Each method is one step on the store's thread.

extension FlatFileStore: DocumentStorage {
  func save<Content: DocumentContent>(
    _ content: Content, options: PackageStore.SavingOptions
  ) throws -> SaveReport {
    try save(content)
  }

  func content<Content: DocumentContent>(as type: Content.Type) throws -> Content {
    try read(file, as: type)
  }

  func reload<Content: DocumentContent>(as type: Content.Type, with changes: TreeChanges?) throws -> Content {
    let changed = try changes?.onlyFile()
    return try reload { file in try read(changed ?? file, as: type) }
  }

  /// Every program sees a save of a flat file when it returns.
  func publish() {}

  func detachedTree(of content: some DocumentContent) throws -> (tree: FileWrapper, type: UTType?) {
    (try fileWrapper(of: content), nil)
  }

  func unsavedChanges<Content: DocumentContent>(of content: Content) throws -> TreeChanges {
    let folder = FileWrapper(directoryWithFileWrappers: [:])
    folder.addRegularFile(
      withContents: try fileWrapper(of: content).contents(), preferredFilename: url.lastPathComponent)
    return TreeChanges(files: folder, removed: [])
  }

  func changesByOthers() throws(FilePackageError) -> ExternalChanges {
    try isChangedByOthers() ? ExternalChanges(paths: [url.lastPathComponent]) : ExternalChanges()
  }

  func makeConflictVersion(of paths: [String]) throws {
    let theirs = try reload { file in
      let copy = FileWrapper(regularFileWithContents: try file.contents())
      copy.mergeMode = file.mergeMode
      return copy
    }
    try ConflictCopy.make(theirs, of: url, on: disk)
  }

  func conflictCopies() throws -> [ConflictCopy] { try ConflictCopy.all(of: url, on: disk) }

  func conflictVersions() throws -> [ConflictVersion] { try conflictCopies().map(\.version) }

  func hasConflicts() throws -> Bool { try !conflictCopies().isEmpty }

  func removeConflictVersions(_ versions: [ConflictVersion]) throws {
    // A copy that was written anew since is another version.
    let shown = Set(versions.flatMap(\.files))
    try remove(conflictCopies().filter { shown.isSuperset(of: $0.version.files) })
  }

  func remove(_ copies: [ConflictCopy]) throws {
    for copy in copies { try copy.remove(on: disk) }
  }

  func facts() -> StorageFacts {
    StorageFacts(contentType: contentType, modified: modificationDate, revision: revision)
  }

  /// The store holds nothing open between two calls.
  func finish(after report: SaveReport?) -> (report: SaveReport?, failure: FilePackageError?) {
    (report, nil)
  }

  /// The store holds nothing open between two calls.
  func relinquish() {}
}

extension TreeChanges {
  /// Returns the one file of a flat document.
  func onlyFile() throws -> FileWrapper {
    guard let file = try files.children().values.first, file.isRegularFile else {
      throw FilePackageError(.wrongKind, .open, document: "", reason: "the recovery copy has no file")
    }
    return file
  }
}
