package import DurableIO
package import FilePackages
import FoundationEssentials
import SystemPackage

/// The disk that documents are on, and the behaviour of their stores.
package struct DocumentMedium: Sendable {
  package var disk: any Disk
  package var delays: PackageStore.Delays
  package var journalCapacity: Int
  /// The program that saves.
  var program = SavingProgram.current

  package init(
    _ disk: any Disk = PosixDisk(), delays: PackageStore.Delays = .standard,
    journalCapacity: Int = PackageStore.journalCapacity
  ) {
    (self.disk, self.delays, self.journalCapacity) = (disk, delays, journalCapacity)
  }
}

/// The storage of an open document: a package or a flat file. The work runs on the store's own thread.
enum DocumentStorage: Sendable {
  case package(PackageStore)
  case file(FlatFileStore)

  /// The facts about a document beside its content.
  struct Facts: Sendable {
    var contentType: UTType
    var modified: Date?
    /// The state on disk; nil for a package of another program.
    var revision: String?
    /// The identity of the document, also after a move; nil for a flat file and a package of another program.
    var identifier: String?
    /// Whether another program edited saved children before they were published.
    var hasNewConflicts = false
  }

  // MARK: Opening and making

  static func open(
    _ url: URL, on medium: DocumentMedium
  ) async throws(FilePackageError) -> DocumentStorage {
    let path = try FilePath(of: url, for: .open)
    return try await BlockingThread().run { () throws(FilePackageError) in
      do throws(FilePackageError) {
        let store = try await PackageStore.open(
          path, on: medium.disk, journalCapacity: medium.journalCapacity, delays: medium.delays)
        await store.keepBaselines()
        await store.setProgram(medium.program)
        return .package(store)
      } catch {
        guard error.code == .notAPackage else { throw error }
        return .file(try FlatFileStore.open(path, on: medium.disk))
      }
    }
  }

  /// Makes a new document of the content, which may refer to children of `original`.
  static func create<Content: DocumentContent>(
    _ content: Content, from original: DocumentStorage?, at url: URL, writesMetadata: Bool,
    on medium: DocumentMedium
  ) async throws -> (storage: DocumentStorage, report: SaveReport) {
    let path = try FilePath(of: url, for: .create)
    let (tree, type) = try await newTree(
      of: content, from: original, writingBeside: medium.disk is PosixDisk ? url : nil)
    let made: (storage: DocumentStorage, report: SaveReport)
    made = try await BlockingThread().run { () throws(FilePackageError) in
      guard tree.isDirectory else {
        let (store, report) = try FlatFileStore.create(tree, path, on: medium.disk)
        return (.file(store), report)
      }
      let (store, report) = try await PackageStore.create(
        tree, path, contentType: writesMetadata ? type : nil, on: medium.disk,
        journalCapacity: medium.journalCapacity, delays: medium.delays, by: medium.program)
      await store.keepBaselines()
      return (.package(store), report)
    }
    await original?.relinquish()
    return made
  }

  private static func newTree<Content: DocumentContent>(
    of content: Content, from original: DocumentStorage?, writingBeside url: URL?
  ) async throws -> (tree: FileWrapper, type: String?) {
    switch original {
    case .package(let store): return try await store.detachedTree(of: content, writingBeside: url)
    case .file(let store): return (try await store.fileWrapper(of: content, writingBeside: url), nil)
    case nil:
      let type = Content.writableContentTypes.first ?? .package
      let configuration = FileDocumentWriteConfiguration(
        contentType: type, existingFile: nil, at: nil, writingBeside: url)
      // The document type's own code may take its time, on a thread beside the user's edits.
      let tree = try await BlockingThread().run { try content.fileWrapper(configuration: configuration) }
      return (tree, type.identifier)
    }
  }

  // MARK: Content

  func content<Content: DocumentContent>(as type: Content.Type) async throws -> Content {
    switch self {
    case .package(let store): try await store.content(as: type)
    case .file(let store): try await store.content(as: type)
    }
  }

  func save<Content: DocumentContent>(
    _ content: Content, _ options: PackageStore.SavingOptions
  ) async throws -> SaveReport {
    switch self {
    case .package(let store): try await store.save(content, options: options)
    case .file(let store): try await store.save(content)
    }
  }

  /// Reads the document again; if that fails, the storage is as before.
  func reload<Content: DocumentContent>(as type: Content.Type) async throws -> Content {
    switch self {
    case .package(let store): try await store.reload(as: type)
    case .file(let store): try await store.reload(as: type)
    }
  }

  // MARK: Recovery

  /// Returns the changes of the content that are not on disk.
  func unsavedChanges<Content: DocumentContent>(of content: Content) async throws -> TreeChanges {
    switch self {
    case .package(let store):
      do {
        return try await store.unsavedChanges(of: content)
      } catch {
        // The store cannot read the disk to compare: the copy gets the whole content.
        let new = try? await Self.newTree(of: content, from: nil, writingBeside: nil)
        guard let new, new.tree.isDirectory else { throw error }
        return try TreeChanges(everythingIn: new.tree)
      }
    case .file(let store): return try await store.unsavedChanges(of: content)
    }
  }

  /// Reads the document again, with changes that are not on disk; if that fails, the storage is as before.
  func apply<Content: DocumentContent>(
    _ changes: TreeChanges, as type: Content.Type
  ) async throws -> Content {
    switch self {
    case .package(let store): try await store.reload(as: type) { try changes.apply(to: $0) }
    case .file(let store): try await store.reload(as: type, insteadOf: changes.onlyFile())
    }
  }

  // MARK: Other programs

  func changesByOthers() async throws(FilePackageError) -> ExternalChanges {
    switch self {
    case .package(let store): return try await store.changesByOthers()
    case .file(let store):
      guard try await store.isChangedByOthers() else { return ExternalChanges() }
      return ExternalChanges(paths: [await store.url.lastPathComponent])
    }
  }

