import Documents
import DurableIO
import FoundationEssentials
import SystemPackage
import TestSupport

/// A document of pages: a text file each.
struct Pages: DocumentContent, Equatable {
  static var readableContentTypes: [UTType] {
    [UTType(exportedAs: "org.example.pages", conformingTo: .package)]
  }

  var pages: [String: String]

  init(_ pages: [String: String]) { self.pages = pages }

  subscript(name: String) -> String? {
    get { pages[name] }
    set { pages[name] = newValue }
  }

  struct NotText: Error {}

  init(configuration: ReadConfiguration) throws {
    pages = [:]
    let tree = configuration.file
    for name in try tree.regularFileNames() where name.hasSuffix(".txt") {
      guard let file = try tree.child(named: name),
        let text = String(validating: try file.contents(), as: UTF8.self), text != Self.unreadable
      else { throw NotText() }
      pages[name] = text
    }
  }

  /// A page that cannot be written.
  static let poison = "poison"
  /// A page that cannot be read.
  static let unreadable = "unreadable"

  func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
    let tree = configuration.existingFile ?? FileWrapper(directoryWithFileWrappers: [:])
    if pages.values.contains(Self.poison) { throw NotText() }
    for name in try tree.regularFileNames() where name.hasSuffix(".txt") && pages[name] == nil {
      try tree.removeDescendant(at: name)
    }
    for (name, text) in pages {
      let data = Data(text.utf8)
      if let old = try tree.child(named: name) {
        if try old.contents() == data { continue }
        tree.removeFileWrapper(old)
      }
      tree.addRegularFile(withContents: data, preferredFilename: name)
    }
    return tree
  }
}

/// A flat document.
struct Plain: DocumentContent, Equatable {
  static var readableContentTypes: [UTType] { [.plainText] }

  var text: String

  init(_ text: String) { self.text = text }

  init(configuration: ReadConfiguration) throws {
    text = String(decoding: try configuration.file.contents(), as: UTF8.self)
  }

  func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
    FileWrapper(regularFileWithContents: Data(text.utf8))
  }
}

extension DocumentOptions {
  /// Options without timed work, with recovery copies in this folder.
  static func quiet(_ folder: URL?, _ change: (inout DocumentOptions) -> Void = { _ in }) -> DocumentOptions {
    var options = DocumentOptions()
    options.autosave = nil
    options.recoveryFolder = folder
    change(&options)
    return options
  }
}

extension StorageEnvironment {
  /// A disk without timed work.
  static func test(_ disk: any Disk) -> StorageEnvironment {
    StorageEnvironment(disk, delays: .none, logCapacity: 24 << 10)
  }
}

typealias Trip = DocumentFixture<Pages>

/// A place for one document on a disk in memory.
struct DocumentFixture<Content: DocumentContent> {
  static var url: URL { URL(filePath: "/Trip.pages", directoryHint: .notDirectory) }
  static var path: FilePath { "/Trip.pages" }
  static var recovery: URL { URL(filePath: "/Recovery", directoryHint: .isDirectory) }

  static func open(
    on disk: any Disk, recoveryDisk: (any Disk)? = nil,
    _ change: (inout DocumentOptions<Content>) -> Void = { _ in }
  ) async throws -> Document<Content> {
    let document = Document<Content>(
      fileURL: url, options: .quiet(recovery, change), on: .test(disk), recoveryDisk: recoveryDisk)
    try await document.open()
    return document
  }

  static func create(
    _ content: Content, at url: URL = Self.url, on disk: any Disk, recoveryDisk: (any Disk)? = nil,
    _ change: (inout DocumentOptions<Content>) -> Void = { _ in }
  ) async throws -> Document<Content> {
    let document = Document(
      fileURL: url, content: content, options: .quiet(recovery, change), on: .test(disk),
      recoveryDisk: recoveryDisk)
    try await document.save(to: url, for: .forCreating)
    return document
  }
}

extension Disk {
  /// Writes a file as another program would: beside its place, with a rename to it.
  func replace(_ name: FileName, _ text: String, in folder: FilePath) throws {
    let directory = try openDirectory(at: folder)
    try makeFile("other-program", Array(text.utf8), in: directory)
    // A disk in memory has a clock of its own, which is behind that of the saves.
    try setModified(Environment.current.now(), of: "other-program", in: directory)
    try rename("other-program", in: directory, to: name, in: directory, .replace)
  }

  /// Writes over a file in place, as another program would.
  func overwrite(_ name: FileName, _ text: String, in folder: FilePath) throws {
    let file = try openFileForWriting(name, in: openDirectory(at: folder))
    try writeAll(Array(text.utf8), to: file)
    try resize(file, to: UInt64(text.utf8.count))
    try setModified(Environment.current.now(), of: file)
  }

  func text(_ name: FileName, in folder: FilePath) throws -> String {
    String(decoding: try contents(of: name, in: openDirectory(at: folder)), as: UTF8.self)
  }

  func holds(_ name: FileName, in folder: FilePath) throws -> Bool {
    let listing = try list(openDirectory(at: folder))
    return listing.position(of: name) != nil
  }
}

extension LiveDocument {
  /// Saves, and waits until the visible files are those of the save.
  func saveAndPublish() async throws {
    try await save()
    try await synchronize()
  }
}
