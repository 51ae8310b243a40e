import Documents
import DurableIO
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// A folder whose children are all texts: it makes a new tree for each save, and refuses any other child.
private struct Notebook: FileDocument, Equatable {
  static var readableContentTypes: [UTType] { [.package] }
  var texts: [String: String]

  init(_ texts: [String: String]) { self.texts = texts }

  init(configuration: ReadConfiguration) throws {
    guard let children = configuration.file.fileWrappers else { throw CocoaError(.fileReadCorruptFile) }
    texts = try children.mapValues { child in
      guard let data = child.regularFileContents, let text = String(validating: data, as: UTF8.self) else {
        throw CocoaError(.fileReadCorruptFile)
      }
      return text
    }
    // Each way of looking tells the same.
    let names = texts.keys.sorted()
    #expect(try configuration.file.childNames() == names)
    #expect(try configuration.file.regularFileNames() == names)
    #expect(try configuration.file.childCount() == names.count)
    #expect(try configuration.file.child(named: "Metadata.plist") == nil || names.contains("Metadata.plist"))
  }

  func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
    // The file of that name is the content's own.
    if let plist = try configuration.existingFile?.child(named: "Metadata.plist") {
      #expect(throws: PackageMetadata.Problem.self) { try PackageMetadata(decoding: plist.contents()) }
    }
    return FileWrapper(
      directoryWithFileWrappers: texts.mapValues { FileWrapper(regularFileWithContents: Data($0.utf8)) })
  }
}