  func follow(to url: URL) async throws(FilePackageError) {
    switch self {
    case .package(let store): try await store.follow(to: url)
    case .file(let store): try await store.follow(to: url)
    }
  }

  /// The state that a watcher compares before it tells of an event.
  var knownState: any WatchBaseline {
    switch self {
    case .package(let store): store
    case .file(let store): store
    }
  }

  // MARK: Looking

  /// The progress of the running save.
  var savingProgress: ByteProgress {
    switch self {
    case .package(let store): store.savingProgress
    case .file(let store): store.savingProgress
    }
  }

  /// Returns the facts without reading the disk.
  func facts() async -> Facts {
    switch self {
    case .package(let store): await store.facts()
    case .file(let store): await store.facts()
    }
  }

  func hasConflicts() async throws(FilePackageError) -> Bool {
    guard case .package(let store) = self else { return false }
    return try await store.hasConflicts()
  }

  /// Returns whether the folder that holds a document is there.
  static func hasFolder(of url: URL, on disk: any Disk) -> Bool {
    guard let path = try? FilePath(of: url, for: .read) else { return false }
    let folder = path.removingLastComponent()
    return (try? disk.openDirectory(at: folder.isEmpty ? "." : folder)) != nil
  }

  // MARK: Ending

  func publish() async throws(FilePackageError) {
    if case .package(let store) = self { try await store.publish() }
  }

  /// Closes the storage.
  ///
  /// - Returns: the report of the save before, if there was one, with the outcome of the close; the failure, if there
  ///   is one.
  func close(after report: SaveReport?) async -> (report: SaveReport?, failure: FilePackageError?) {
    guard case .package(let store) = self else { return (report, nil) }
    if let report {
      let (closed, failure) = await store.closing(after: report)
      return (closed, failure)
    }
    do throws(FilePackageError) {
      try await store.close()
      return (nil, nil)
    } catch {
      return (nil, error)
    }
  }

  /// Lets go of a document that is no longer there.
  func relinquish() async {
    if case .package(let store) = self { await store.relinquish() }
  }
}

// Steps that the store's thread runs without a break.

extension PackageStore {
  fileprivate func facts() -> DocumentStorage.Facts {
    DocumentStorage.Facts(
      contentType: contentType, modified: committedMetadata?.modified ?? modificationDate,
      revision: committedMetadata?.revision.uuidString,
      identifier: committedMetadata?.identifier.uuidString, hasNewConflicts: !recoveryConflicts.isEmpty)
  }

  fileprivate func reload<Content: DocumentContent>(
    as type: Content.Type, changing change: ((FileWrapper) throws -> Void)? = nil
  ) throws -> Content {
    try reload { tree in
      try change?(tree)
      let place = change == nil ? place(for: type) : nil
      return try Content(
        configuration: FileDocumentReadConfiguration(contentType: contentType, file: tree, at: place))
    }
  }

  fileprivate func unsavedChanges<Content: DocumentContent>(of content: Content) throws -> TreeChanges {
    // The copy is not written beside the document, whose disk may be full.
    let written = try fileWrapper(of: content, writingBeside: nil)
    // A new tree stands for all of the document.
    return written === tree ? try written.changes() : try TreeChanges(everythingIn: written)
  }

  /// Returns the tree with the content in it, for a new document elsewhere. It publishes committed saves, as far as it
  /// can: the tree soon belongs to another store.
  fileprivate func detachedTree<Content: DocumentContent>(
    of content: Content, writingBeside url: URL?
  ) throws -> (tree: FileWrapper, type: String?) {
    let metadata = try metadata()
    // A save that cannot be published stays in the journal. That failure is often the reason for saving elsewhere.
    try? close()
    let type = metadata?.contentType.map { UTType($0) ?? contentType } ?? contentType
    let configuration = FileDocumentWriteConfiguration(
      contentType: type, existingFile: tree, at: place(for: Content.self), writingBeside: url)
    return (try content.fileWrapper(configuration: configuration), metadata == nil ? nil : type.identifier)
  }
}

extension FlatFileStore {
  fileprivate func facts() -> DocumentStorage.Facts {
    DocumentStorage.Facts(contentType: contentType, modified: modificationDate, revision: revision)
  }

  fileprivate func reload<Content: DocumentContent>(
    as type: Content.Type, insteadOf file: FileWrapper? = nil
  ) throws -> Content {
    try reload { now in
      try Content(
        configuration: FileDocumentReadConfiguration(
          contentType: contentType, file: file ?? now, at: file == nil && isOnRealDisk ? url : nil))
    }
  }

  fileprivate func unsavedChanges<Content: DocumentContent>(of content: Content) throws -> TreeChanges {
    try fileWrapper(of: content, writingBeside: nil).alone(as: url.lastPathComponent)
  }

  /// Returns the file as it is on disk.
  func everything() throws -> TreeChanges {
    try reload { try $0.alone(as: url.lastPathComponent) }
  }
}

extension FileWrapper {
  /// Returns the file in a folder of its own.
  fileprivate func alone(as name: String) throws -> TreeChanges {
    let folder = FileWrapper(directoryWithFileWrappers: [:])
    folder.addRegularFile(withContents: try contents(), preferredFilename: name)
    return TreeChanges(files: folder, removed: [])
  }
}

extension TreeChanges {
  /// Returns the one file of a flat document.
  fileprivate func onlyFile() throws -> FileWrapper {
    guard let file = try files.children().values.first, file.isRegularFile else {
      throw FilePackageError(.wrongKind, .open, document: "", reason: "the recovery copy has no file")
    }
    return file
  }
}
