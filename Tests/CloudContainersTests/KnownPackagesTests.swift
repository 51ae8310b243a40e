import CloudContainers
import Documents
import Foundation
import ObjectStores
import StoreTestSupport
import SystemPackage
import TestSupport
import Testing

@Suite("A folder that is a package on one machine alone", .temporaryDirectory)
struct KnownPackagesTests {
  /// Makes a folder of files, which only `a` takes for a package, and brings it to `b`.
  private func makeSketchbook() async throws -> (DeviceFixture, DeviceFixture) {
    let (a, b) = try await DeviceFixture.two(MemoryStore())
    try a.write("red", to: "One.sketchbook/palette.txt")
    try a.write("line", to: "One.sketchbook/strokes.txt")
    // The hidden folder makes it a package.
    try createFolder(at: a.url.appending(path: "One.sketchbook/.docpkg"))
    #expect(try await a.sync().documents.map(\.name) == ["One.sketchbook"])
    try await b.receive("One.sketchbook")
    // Without the hidden folder, only its extension tells the type.
    try? FileManager.default.removeItem(at: b.url.appending(path: "One.sketchbook/.docpkg"))
    return (a, b)
  }

  @Test func `stays one document on a machine that does not know its type`() async throws {
    let (a, b) = try await makeSketchbook()
    #expect(try await b.sync().documents.isEmpty)
    try b.write("blue", to: "One.sketchbook/palette.txt")
    #expect(try await b.sync().documents.map(\.name) == ["One.sketchbook"])
    try await a.sync()
    #expect(a.text("One.sketchbook/palette.txt") == "blue")
  }

  @Test func `stays one document under another name`() async throws {
    let (a, b) = try await makeSketchbook()
    try b.rename("One.sketchbook", to: "Two.sketchbook")
    try await sync(b, a)
    #expect(a.text("Two.sketchbook/strokes.txt") == "line" && a.text("One.sketchbook/strokes.txt") == nil)
    #expect(try await a.container.items().map(\.name) == ["Two.sketchbook"])
  }

  @Test func `stays a folder of documents on a machine that knows the type later`() async throws {
    let a = try await DeviceFixture("a", MemoryStore())
    try await a.upload("red", to: "One.scrapbook/palette.txt")
    // No other test has a document of this type.
    try UTType.declare(
      exported: .init(
        identifier: "org.example.scrapbook", conformsTo: [.package], filenameExtensions: ["scrapbook"]))
    try a.write("blue", to: "Two.scrapbook/palette.txt")
    #expect(try await a.sync().documents.map(\.name) == ["Two.scrapbook"])
    #expect(try await a.container.items().map(\.name) == ["One.scrapbook/palette.txt", "Two.scrapbook"])
  }
}

@Suite("A folder of a container with many documents, and with things that are none", .temporaryDirectory)
struct ContainerFolderTests {
  @Test func `many placeholders come at once, with one look at the state`() async throws {
    let store = MeteredStore()
    let a = try await DeviceFixture("a", store)
    let names = (0..<40).map { "Notes \($0).txt" }
    for name in names { try a.write("text of \(name)", to: name) }
    try await a.sync()
    let b = try await DeviceFixture("b", store)
    try await b.sync()
    let before = store.callCount
    try await b.container.download(itemsNamed: names + ["Missing.txt"])
    // The versions have the texts.
    #expect(store.callCount == before)
    for name in names { #expect(b.text(name) == "text of \(name)") }
    #expect(try await b.sync().documents.isEmpty)
  }

  @Test func `links, pipes and names that some machine cannot have are named`() async throws {
    let a = try await DeviceFixture("a", MemoryStore())
    try a.write("one", to: "Notes.txt")
    try a.write("two", to: "new\nline.txt")
    try a.write("three", to: ".Hidden.rtfd/TXT.rtf")
    try a.write("four", to: ".settings")
    try FileManager.default.createSymbolicLink(
      at: a.url.appending(path: "link.txt"), withDestinationURL: a.url.appending(path: "Notes.txt"))
    #expect(mkfifo(a.url.appending(path: "pipe").path, 0o600) == 0)
    let report = try await a.sync()
    #expect(report.documents.map(\.name) == ["Notes.txt"])
    #expect(report.leftOut.count == 4, "\(report.leftOut)")
    for words in [".Hidden.rtfd: its name begins", "link.txt: it is a link", "pipe: it is no file"] {
      #expect(report.leftOut.contains { $0.hasPrefix(words) }, "\(report.leftOut)")
    }
    #expect(try await a.container.listing().leftOut == report.leftOut)
  }

  @Test func `a name that the sync changes is in its report`() async throws {
    let a = try await DeviceFixture("a", MemoryStore())
    try a.write("one", to: "Case.txt")
    try a.write("two", to: "case.txt")
    let renamed = try await a.sync().documents.filter { $0.oldName != nil }
    #expect(renamed.count == 1 && renamed.first?.name.lowercased() == "case 2.txt", "\(renamed)")
  }

  @Test func `is in no other container folder, and has none in it`() async throws {
    let (store, a) = try await DeviceFixture.one("Outer/a")
    for (name, code) in [
      ("Outer/a/inner", FilePackageError.Code.unsupported), ("Outer", .unsupported),
      ("Outer/a", .fileExists),
    ] {
      await expect(\FilePackageError.code, code) { _ = try await DeviceFixture(name, store) }
    }
    _ = try await DeviceFixture("Outer/b", store)
    try await a.sync()
  }
}
