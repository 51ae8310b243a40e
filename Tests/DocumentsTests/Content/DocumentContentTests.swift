import Documents
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

/// Makes a new tree for each save, of the saved children that it has not read, and of its own texts.
private struct Shelf: DocumentContent {
  static var readableContentTypes: [UTType] {
    [UTType(exportedAs: "org.example.reusing-store", conformingTo: .package)]
  }

  /// The texts by name; nil for one that is as it was saved.
  var texts: [String: String?] = [:]
  var isRefused = false
  struct Refused: Error {}

  init(_ texts: [String: String?]) { self.texts = texts }

  init(configuration: ReadConfiguration) throws {
    for name in try configuration.file.childNames() { texts[name] = .some(nil) }
  }

  func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
    let tree = FileWrapper(directoryWithFileWrappers: [:])
    for (name, text) in texts {
      if let text {
        tree.addRegularFile(withContents: Data(text.utf8), preferredFilename: name)
      } else if let saved = try configuration.existingFile?.child(named: name) {
        tree.addFileWrapper(saved)
      }
    }
    if isRefused { throw Refused() }
    return tree
  }
}

@Suite("A document's content", .temporaryDirectory)
struct DocumentContentTests {
  @Test func `reuses the saved children in every tree that it makes`() async throws {
    func texts(_ url: URL) throws -> [String: String] {
      let children = try FileWrapper(url: url).children().filter {
        !["Metadata.plist", ".docpkg"].contains($0.key)
      }
      return try children.mapValues { String(decoding: try $0.contents(), as: UTF8.self) }
    }
    try await Document.create(Shelf(["a": "1", "b": "2"]), at: url("A.store"), options: .quiet(nil)).close()
    let document = try await Document<Shelf>.open(at: url("A.store"), options: .quiet(url("Recovery")))
    try await document.edit { $0.texts["b"] = "3" }
    #expect(try await document.save().written.filter { $0 != "Metadata.plist" } == ["b"])
    // After a save that fails, and after an export.
    try await document.edit { ($0.texts["c"], $0.isRefused) = ("4", true) }
    await #expect(throws: DocumentError.self) { try await document.save() }
    try await document.edit { $0.isRefused = false }
    let copy = url("Copy.store")
    try await document.withSnapshot { _ in }
    #expect(try await document.save().written.filter { $0 != "Metadata.plist" } == ["c"])
    try await document.synchronize()
    #expect(try texts(url("A.store")) == ["a": "1", "b": "3", "c": "4"])
    // In a new document elsewhere, which goes on there.
    try await document.edit { $0.texts["b"] = .some(nil) }
    try await document.save(to: copy, for: .forCreating)
    try await document.edit { $0.texts["d"] = "5" }
    try await document.close()
    #expect(try texts(copy) == ["a": "1", "b": "3", "c": "4", "d": "5"])
  }

  @Test func `is written, read again, and written only where it changed`() async throws {
    let url = URL(filePath: folder.appending("A.sketch").string)
    let (package, made) = try await PackageStore.create(Pages(["a.txt": "1"]), at: url)
    #expect(made.written == ["Metadata.plist", "a.txt"])
    #expect(await package.contentType == Pages.readableContentTypes[0])

    let again = try await PackageStore.open(at: url)
    var pages: Pages = try await again.content()
    #expect(pages == Pages(["a.txt": "1"]))
    #expect(try await again.save(pages).strategy == .none)
    pages["a.txt"] = "23"
    #expect(try await again.plan(pages).lines.contains { $0.hasPrefix("write a.txt") })
    #expect(try await again.save(pages).written == ["Metadata.plist", "a.txt"])
    let last: Pages = try await PackageStore.open(at: url).content()
    #expect(last == Pages(["a.txt": "23"]))
  }

  @Test func `can be tested without a document`() throws {
    let type = Pages.writableContentTypes[0]
    let tree = try Pages(["a.txt": "7"]).fileWrapper(
      configuration: .init(contentType: type, existingFile: nil))
    #expect(try Pages(configuration: .init(contentType: type, file: tree)) == Pages(["a.txt": "7"]))
  }

  @Test func `has the type its package's name tells where there is no metadata`() async throws {
    let url = URL(filePath: folder.appending("Letter.rtfd").string)
    _ = try await PackageStore.create(FileWrapper(directoryWithFileWrappers: [:]), at: url, contentType: nil)
    #expect(try await PackageStore.open(at: url).contentType == .rtfd)
  }
}

@Suite("A filename by convention", .temporaryDirectory)
struct FilenameConventionTests {
  @Test func `takes the first free number, whatever the case`() {
    let taken = ["Notes 1.imageNotes", "NOTES 2.IMAGENOTES", "Notes 4.imageNotes", "Other.txt"]
    let name = FilenameConvention.sequence("Notes").name(amongst: taken, extension: "imageNotes")
    #expect(name == "Notes 3.imageNotes")
    #expect(FilenameConvention.sequence("Notes").name(amongst: [], extension: "x") == "Notes 1.x")
    #expect(FilenameConvention.sequence("Notes").name(amongst: ["notes 1"], extension: "") == "Notes 2")
  }

  @Test func `is a time without colons, numbered where it is taken`() {
    let time = Date(timeIntervalSince1970: 1_795_271_109)
    let name = FilenameConvention.timestamp.name(amongst: [], extension: "x", now: time)
    #expect(name == localTime(time).replacing(":", with: ".") + ".x")
    #expect(name.wholeMatch(of: /2026-11-2[012] \d\d\.\d\d\.09\.x/) != nil)
    let second = FilenameConvention.timestamp.name(amongst: [name], extension: "x", now: time)
    #expect(second == name.dropLast(2) + " 2.x")
  }

  @Test func `is a UUID`() {
    let name = FilenameConvention.uuid.name(amongst: [], extension: "x")
    #expect(name.hasSuffix(".x") && UUID(uuidString: String(name.dropLast(2))) != nil)
  }

  @Test(arguments: [FilenameConvention.sequence("Log"), .timestamp, .uuid])
  func `has the extension by which a query finds the document`(_ convention: FilenameConvention) async throws
  {
    let folder = URL(filePath: folder.string)
    var made: Set<String> = []
    for _ in 1...2 {
      let name = convention.name(amongst: try FileWrapper(url: folder).childNames(), extension: "travellog")
      let url = folder.appending(path: name)
      let log = try await Document.create(TravelLog(), at: url, options: .quiet(nil))
      try await log.close()
      made.insert(name)
    }
    let found = await DocumentSearch(in: [folder], for: [TravelLog.type]).documents().items
    #expect(made.count == 2 && Set(found.map(\.filename)) == made)
  }
}
