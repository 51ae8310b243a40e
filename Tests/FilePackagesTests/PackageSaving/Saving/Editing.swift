import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

/// An edit of a tree in memory.
enum Edit: Sendable {
  case put(String, String)
  case remove(String)
  case move(String, String)
  case link(String, to: String)
  case folder(String)
  case mode(String, Int)

  func apply(to tree: FileWrapper) throws {
    switch self {
    case .put(let path, let text):
      let (folder, name) = try Self.place(path, in: tree)
      if let old = try folder.child(named: name) { folder.removeFileWrapper(old) }
      folder.addRegularFile(withContents: Data(text.utf8), preferredFilename: name)
    case .remove(let path):
      let (folder, name) = try Self.place(path, in: tree)
      if let old = try folder.child(named: name) { folder.removeFileWrapper(old) }
    case .move(let from, let to):
      let (folder, name) = try Self.place(from, in: tree)
      let (newFolder, newName) = try Self.place(to, in: tree)
      guard let child = try folder.child(named: name) else { return }
      folder.removeFileWrapper(child)
      child.preferredFilename = newName
      newFolder.addFileWrapper(child)
    case .link(let path, let destination):
      let (folder, name) = try Self.place(path, in: tree)
      if let old = try folder.child(named: name) { folder.removeFileWrapper(old) }
      let link = FileWrapper(symbolicLinkWithDestinationURL: URL(filePath: destination))
      link.preferredFilename = name
      folder.addFileWrapper(link)
    case .folder(let path):
      let (folder, name) = try Self.place(path, in: tree)
      let child = FileWrapper(directoryWithFileWrappers: [:])
      child.preferredFilename = name
      folder.addFileWrapper(child)
    case .mode(let path, let mode):
      let (folder, name) = try Self.place(path, in: tree)
      guard let child = try folder.child(named: name) else { return }
      var attributes = child.fileAttributes
      attributes[FileAttributeKey.posixPermissions.rawValue] = UInt(mode)
      child.fileAttributes = attributes
    }
  }

  private static func place(_ path: String, in tree: FileWrapper) throws -> (FileWrapper, String) {
    var folder = tree
    let names = path.split(separator: "/").map(String.init)
    for name in names.dropLast() {
      guard let child = try folder.child(named: name) else {
        throw FilePackageError(.noSuchFile, .read, document: path)
      }
      folder = child
    }
    return (folder, names.last ?? path)
  }
}

extension PackageStore {
  /// Changes the tree as an application does before `save()`.
  func edit(_ edits: [Edit]) throws {
    for edit in edits { try edit.apply(to: tree) }
  }

  /// Returns the text of `Text.txt` in each version, the newest first; nil for a version that lost something.
  func versionTexts() throws -> [String?] {
    try versions().map { version in
      let (tree, lost) = try contents(of: version.persistentIdentifier)
      return lost.isEmpty ? try tree.regularFile(at: "Text.txt").text : nil
    }
  }

  /// Returns the metadata after a check of their sums; nil without metadata.
  @discardableResult
  func checkedMetadata(at location: SourceLocation = #_sourceLocation) throws -> PackageMetadata? {
    guard let metadata = try metadata() else { return nil }
    #expect(try ContentSummary(reading: tree.snapshot()) == metadata.summary, sourceLocation: location)
    return metadata
  }

  /// Reads every named child of the tree.
  func readEverything() throws {
    _ = try ContentSummary(reading: tree.snapshot())
  }

  /// Changes the bytes of a child.
  func put(_ path: String, _ text: String) throws {
    try Edit.put(path, text).apply(to: tree)
  }

  /// Changes the tree as an application does, and saves it.
  @discardableResult
  func save(_ edits: [Edit], options: SavingOptions = []) throws -> SaveReport {
    try edit(edits)
    return try save(options: options)
  }

  /// Saves edits, and counts the disk operations of the commit and of publishing apart.
  ///
  /// It runs without leaving the actor, so that no background publishing has begun.
  func save(_ edits: [Edit], options: SavingOptions = [], counting disk: CountingDisk) throws -> (
    report: SaveReport, commit: [DiskOperation: Int], publish: [DiskOperation: Int]
  ) {
    let start = disk.counts
    let report = try save(edits, options: options.union(.returnsAtCommit))
    let committed = disk.counts
    try publish()
    return (report, committed.since(start), disk.counts.since(committed))
  }

  /// Changes the bytes of a child, and saves them.
  @discardableResult
  func save(_ path: String, _ text: String, options: SavingOptions = []) throws -> SaveReport {
    try save([.put(path, text)], options: options)
  }

  nonisolated func saveAndClose(options: SavingOptions = []) async throws {
    try await save(options: options)
    try await close()
  }

  nonisolated func saveAndClose(_ path: String, _ text: String, options: SavingOptions = []) async throws {
    try await save(path, text, options: options)
    try await close()
  }
}

extension TestTree {
  /// Makes a document of this tree at a free place.
  @discardableResult
  func create(
    _ path: FilePath = CrashCheck.path, on disk: any Disk = PosixDisk()
  ) async throws(FilePackageError) -> PackageStore {
    let type = UTType(exportedAs: "com.example.trip")
    return try await PackageStore.create(wrapper, path, contentType: type, on: disk).store
  }

  /// The same tree in memory, as an application makes it.
  var wrapper: FileWrapper {
    switch self {
    case .file(let bytes, let mode):
      let file = FileWrapper(regularFileWithContents: Data(bytes))
      if mode != 0o644 {
        file.fileAttributes = [
          FileAttributeKey.type.rawValue: FileAttributeType.typeRegular,
          FileAttributeKey.posixPermissions.rawValue: UInt(mode),
        ]
      }
      return file
    case .link(let bytes):
      return FileWrapper(
        symbolicLinkWithDestinationURL: URL(filePath: String(decoding: bytes, as: UTF8.self)))
    case .directory, .other:
      return FileWrapper(
        directoryWithFileWrappers: Dictionary(
          uniqueKeysWithValues: entries.map { ($0.key.string, $0.value.wrapper) }))
    }
  }
}