@Suite("The children of a content", .temporaryDirectory)
struct OwnChildrenTests {
  private static func names(_ url: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url.path).filter { $0 != ".docpkg" }.sorted()
  }

  private static func options(writesMetadata: Bool) -> DocumentOptions<Notebook> {
    .quiet(nil) { $0.writesMetadata = writesMetadata }
  }

  @Test(arguments: [true, false]) func `are its own, with and without metadata`(writes: Bool) async throws {
    let options = Self.options(writesMetadata: writes)
    let ours = writes ? ["Metadata.plist"] : []
    let url = url("Notes.notebook")
    let document = try await Document.create(Notebook(["a.txt": "one"]), at: url, options: options)
    try await document.edit { $0.texts["b.txt"] = "two" }
    try await document.save()
    // Other programs see a save some time after its return.
    try await document.synchronize()
    #expect(try Self.names(url) == ours + ["a.txt", "b.txt"])
    try await document.edit { $0.texts["a.txt"] = nil }
    try await document.undo()
    try await document.close()

    let again = try await Document<Notebook>.open(at: url, options: options)
    #expect(try await again.content == Notebook(["a.txt": "one", "b.txt": "two"]))
    try await again.edit { $0.texts["a.txt"] = nil }
    let copy = URL(filePath: folder.appending("Copy.notebook").string)
    try await again.save(to: copy, for: .forCreating)
    try await again.close()
    #expect(try Self.names(copy) == ours + ["b.txt"])
    #expect(try Self.names(url) == ours + ["a.txt", "b.txt"])
    let store = try await PackageStore.open(at: copy)
    #expect(try await store.content(as: Notebook.self) == Notebook(["b.txt": "two"]))
    #expect(try await (store.metadata() != nil) == writes)
    // The store saves the content itself, and another program's child of that time arrives with `reload`.
    try await store.save(Notebook(["b.txt": "two", "c.txt": "three"]))
    try await store.close()
    #expect(try Self.names(copy) == ours + ["b.txt", "c.txt"])
    #expect(try await PackageStore.open(at: copy).verify().isWhole)
  }

  @Test(arguments: ["my own", "<plist><dict><key>a</key><string>b</string></dict></plist>"])
  func `may have the name of the metadata in a new package`(bytes: String) async throws {
    let url = url("Notes.notebook")
    let plist = url.appending(path: "Metadata.plist")
    let document = try await Document.create(Notebook(["a.txt": "one", "Metadata.plist": bytes]), at: url)
    #expect(try String(contentsOf: plist, encoding: .utf8) == bytes)
    try await document.edit { $0.texts["a.txt"] = "two" }
    try await document.close()
    #expect(try String(contentsOf: plist, encoding: .utf8) == bytes)

    let again = try await Document<Notebook>.open(at: url)
    #expect(try await again.content == Notebook(["a.txt": "two", "Metadata.plist": bytes]))
    try await again.edit { $0.texts["Metadata.plist"] = bytes + "!" }
    try await again.close()
    #expect(try String(contentsOf: plist, encoding: .utf8) == bytes + "!")
    let third = try await Document<Notebook>.open(at: url)
    try await third.edit { $0.texts["Metadata.plist"] = nil }
    try await third.close()
    #expect(try Self.names(url) == ["a.txt"])
  }

  @Test func `do not get that name in a package with metadata`() async throws {
    let url = url("Notes.notebook")
    let document = try await Document.create(Notebook(["a.txt": "one"]), at: url)
    let before = try Data(contentsOf: url.appending(path: "Metadata.plist"))
    try await document.edit { $0.texts["Metadata.plist"] = "my own" }
    let error = await #expect(throws: DocumentError.self) { try await document.save() }
    #expect(error?.description.contains("'Metadata.plist'") == true, "\(error as Any)")
    #expect(error?.description.contains("'writesMetadata'") == true, "\(error as Any)")
    #expect(try await document.content.texts["Metadata.plist"] == "my own")
    #expect(try Data(contentsOf: url.appending(path: "Metadata.plist")) == before)
    // A new package without metadata takes the child.
    let other = URL(filePath: folder.appending("Other.notebook").string)
    try await document.save(to: other, for: .forCreating)
    #expect(try Self.names(other) == ["Metadata.plist", "a.txt"])
    #expect(try String(contentsOf: other.appending(path: "Metadata.plist"), encoding: .utf8) == "my own")
    try await document.close(discardingChanges: true)
  }

  /// Makes its tree from its own folder, by URL.
  private struct Copied: FileDocument {
    static var readableContentTypes: [UTType] { [.package] }
    var text: String
    var folder: URL?

    init(_ text: String) { self.text = text }
    init(configuration: ReadConfiguration) throws {
      let data = try configuration.file.child(named: "a.txt")?.contents()
      text = String(decoding: data ?? Data(), as: UTF8.self)
    }

    func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
      let tree =
        try folder.map { try FileWrapper(url: $0, options: .immediate) }
        ?? FileWrapper(directoryWithFileWrappers: [:])
      try tree.put(Data(text.utf8), named: "a.txt")
      return tree
    }
  }

  @Test func `do not include the store's metadata that the content found in its own folder`() async throws {
    let (url, copy) = (url("A.copied"), url("B.copied"))
    let document = try await Document.create(Copied("one"), at: url, options: .quiet(nil))
    for text in ["two", "three"] {
      try await document.edit { ($0.text, $0.folder) = (text, url) }
      try await document.saveAndPublish()
    }
    // The bytes may be those of an earlier save.
    let earlier = URL(filePath: folder.appending("Earlier").string)
    try FileManager.default.copyItem(at: url, to: earlier)
    try await document.edit { $0.text = "four" }
    try await document.save()
    try await document.edit { ($0.text, $0.folder) = ("five", earlier) }
    try await document.save()
    try await document.save(to: copy, for: .forCreating)
    try await document.close()
    let (first, second) = (try await PackageStore.open(at: url), try await PackageStore.open(at: copy))
    #expect(try await first.metadata()?.identifier != second.metadata()?.identifier)
    for store in [first, second] {
      #expect(try await store.content(as: Copied.self).text == "five")
      #expect(try await store.metadata() != nil)
      #expect(try await store.verify().isWhole)
      try await store.close()
    }
  }

  @Test func `are all that a program on another system wrote`() async throws {
    let url = url("Notes.notebook")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    let theirs = "<plist><dict><key>CFBundleName</key><string>Notes</string></dict></plist>"
    for (name, text) in ["a.txt": "one", "Metadata.plist": theirs] {
      try Data(text.utf8).write(to: url.appending(path: name))
    }
    let document = try await Document<Notebook>.open(at: url)
    #expect(try await document.content == Notebook(["a.txt": "one", "Metadata.plist": theirs]))
    try await document.edit { $0.texts["a.txt"] = "two" }
    try await document.close()
    #expect(try String(contentsOf: url.appending(path: "Metadata.plist"), encoding: .utf8) == theirs)
    #expect(
      try await Document<Notebook>.open(at: url).content
        == Notebook(["a.txt": "two", "Metadata.plist": theirs]))
  }

  @Test func `of a new tree are the merge of a conflict, too`() async throws {
    let disk = try CrashDisk()
    _ = try await ConflictTests.apart(
      ["a.txt": "one", "b.txt": "left"], first: ["a.txt": "ours"], second: ["a.txt": "theirs"], on: disk)
    let document = Document<Notebook>(
      fileURL: URL(filePath: ConflictTests.first.string), options: .quiet(nil), on: .test(disk))
    try await document.open()
    #expect(await document.documentState == .inConflict)
    let joining = ConflictResolver<Notebook> { conflict in
      let texts = [conflict.present] + conflict.versions.map(\.content)
      return .merged(
        Notebook(["a.txt": texts.compactMap { $0.texts["a.txt"] }.sorted().joined(separator: "+")]))
    }
    #expect(try await document.resolveConflicts(with: joining))
    #expect(try await document.content == Notebook(["a.txt": "ours+theirs"]))
    try await document.close()
    let store = try await PackageStore.open(ConflictTests.first, on: disk)
    #expect(try await store.content(as: Notebook.self) == Notebook(["a.txt": "ours+theirs"]))
    #expect(try await store.verify().isWhole)
  }
}

