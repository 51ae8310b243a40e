import FilePackages
import FoundationEssentials
import ImageNotes
import Testing

@Suite("A folder with Markdown")
struct MarkdownFolderTests {
  private typealias Fixture = InterchangeFixture

  private func tree(_ text: String, _ files: [String: Data] = [:]) throws -> FileWrapper {
    try Fixture.tree(files.merging(["Walk.md": Data(text.utf8)]) { own, _ in own })
  }

  @Test func `has its images anywhere beneath it`() throws {
    let picture = try Fixture.picture()
    let text =
      "![a](Walk.assets/a.png) ![b](img/deep/b%20b.png) ![](c.png) [Other](Other.markdown) [e](doc/e.pdf)"
    let folder = try tree(
      text,
      [
        "Walk.assets/a.png": picture, "img/deep/b b.png": picture, "c.png": picture,
        "doc/e.pdf": Data("e".utf8),
        "unnamed.png": picture, "unnamed.zip": Data([1]), ".git/x.png": picture,
      ])
    let (document, remarks) = try InterchangeFormat.markdown.read(folder, named: "Walk")
    #expect(
      document.notes.text
        == "![a](Images/a.png) ![b](Images/b%20b.png) ![](Images/c.png) [Other](Other.markdown) "
        + "[e](Attachments/doc/e.pdf)")
    #expect(document.notes.images.map(\.name) == ["a.png", "b b.png", "c.png", "unnamed.png"])
    #expect(
      remarks == [
        .leftOut(".git", reason: "its name is hidden"),
        .leftOut("unnamed.zip", reason: "the text does not name it"),
      ])
    // With the text named, the rest of its folder is not the document's.
    let (named, none) = try InterchangeFormat.markdown.read(folder, named: "Walk.md", textName: "Walk.md")
    #expect(named.notes.images.map(\.name) == ["a.png", "b b.png", "c.png"] && none.isEmpty)
  }

  @Test func `names the files beside the text that it only mentions`() throws {
    let text =
      "![](a.png) see b.pdf, `c.png`, {{d e.png}} <img-x src=\"f%20g.png\">, xh.png, i.pngx, [j](j.md), k.md and l.png"
    let names = ["a.png", "b.pdf", "c.png", "d e.png", "f g.png", "h.png", "i.png", "j.md", "k.md", "m.png"]
    var files = Dictionary(uniqueKeysWithValues: names.map { ("notes/" + $0, Data([1])) })
    (files["l.png"], files["notes/Trip.md"]) = (Data([1]), Data(text.utf8))
    files["notes/a.png"] = try Fixture.picture()
    let (document, remarks) = try InterchangeFormat.markdown.read(
      Fixture.tree(files), named: "Trip.md", textName: "notes/Trip.md")
    #expect(document.notes.images.map(\.name) == ["a.png"] && document.attachments.isEmpty)
    #expect(
      remarks
        == ["b.pdf", "c.png", "d e.png", "f g.png"].map {
          .leftOut("notes/" + $0, reason: "the text only mentions its name")
        })
  }

  @Test func `numbers files whose names differ in case alone, however long they are`() throws {
    let names = ["a", "A"].map { String(repeating: $0, count: 255) }
    let others = ["a", "A"].map { "\($0)." + String(repeating: $0, count: 253) }
    let all = (names + others).map { "assets/\($0)" }
    let tree = try tree("", Dictionary(uniqueKeysWithValues: all.map { ($0, Data($0.utf8)) }))
    let document = try InterchangeFormat.markdown.read(tree, named: "A").document
    #expect(document.attachments.count == 4)
    #expect(try InterchangeDocument(package: document.packageTree()).attachments.count == 4)
  }

  @Test(.timeLimit(.minutes(20)))
  func `is read in a time that grows with its length, however many tags it begins`() throws {
    for tag in ["<a b=", "<img b <a ", "<a b=\"x\" c=\""] {
      let text = String(repeating: tag, count: 1_000_000 / tag.utf8.count)
      let tree = try Fixture.tree(["a.md": Data(text.utf8)])
      #expect(try InterchangeFormat.markdown.read(tree, named: "A").document.notes.text == text)
    }
  }

  @Test func `is written with a text of the document's name`() throws {
    var notes = ImageNotes(text: "![P](Images/a.png)")
    try notes.add(imageData: Fixture.picture(), originalFilename: "a.png")
    let names = ["Out/Walk.imageNotes", "Walk", "Walk 1.2", "a/.hidden", "", "Walk.md/"].map { name in
      try? InterchangeFormat.markdown.write(InterchangeDocument(notes), named: name).file.childNames()
    }
    #expect(
      names == [
        ["Walk.md", "assets"], ["Walk.md", "assets"], ["Walk 1.2.md", "assets"], ["Text.md", "assets"],
        ["Text.md", "assets"], ["Walk.md", "assets"],
      ])
  }

  @Test func `may be deeper than the files that the text shows`() throws {
    let folder = try Fixture.tree([
      "notes/Trip.md": Data(
        "![](../_resources/screen%20shot.png) ![[p.png|100]] ![[none.png]] ![](../../x.png)".utf8),
      "_resources/screen shot.png": try Fixture.picture(), "notes/p.png": try Fixture.picture("ridge.gif"),
    ])
    let (document, remarks) = try InterchangeFormat.markdown.read(
      folder, named: "Trip.md", textName: "notes/Trip.md")
    #expect(
      document.notes.text
        == "![](Images/screen%20shot.png) ![[Images/p.png.gif|100]] ![[none.png]] ![](../../x.png)")
    #expect(remarks.contains(.missingImage("none.png")) && remarks.contains(.outside("../../x.png")))
    let (file, _) = try InterchangeFormat.markdown.write(document, named: "Trip")
    #expect(
      try String(decoding: file.regularFile(at: "Trip.md").contents(), as: UTF8.self)
        .hasPrefix("![](assets/screen%20shot.png) ![[assets/p.png.gif|100]]"))
  }

  @Test(arguments: ["![](img\\p.png)", "![](img/p&amp;q.png)"])
  func `has names in the spelling of another program`(text: String) throws {
    let name = text.contains("&") ? "img/p&q.png" : "img/p.png"
    let read = try InterchangeFormat.markdown.read(tree(text, [name: Fixture.picture()]), named: "A")
    #expect(read.document.notes.images.count == 1 && read.remarks.isEmpty)
  }

  static let bad: [([String: String], String)] = [
    (["a.txt": ""], "the folder has no text in Markdown."),
    (["a.md": "", "b.md": ""], "the folder has 2 texts ('a.md', 'b.md'): name one of them."),
  ]

  @Test(arguments: bad)
  func `that is none is refused in one sentence`(files: [String: String], reason: String) throws {
    let tree = try Fixture.tree(files.mapValues { Data($0.utf8) })
    #expect {
      try InterchangeFormat.markdown.read(tree, named: "A")
    } throws: { error in
      "\(error)" == "'A' could not be imported as Markdown: \(reason)"
    }
  }
}
