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

  /// A text with pictures from unknown folders: the pictures by name, and the names that the document then uses.
  static let loose: [(text: String, pictures: [String], used: [String], result: String)] = [
    ("![D](img/Dawn.png)\n", ["Dawn.png"], ["Dawn.png"], "![D](Images/Dawn.png)\n"),
    ("![D](img/dawn%20two.PNG)", ["Dawn two.png"], ["Dawn two.png"], "![D](Images/dawn%20two.PNG)"),
    (
      "<img src=\"Dawn.png\"> ![][d]\n\n[d]: a/Hut.png", ["Dawn.png", "Hut.png", "Other.png"],
      ["Dawn.png", "Hut.png"], "<img src=\"Images/Dawn.png\"> ![][d]\n\n[d]: Images/Hut.png"
    ),
    // One picture cannot be two.
    ("![](a/1.png) ![](b/1.png)", ["1.png"], [], "![](a/1.png) ![](b/1.png)"),
    ("`![](Dawn.png)` [w](Dawn.png)", ["Dawn.png"], [], "`![](Dawn.png)` [w](Dawn.png)"),
    ("Words", ["Dawn.png"], [], "Words"),
  ]

  @Test(arguments: loose.indices)
  func `is made of a text and of pictures whose folders are unknown`(index: Int) throws {
    let (text, names, used, result) = Self.loose[index]
    let picture = try Fixture.picture()
    let pictures = Dictionary(
      uniqueKeysWithValues: names.map { ($0, FileWrapper(regularFileWithContents: picture)) })
    let read = try InterchangeFormat.readMarkdown(
      FileWrapper(regularFileWithContents: Data(text.utf8)), named: "Walk.md", with: pictures)
    #expect(read.used == used)
    #expect(read.document.notes.images.count == used.count)
    #expect(read.document.notes.text == result)
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