/// A content of two types.
private struct Two: FileDocument {
  static let plain = UTType(exportedAs: "org.example.two.plain", conformingTo: .package)
  static var readableContentTypes: [UTType] { [plain, UTType(filename: "a.rtfd", isDirectory: true)] }
  var type = ""

  init() {}
  init(configuration: ReadConfiguration) throws { type = configuration.contentType.identifier }

  func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
    FileWrapper(directoryWithFileWrappers: [
      "type": FileWrapper(regularFileWithContents: Data(configuration.contentType.identifier.utf8))
    ])
  }
}

@Suite("The type of a new document", .temporaryDirectory)
struct NewDocumentTypeTests {
  @Test(arguments: [("A.rtfd", "com.apple.rtfd"), ("A.unknown", "org.example.two.plain")])
  func `is the writable one that its name tells, or else the first`(
    name: String, identifier: String
  ) async throws {
    let url = url(name)
    try await Document.create(Two(), at: url).close()
    #expect(try String(contentsOf: url.appending(path: "type"), encoding: .utf8) == identifier)
    let document = try await Document<Two>.open(at: url)
    #expect(try await document.content.type == identifier)
    #expect(await document.fileType.identifier == identifier)
    try await document.close()
  }

  /// A content of several types: a file, or a folder.
  private struct Anything: FileDocument {
    static var readableContentTypes: [UTType] { [.plainText, .rtfd, .item] }
    let isFolder: Bool
    let types = Types()

    final class Types: Sendable { let list = Mutex<[UTType]>([]) }

    init(isFolder: Bool) { self.isFolder = isFolder }
    init(configuration: ReadConfiguration) throws {
      self.init(isFolder: configuration.file.isDirectory)
      types.list.withLock { $0.append(configuration.contentType) }
    }

    func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
      types.list.withLock { $0.append(configuration.contentType) }
      return isFolder ? FileWrapper(directoryWithFileWrappers: [:]) : FileWrapper()
    }
  }

  @Test(arguments: [
    ("a.txt", false, UTType.plainText), ("A.rtfd", true, .rtfd), ("A", true, .item), ("a", false, .item),
    ("a.unknown", false, .item), ("a.md", false, .plainText), ("a.png", false, .item),
  ])
  func `is one of the content's own, also when it is opened and saved`(
    name: String, isFolder: Bool, type: UTType
  ) async throws {
    let content = Anything(isFolder: isFolder)
    let url = url(name)
    let document = try await Document.create(content, at: url, options: .quiet(nil))
    try await document.save()
    try await document.close()
    let again = try await Document<Anything>.open(at: url, options: .quiet(nil))
    let types = content.types.list.withLock { $0 }
    #expect(types == [type, type])
    #expect(try await again.content.types.list.withLock { $0 } == [type])
    try await again.close()
  }
}

/// A flat file of a type that no `Info.plist` declares.
private struct Flat: FileDocument, Equatable {
  static let own = UTType(exportedAs: "org.example.flat", conformingTo: .sourceCode)
  static let old = UTType(exportedAs: "org.example.flat.old", conformingTo: .data)
  static var readableContentTypes: [UTType] { [.json, own, old] }
  static var writableContentTypes: [UTType] { [.json, own] }
  var type = ""

  init() {}
  init(configuration: ReadConfiguration) throws { type = configuration.contentType.identifier }

  func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
    FileWrapper(regularFileWithContents: Data(configuration.contentType.identifier.utf8))
  }
}

@Suite("The type of a flat file without a declaration", .temporaryDirectory)
struct UndeclaredTypeTests {
  @Test(arguments: [("a.flat", "org.example.flat"), ("a", "org.example.flat"), ("a.json", "public.json")])
  func `stays the same from making to opening and saving`(name: String, identifier: String) async throws {
    let url = url(name)
    try await Document.create(Flat(), at: url, options: .quiet(nil)).close()
    #expect(try String(contentsOf: url, encoding: .utf8) == identifier)
    let document = try await Document<Flat>.open(at: url, options: .quiet(nil))
    #expect(try await document.content.type == identifier)
    try await document.save()
    try await document.revert(toContentsOf: url)
    #expect(try await document.content.type == identifier)
    try await document.close()
    #expect(try String(contentsOf: url, encoding: .utf8) == identifier)
  }
}
