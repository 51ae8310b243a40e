package import DurableIO
package import FilePackages
import FoundationEssentials
import SystemPackage

/// The disk that documents are on, and how their stores behave.
package struct DocumentMedium: Sendable {
  package var disk: any Disk
  package var delays: PackageStore.Delays
  package var journalCapacity: Int
  /// Who saves.
  var program = SavingProgram.current

  package init(
    _ disk: any Disk = PosixDisk(), delays: PackageStore.Delays = .standard,
    journalCapacity: Int = PackageStore.journalCapacity
  ) {
    (self.disk, self.delays, self.journalCapacity) = (disk, delays, journalCapacity)
  }
}

/// Where an open document is on disk: a package or a single file. Everything here happens on the store's own thread.
enum DocumentStorage: Sendable {
  case package(PackageStore)
  case file(FlatFileStore)

  /// What is known of the document beside its content.
  struct Facts: Sendable {
    var contentType: UTType
    var modified: Date?
    /// Which state this is; nil for a package of another program's.
    var revision: String?
    /// Which document this is, wherever it is moved; nil for a single file and a package of another program's.
    var identifier: String?
    /// Whether somebody edited what was saved here before it was published.
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
      // The document type's own code may take its time, away from whoever edits.
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

  /// Reads the document anew; the storage is as before when that fails.
  func reload<Content: DocumentContent>(as type: Content.Type) async throws -> Content {
    switch self {
    case .package(let store): try await store.reload(as: type)
    case .file(let store): try await store.reload(as: type)
    }
  }

  // MARK: Recovery

  /// What the content has that the disk does not.
  func unsavedChanges<Content: DocumentContent>(of content: Content) async throws -> TreeChanges {
    switch self {
    case .package(let store):
      do {
        return try await store.unsavedChanges(of: content)
      } catch {
        // What is on disk cannot be read any more, to tell what differs: then it is all of the content.
        let new = try? await Self.newTree(of: content, from: nil, writingBeside: nil)
        guard let new, new.tree.isDirectory else { throw error }
        return try TreeChanges(everythingIn: new.tree)
      }
    case .file(let store): return try await store.unsavedChanges(of: content)
    }
  }

  /// Reads the document anew, with changes that are not on disk; the storage is as before when that fails.
  func apply<Content: DocumentContent>(
    _ changes: TreeChanges, as type: Content.Type
  ) async throws -> Content {
    switch self {
    case .package(let store): try await store.reload(as: type) { try changes.apply(to: $0) }
    case .file(let store): try await store.reload(as: type, insteadOf: changes.onlyFile())
    }
  }

  // MARK: Others

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

  /// What a watcher asks before it tells of anything.
  var knownState: any KnownState {
    switch self {
    case .package(let store): store
    case .file(let store): store
    }
  }

  // MARK: Looking

  /// How far the save is that is running.
  var savingProgress: ByteProgress {
    switch self {
    case .package(let store): store.savingProgress
    case .file(let store): store.savingProgress
    }
  }

  /// Reads nothing.
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

  /// Whether the folder that holds a document is there.
  static func hasFolder(of url: URL, on disk: any Disk) -> Bool {
    guard let path = try? FilePath(of: url, for: .read) else { return false }
    let folder = path.removingLastComponent()
    return (try? disk.openDirectory(at: folder.isEmpty ? "." : folder)) != nil
  }

  // MARK: Ending

  func publish() async throws(FilePackageError) {
    if case .package(let store) = self { try await store.publish() }
  }

  /// - Returns: the report of the save before, where there was one, with what ending came to; what could not be done.
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

// What has to happen in one step on the store's thread.

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
    // The document's own disk may be full.
    let written = try fileWrapper(of: content, writingBeside: nil)
    // A tree that was made anew stands for all of the document.
    return written === tree ? try written.changes() : try TreeChanges(everythingIn: written)
  }

  /// The tree with the content in it, to be made a document elsewhere. What waited to be published is published, as
  /// far as that can be: the tree soon belongs to another store.
  fileprivate func detachedTree<Content: DocumentContent>(
    of content: Content, writingBeside url: URL?
  ) throws -> (tree: FileWrapper, type: String?) {
    let metadata = try metadata()
    // What cannot be published stays in the journal, and the document is often saved elsewhere because of that.
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

  /// The file as it is on disk.
  func everything() throws -> TreeChanges {
    try reload { try $0.alone(as: url.lastPathComponent) }
  }
}

extension FileWrapper {
  /// The file in a folder of its own.
  fileprivate func alone(as name: String) throws -> TreeChanges {
    let folder = FileWrapper(directoryWithFileWrappers: [:])
    folder.addRegularFile(withContents: try contents(), preferredFilename: name)
    return TreeChanges(files: folder, removed: [])
  }
}

extension TreeChanges {
  /// The one file of a document that is a single one.
  fileprivate func onlyFile() throws -> FileWrapper {
    guard let file = try files.children().values.first, file.isRegularFile else {
      throw FilePackageError(.wrongKind, .open, document: "", reason: "the recovery copy has no file")
    }
    return file
  }
}
