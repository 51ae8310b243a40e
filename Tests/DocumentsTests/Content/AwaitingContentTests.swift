import Documents
import DurableIO
import FoundationEssentials
import TestSupport
import Testing

/// Turns texts into bytes and back, one at a time.
private actor Codec {
  static let shared = Codec()
  struct NotText: Error {}

  func encode(_ text: String) -> Data { Data(text.utf8.reversed()) }

  func decode(_ data: Data) throws -> String {
    guard let text = String(validating: data.reversed(), as: UTF8.self) else { throw NotText() }
    return text
  }
}

/// A door that stays closed until the test opens it.
private final class Door: Sendable {
  private let (steps, arrival) = AsyncStream.makeStream(of: Void.self)
  private let (openings, opening) = AsyncStream.makeStream(of: Void.self)

  func pass() async {
    arrival.yield()
    for await _ in openings { return }
  }

  func waitForArrival() async { for await _ in steps { return } }
  func open() { opening.finish() }
}

/// A folder of encoded texts.
private struct Album: DocumentContent {
  static var readableContentTypes: [UTType] {
    [UTType(exportedAs: "org.example.async-album", conformingTo: .package)]
  }

  var pages: [String: String]
  var door: Door?

  init(_ pages: [String: String], behind door: Door? = nil) { (self.pages, self.door) = (pages, door) }

  init(configuration: ReadConfiguration) async throws {
    pages = [:]
    for (name, file) in try configuration.file.children() {
      pages[name] = try await Codec.shared.decode(file.contents())
    }
  }

  static let poison = "poison"

  func fileWrapper(configuration: WriteConfiguration) async throws -> FileWrapper {
    await door?.pass()
    if pages.values.contains(Self.poison) { throw Codec.NotText() }
    let tree = configuration.existingFile ?? FileWrapper(directoryWithFileWrappers: [:])
    for (name, child) in try tree.children() where pages[name] == nil { tree.removeFileWrapper(child) }
    for (name, text) in pages { try tree.put(await Codec.shared.encode(text), named: name) }
    return tree
  }
}

@Suite("A content that awaits")
struct AwaitingContentTests {
  private typealias Trip = DocumentFixture<Album>

  private static func create(_ content: Album) async throws -> (CrashDisk, Document<Album>) {
    let disk = try CrashDisk()
    return (disk, try await Trip.create(content, on: disk))
  }

  @Test func `is a content like any other`() async throws {
    let (disk, document) = try await Self.create(Album(["a": "one", "b": "two"]))
    try await document.edit { $0.pages["b"] = "three" }
    // The content changes the tree that was saved last: only one child differs.
    #expect(try await document.save().written.filter { $0 != "Metadata.plist" } == ["b"])
    try await document.undo()
    #expect(try await document.save().written.filter { $0 != "Metadata.plist" } == ["b"])
    try disk.replace("c", "ruof", in: Trip.path)
    #expect(try await document.checkForExternalChanges() == .reloaded)
    #expect(try await document.content.pages == ["a": "one", "b": "two", "c": "four"])
    try await document.close()
    #expect(try disk.text("b", in: Trip.path) == "owt")
    #expect(try await Trip.open(on: disk).content.pages == ["a": "one", "b": "two", "c": "four"])
  }

  @Test func `is edited while it is written`() async throws {
    // Editing does not wait for the content's own writing (D1), and the save has the content from its start (D2).
    let (disk, document) = try await Self.create(Album(["a": "one"]))
    let door = Door()
    try await document.edit { ($0.pages["a"], $0.door) = ("two", door) }
    let save = Task { try await document.save() }
    await door.waitForArrival()
    try await document.edit { ($0.pages["a"], $0.door) = ("three", nil) }
    #expect(await document.progress?.activity == .saving)
    door.open()
    _ = try await save.value
    try await document.synchronize()
    #expect(try disk.text("a", in: Trip.path) == "owt")
    #expect(await document.hasUnsavedChanges)
    try await document.close()
    #expect(try disk.text("a", in: Trip.path) == "eerht")
  }

  @Test func `takes no edit while its document, which another program removes, makes a copy`() async throws {
    let (_, document) = try await Self.create(Album(["a": "one"]))
    let door = Door()
    try await document.edit { ($0.pages["a"], $0.door) = ("two", door) }
    let removal = Task { try await document.accommodatePresentedItemDeletion() }
    await door.waitForArrival()
    await expect(\DocumentError.code, .editingDisabled) {
      try await document.edit { $0.pages["a"] = "three" }
    }
    door.open()
    try await removal.value
    #expect(await document.documentState == .closed)
  }

  @Test func `may throw, and the document stays as it was`() async throws {
    let (disk, document) = try await Self.create(Album(["a": "one"]))
    try await document.edit { $0.pages["a"] = Album.poison }
    let failure = await #expect(throws: DocumentError.self) { try await document.save() }
    #expect(failure?.code == .content && failure?.cause is Codec.NotText)
    try await document.undo()
    try await document.close()
    #expect(try disk.text("a", in: Trip.path) == "eno")
    try disk.makeFile("b", [0xff], in: disk.openDirectory(at: Trip.path))
    let error = await #expect(throws: DocumentError.self) { try await Trip.open(on: disk) }
    #expect(error?.code == .content && error?.operation == .open && error?.cause is Codec.NotText)
  }
}
