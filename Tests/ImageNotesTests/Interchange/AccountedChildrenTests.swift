import FilePackages
import FoundationEssentials
import Glibc
import ImageNotes
import SystemPackage
import TestSupport
import Testing

@Suite("Each child of a document, in an export", .temporaryDirectory)
struct AccountedChildrenTests {
  private typealias Fixture = InterchangeFixture

  private func package(_ text: String, _ files: [String: Data] = [:]) throws -> InterchangeDocument {
    let files = try files.merging([
      "Text.txt": Data(text.utf8), "Heights.txt": Data("1\n2\n".utf8), "Pics/p.png": Fixture.picture(),
      "todo.txt": Data("rest".utf8), "Attachments/e.pdf": Data("%PDF-".utf8),
      "Images/a.gif": Fixture.picture("ridge.gif"),
      // The library's own folder is no child: a tree of the plain directory has it.
      ".docpkg/log": Data("log".utf8),
    ]) { own, _ in own }
    let tree = try Fixture.tree(files)
    let link = FileWrapper(symbolicLinkWithDestinationURL: URL(filePath: "/todo.txt"))
    try tree.setDescendant(link, at: "Link")
    try tree.setDescendant(FileWrapper(directoryWithFileWrappers: [:]), at: "Images/Empty")
    let metadata = try PackageMetadata().encoded()
    tree.addRegularFile(withContents: metadata, preferredFilename: "Metadata.plist")
    return try InterchangeDocument(package: tree)
  }

  private func leftOut(_ remarks: [InterchangeRemark]) -> [String] {
    remarks.compactMap(\.leftOutPath)
  }

  @Test(arguments: InterchangeFormat.writable)
  func `is written if the text shows or links it, and is named otherwise`(format: InterchangeFormat) throws {
    let document = try package(
      "see [h](Heights.txt) ![P](Pics/p.png) ![](Link) ![](Pics) ![](Text.txt) ![](Images/a.gif)")
    let (file, remarks) = try format.write(document, named: "Trip")
    let unlinked = format == .html ? ["Attachments/e.pdf"] : []
    #expect(leftOut(remarks) == ["Images/Empty", "Link", "todo.txt"] + unlinked)
    #expect(!remarks.contains { if case .missingImage = $0 { true } else { false } }, "\(remarks)")
    guard format.isReadable else {
      return #expect(
        try String(decoding: file.contents(), as: UTF8.self)
          .contains(Data("1\n2\n".utf8).base64EncodedString()))
    }
    let back = try format.read(file, named: "Trip").document
    let images = back.notes.images.sorted { $0.name < $1.name }
    #expect(images.map(\.name) == ["a.gif", "p.png"])
    #expect(try images.last?.file().contents() == Fixture.picture())
    #expect(try back.attachments["Heights.txt"]?.contents() == Data("1\n2\n".utf8))
  }

  @Test(arguments: InterchangeFormat.writable)
  func `is named also if its name is that of a part of another kind`(format: InterchangeFormat) throws {
    let files = [
      "Text.txt": "text", "Images": "a file", "Attachments": "a file", "Metadata.plist": "another's",
    ]
    let document = try InterchangeDocument(package: Fixture.tree(files.mapValues { Data($0.utf8) }))
    let (_, remarks) = try format.write(document, named: "Trip")
    #expect(leftOut(remarks) == ["Attachments", "Images", "Metadata.plist"])
  }

  @Test func `is named also if it is a FIFO alone in a folder, in an import as well`() throws {
    let path = folder.appending("T.textbundle")
    try createFolder(at: path.appending("Pipes"))
    for (name, text) in [
      ("text.md", "text"), ("Text.txt", "text"), ("info.json", "{}"), ("assets", "a file"),
    ] {
      try Data(text.utf8).write(to: URL(filePath: path.appending(name).string))
    }
    #expect(mkfifo(path.appending("Pipes/fifo").string, 0o600) == 0)
    let tree = try FileWrapper(url: URL(filePath: path.string))
    let written = try InterchangeFormat.markdown.write(InterchangeDocument(package: tree), named: "Trip")
      .remarks
    #expect(leftOut(written).contains("Pipes/fifo"), "\(written)")
    let read = try InterchangeFormat.textBundle.read(tree, named: "T.textbundle").remarks
    #expect(leftOut(read) == ["Pipes", "Text.txt", "assets"], "\(read)")
  }

  @Test(arguments: InterchangeFormat.writable)
  func `is told from one whose name has its accents in the other way`(format: InterchangeFormat) throws {
    var files: [PackagePath: Data] = [:]
    for (letter, number) in [("\u{E9}", "1"), ("e\u{301}", "2")] {
      files[PackagePath("Attachments/\(letter).txt")] = Data("attachment \(number)".utf8)
      files[PackagePath("Images/\(letter).gif")] = Data("picture \(number)".utf8)
      files[PackagePath("\(letter).txt")] = Data("other \(number)".utf8)
    }
    files["Text.txt"] = Data(files.keys.sorted().map { "[x](\($0.string))" }.joined(separator: " ").utf8)
    // In a tree in memory, the second of two such names gets another one.
    for name in ["Attachments", "Images"] {
      let url = URL(filePath: folder.appending(name).string)
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }
    for (path, bytes) in files {
      try bytes.write(to: URL(filePath: folder.appending(path.string).string))
    }
    let document = try InterchangeDocument(package: FileWrapper(url: URL(filePath: folder.string)))
    #expect(document.notes.images.count == 2 && document.attachments.count == 2)
    let (file, remarks) = try format.write(document, named: "Trip")
    #expect(leftOut(remarks).isEmpty, "\(remarks)")
    let written = try Fixture.files(of: file)
    for (path, bytes) in files where path != "Text.txt" {
      let encoded = Data(bytes.base64EncodedString().utf8)
      let isThere = written.values.contains {
        $0 == bytes || format == .html && $0.firstRange(of: encoded) != nil
      }
      #expect(isThere, "\(String(decoding: bytes, as: UTF8.self))")
    }
  }

  @Test func `is in a page even as a picture within a link, or as a damaged picture`() throws {
    let document = try package(
      "[![a](Images/a.gif)](Heights.txt) ![](Images/bad.png)", ["Images/bad.png": Data("no".utf8)])
    let (file, remarks) = try InterchangeFormat.html.write(document, named: "Trip")
    #expect(leftOut(remarks) == ["Images/Empty", "Link", "Pics/p.png", "todo.txt", "Attachments/e.pdf"])
    #expect(remarks.contains(.imagesAtEnd(1)))
    let page = String(decoding: try file.contents(), as: UTF8.self)
    for bytes in [Data("1\n2\n".utf8), Data("no".utf8), try Fixture.picture("ridge.gif")] {
      #expect(page.contains(bytes.base64EncodedString()))
    }
  }
}
