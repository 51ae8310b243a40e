import DurableIO
import FilePackages
import PackageArchive
import TestSupport
import Testing

@Suite("A zip that is a document of another kind", .tags(.process), .temporaryDirectory)
struct DocumentZipTests {
  static let book: TestTree = [
    "mimetype": "application/epub+zip",
    "META-INF": ["container.xml": .file(Array(String(repeating: "<container/>", count: 100).utf8))],
    "OPS": ["chapter.xhtml": "<p>Three valleys</p>", "images": [:]], "A first name": "a",
  ]

  private static var flat: ExportOptions { with(.init()) { $0.topFolder = .none } }

  @Test func `says first what kind it is, stored and without extra fields`() async throws {
    try await fixture.makeArchive("Book.epub", of: Self.book, options: Self.flat)
    let bytes = Array(try fixture.bytes("Book.epub"))
    // The local header begins with its signature, version, flags and method; the lengths of name and extra fields
    // stand at byte 26.
    #expect(bytes[..<10] == [0x50, 0x4B, 3, 4, 20, 0, 0, 0, 0, 0])
    #expect(bytes[26..<30] == [8, 0, 0, 0])
    #expect(String(decoding: bytes[30..<58], as: UTF8.self) == "mimetypeapplication/epub+zip")
    #expect(bytes[58..<62] == [0x50, 0x4B, 3, 4])
    try await fixture.take("Book.epub")
    #expect(try fixture.tree("Back.pack") == Self.book)
    if Program.installed("file") != nil {
      #expect(try run("file", ["Book.epub"], in: fixture.folder).output.contains("EPUB document"))
    }
    if Program.installed("unzip") != nil {
      let listed = try run("unzip", ["-Z1", "Book.epub"], in: fixture.folder)
      #expect(
        listed.output.split(separator: "\n") == [
          "mimetype", "A first name", "META-INF/container.xml", "OPS/chapter.xhtml", "OPS/images/",
        ])
      #expect(try run("unzip", ["-t", "Book.epub"], in: fixture.folder).status == 0)
    }
  }

  @Test func `is the same bytes again from an earlier one`() async throws {
    try await fixture.makeArchive("Book.epub", of: Self.book, options: Self.flat)
    let bytes = try fixture.bytes("Book.epub")
    #expect(try await fixture.export("Book.epub", options: Self.flat, updating: "Book.epub").reused == 3)
    #expect(try fixture.bytes("Book.epub") == bytes)
  }

  @Test func `is a zip like others where it is in a folder, encrypted or has no such child`() async throws {
    try await fixture.makeArchive("in a folder.zip", of: Self.book)
    var encrypted = Self.flat
    encrypted.passphrase = "open sesame"
    try await fixture.export("encrypted.zip", options: encrypted)
    try fixture.makePackage(["mimetype": ["a": "a"], "b": "b"], named: "Other.pack")
    try await fixture.export("other.zip", of: "Other.pack", options: Self.flat)
    for name in ["in a folder.zip", "encrypted.zip", "other.zip"] {
      #expect(try !String(decoding: fixture.bytes(name).prefix(60), as: UTF8.self).contains("mimetypeapp"))
    }
  }

  @Test func `is told from its name`() {
    for name in ["Book.epub", "BOOK.EPUB", "Comic.cbz", "Note.textpack"] {
      #expect(ArchiveFormat(filename: name) == .zip)
    }
    #expect(ArchiveFormat.isFlat(filename: "Book.epub") && ArchiveFormat.isFlat(filename: "a.CBZ"))
    #expect(!ArchiveFormat.isFlat(filename: "Note.textpack") && !ArchiveFormat.isFlat(filename: "epub"))
  }
}
