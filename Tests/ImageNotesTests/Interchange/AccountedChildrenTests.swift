import FilePackages
import FoundationEssentials
import ImageNotes
import TestSupport
import Testing

@Suite("Each child of a document, in an export")
struct AccountedChildrenTests {
  private typealias Fixture = InterchangeFixture

  private func package(_ text: String, _ files: [String: Data] = [:]) throws -> InterchangeDocument {
    let files = try files.merging([
      "Text.txt": Data(text.utf8), "Heights.txt": Data("1\n2\n".utf8), "Pics/p.png": Fixture.picture(),
      "todo.txt": Data("rest".utf8), "Attachments/e.pdf": Data("%PDF-".utf8),
      "Images/a.gif": Fixture.picture("ridge.gif"),
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
