import FilePackages
import FoundationEssentials
import ImageNotes
import Testing

@Suite("A TextBundle")
struct TextBundleTests {
  private typealias Fixture = InterchangeFixture

  private func read(
    _ tree: FileWrapper
  ) throws -> (document: InterchangeDocument, remarks: [InterchangeRemark]) {
    try InterchangeFormat.textBundle.read(tree, named: "A.textbundle")
  }

  private func error(_ tree: FileWrapper) -> String? {
    do {
      _ = try read(tree)
      return nil
    } catch {
      return "\(error)"
    }
  }

  // MARK: References

  /// Texts with files of the bundle in braces.
  private static let spellings = [
    "![]({a.png})", "a ![b]({a.png} \"title\") c", "![](<{a.png}>)", "![]({%61.png})", "![]({b c.png})",
    "![]({b c.png} \"title\")", "![]({b%20c.png} 'title')", "![]({d(1).png})", "![]({d\\(1\\).png})",
    "![]({a.png}?raw=1#x)", "[![b]({a.png})](https://example.org)", "![one ![]({a.png}) two]({b%20c.png})",
    "![b][image-1]\n\n[image-1]:\t{a.png}", "![Pic A]\n\n[pic  a]: {a.png} \"title\"",
    "![b][]\n\n[B]: <{b c.png}>", "<img src=\"{a.png}\" alt=\"b\">", "<IMG width=3 SRC='{b%20c.png}'/>",
    "![]({a.png} =100x20)", "![]({b c.png} =100x)", "![]({a.png} \"title\" =50%)",
    "![]({a.png} (title)) ![](<{b c.png}> (t))", "[[{e.pdf}]] [[No note]] [[{e.pdf}|a]]",
    "<video src=\"{e.pdf}\"> <object data='{e.pdf}'>", "[{a.png}]", "[the file]({e.pdf})",
    "[{e.pdf}] [x]({a.png})", "> ![]({a.png})\n> ![]({a.png})", "\u{1F41B} ![\u{E4}]({a.png})",
    // No references.
    "`![](assets/x.png)`", "``a ` ![](assets/x.png)`` ![]({a.png})", "`open ![]({a.png})",
    "```\n![](assets/x.png)\n```\n![]({a.png})", "~~~ md\n![](assets/x.png)\n```\n",
    "- a\n  ````\n  ```\n  ![](x.png)\n  ````\n", "<!-- ![](assets/x.png) --> ![]({a.png})",
    "!\\[](assets/x.png) \\![a]({a.png})", "![a\n\nb](assets/x.png)", "![a](assets/x.png",
    "[assets/no such] [a/b](c) [x]: y", "[Other](Other.md) [anchor](#a) <a href='b'>",
    "![](https://example.org/x.png) ![](data:image/png;base64,AA==)", "<a <img src=\"{a.png}\">", "![]() ![",
    "<img src=\"assets/a.png",
  ]

  /// Texts of bundles, and the texts that their documents get.
  static let references: [(String, String)] =
    [("![](./assets/a.png)", "![](Images/a.png)"), ("![](assets%2Fa.png)", "![](Images/a.png)")]
    + spellings.map { text in
      let inDocument = text.replacing("{e.pdf}", with: "Attachments/e.pdf").replacing("{", with: "Images/")
      return (
        text.replacing("{", with: "assets/").replacing("}", with: ""), inDocument.replacing("}", with: "")
      )
    }

  @Test(arguments: references)
  func `names its files in the document`(text: String, expected: String) throws {
    let picture = try Fixture.picture()
    let tree = try Fixture.textBundle(
      text,
      [
        "assets/a.png": picture, "assets/b c.png": picture, "assets/d(1).png": picture,
        "assets/e.pdf": Data("%PDF-".utf8),
      ])
    let document = try read(tree).document
    #expect(document.notes.text == expected)
    #expect(Set(document.notes.images.map(\.name)) == ["a.png", "b c.png", "d(1).png"])
    #expect(document.attachments.keys.sorted() == ["e.pdf"])
    let back = try read(InterchangeFormat.textBundle.write(document, named: "A").file).document
    #expect(try DocumentPicture(back) == DocumentPicture(document))
  }

  @Test func `has the order in which the text names the images, then that of their names`() throws {
    let picture = try Fixture.picture()
    let files = ["c.png", "a.png", "b.png", "sub/d.png"].map { ("assets/\($0)", picture) }
    let tree = try Fixture.textBundle(
      "![Peak](assets/c.png) ![again](assets/c.png) [b](assets/b.png)",
      Dictionary(uniqueKeysWithValues: files))
    let notes = try read(tree).document.notes
    #expect(notes.images.map(\.name) == ["c.png", "b.png", "a.png", "d.png"])
    #expect(notes.images.map(\.caption) == ["Peak", "b", "", ""])
  }

  @Test func `keeps files that are no images as attachments, and says so if the text shows them`() throws {
    let tree = try Fixture.textBundle(
      "![](assets/logo.svg) ![](assets/cut.png)",
      [
        "assets/logo.svg": Data("<svg/>".utf8), "assets/cut.png": try Fixture.picture().prefix(12),
        "assets/sub/notes.txt": Data("n".utf8), "assets/.DS_Store": Data([0]), "QuickLook/a.png": Data([1]),
      ])
    let (document, remarks) = try read(tree)
    #expect(document.notes.text == "![](Attachments/logo.svg) ![](Attachments/cut.png)")
    #expect(document.attachments.keys.sorted() == ["cut.png", "logo.svg", "sub/notes.txt"])
    #expect(
      remarks.map(\.description) == [
        "'assets/logo.svg' is kept as an attachment: this is not a picture of a known format "
          + "(PNG, JPEG, GIF, WebP, BMP, TIFF, HEIC)",
        "'assets/cut.png' is kept as an attachment: the PNG picture is cut short: the IHDR chunk is missing",
        "'assets/.DS_Store' is left out: its name is hidden",
        "'QuickLook' is left out: it is no part of a TextBundle",
      ])
    let files = try Fixture.files(of: InterchangeFormat.textBundle.write(document, named: "A").file)
    #expect(
      files.keys.sorted() == [
        "assets/cut.png", "assets/logo.svg", "assets/sub/notes.txt", "info.json", "text.md",
      ])
  }

  @Test func `gives an image with another format's extension a name that fits`() throws {
    let tree = try Fixture.textBundle("![](assets/a.jpg)", ["assets/a.jpg": try Fixture.picture()])
    let (document, remarks) = try read(tree)
    #expect(document.notes.text == "![](Images/a.jpg.png)")
    #expect(document.notes.images[0].originalFilename == "a.jpg")
    #expect(remarks == [.renamed("assets/a.jpg", to: "Images/a.jpg.png")])
  }

  @Test func `finds files as a Mac does, without regard to case and to the way of writing accents`() throws {
    let picture = try Fixture.picture()
    let tree = try Fixture.textBundle(
      "![](assets/%C3%84.png) ![](assets/B.PNG) ![](Assets/b.png) ![](assets/B.png)",
      [
        "assets/A\u{308}.png": picture, "assets/b.png": picture,
        "assets/B.png": try Fixture.picture("ridge.gif"),
      ])
    let notes = try read(tree).document.notes
    #expect(
      notes.text == "![](Images/A%CC%88.png) ![](Images/B.png.gif) ![](Images/b.png) ![](Images/B.png.gif)")
    #expect(notes.images.map(\.name) == ["A\u{308}.png", "B.png.gif", "b.png"])
    #expect(Array(notes.images[0].name.utf8) == Array("A\u{308}.png".utf8))
  }

  // MARK: Errors

  /// An object with so many arrays within each other.
  private static func nested(_ depth: Int) -> String {
    "{\"a\":" + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}"
  }

  static let bad: [(String, [String: String], String)] = [
    ("no info", ["text.md": ""], "it has no file 'info.json'."),
    (
      "two bundles", ["A.textbundle/info.json": "{}", "B.textbundle/info.json": "{}"],
      "it has 2 TextBundles ('A.textbundle', 'B.textbundle'): unpack it, and import each."
    ),
    ("no text", ["info.json": "{}"], "it has no file 'text.*'."),
    (
      "two texts", ["info.json": "{}", "text.md": "", "text.markdown": ""],
      "it has several texts ('text.markdown', 'text.md')."
    ),
    ("empty info", ["info.json": "", "text.md": ""], "it is not valid JSON ('info.json')."),
    ("array", ["info.json": "[]", "text.md": ""], "it is of the wrong kind ('info.json')."),
    ("cut", ["info.json": "{\n\"a\": 1", "text.md": ""], "it is not valid JSON ('info.json')."),
    ("two values", ["info.json": "{} {}", "text.md": ""], "it is not valid JSON ('info.json')."),
    ("word", ["info.json": "{\"a\": nul}", "text.md": ""], "it is not valid JSON ('info.json')."),
    ("number", ["info.json": "{\"a\": 01}", "text.md": ""], "'a' is not valid ('info.json')."),
    ("large number", ["info.json": "{\"a\": [1e999]}", "text.md": ""], "'a' is not valid ('info.json')."),
    (
      "key", ["info.json": #"{"a\n'": 01}"#, "text.md": ""],
      "'\(displayString("a\n'"))' is not valid ('info.json')."
    ),
    ("half", ["info.json": #"{"a": "\ud83d"}"#, "text.md": ""], "'a' is not valid ('info.json')."),
    ("escape", ["info.json": #"{"a": "\x"}"#, "text.md": ""], "'a' is not valid ('info.json')."),
    (
      "other kind",
      ["info.json": #"{"com.filepackages.imagenotes": {"version": 1, "images": [{}]}}"#, "text.md": ""],
      "'com.filepackages.imagenotes.images.Index 0.file' is missing ('info.json')."
    ),
    ("deep", ["info.json": nested(16), "text.md": ""], "'a' is not valid ('info.json')."),
    ("deeper", ["info.json": nested(500), "text.md": ""], "'a' is not valid ('info.json')."),
    ("very deep", ["info.json": nested(100_000), "text.md": ""], "it is not valid JSON ('info.json')."),
  ]

  @Test(arguments: bad)
  func `that is not one is refused in one sentence`(name: String, files: [String: String], reason: String)
    throws
  {
    let tree = try Fixture.tree(files.mapValues { Data($0.utf8) })
    #expect(error(tree) == "'A.textbundle' could not be imported as TextBundle: \(reason)", "\(name)")
  }

  @Test func `with a text that is none is refused`() throws {
    let bytes = try Fixture.tree(["info.json": Data("{}".utf8), "text.txt": Data([0x61, 0xFF])])
    #expect(
      error(bytes)
        == "'A.textbundle' could not be imported as TextBundle: it is not a text in UTF-8 ('text.txt').")
    let large = try Fixture.tree(["info.json": Data("{}".utf8), "text.md": Data(count: 16 << 20 + 1)])
    #expect(
      error(large)
        == "'A.textbundle' could not be imported as TextBundle: it is larger than 16 MiB ('text.md').")
    let keys = try Fixture.tree(["info.json": Data(repeating: 0x20, count: 1 << 20 + 1), "text.md": Data()])
    #expect(
      error(keys)
        == "'A.textbundle' could not be imported as TextBundle: it is larger than 1 MiB ('info.json').")
    #expect(
      error(FileWrapper(regularFileWithContents: Data()))
        == "'A.textbundle' could not be imported as TextBundle: it is a file, and a TextBundle is a folder.")
  }

  @Test func `keeps the words of an image that is not there`() throws {
    let text = "a\n\n![x](assets/x.png)\n![x](assets/x.png)"
    let (document, remarks) = try read(Fixture.textBundle(text))
    #expect(document.notes.text == text)
    #expect(remarks == [.missingImage("assets/x.png")])
    #expect(remarks.lines == ["the image 'assets/x.png' is missing; the text keeps its words"])
  }

  @Test func `follows no link`() throws {
    let tree = try Fixture.textBundle("![](assets/a.png)", [:])
    let link = FileWrapper(symbolicLinkWithDestinationURL: URL(filePath: "/etc/passwd"))
    try tree.setDescendant(link, at: "assets/a.png")
    let shown = try read(tree)
    #expect(shown.document.notes.images.isEmpty && shown.document.attachments.isEmpty)
    #expect(shown.remarks.first?.description.contains("it is a symbolic link to '/etc/passwd'") == true)
    let unnamed = try Fixture.textBundle("", [:])
    try unnamed.setDescendant(
      FileWrapper(symbolicLinkWithDestinationURL: URL(filePath: "/etc/passwd")), at: "assets/a.png")
    let (document, remarks) = try read(unnamed)
    #expect(document.notes.images.isEmpty && document.attachments.isEmpty)
    #expect(remarks == [.leftOut("assets/a.png", reason: "it is a symbolic link, which is not followed")])
  }

  // MARK: Texts and keys

  static let texts: [(String, String)] = [
    ("text.md", #"{"version": 2}"#), ("text.markdown", #"{"version": 2}"#),
    ("text.txt", "{ \"version\" : 1,\r\n} \n"),
    ("text.fountain", #"{"type": "com.quoteunquoteapps.fountain", "version": 2}"#), ("Text.html", "{}"),
    ("text.markdown", "\u{FEFF}{ \"b\": [1e5, \"}\"] }"),
    ("text.mdown", " {\n\n} "),
  ]

  @Test(arguments: texts)
  func `keeps the name of its text, and the values of its keys`(name: String, info: String) throws {
    let document = try read(Fixture.textBundle("Words", info: info, named: name)).document
    // Through a package, as an import and a later export do it.
    let again = try InterchangeDocument(package: document.packageTree())
    let files = try Fixture.files(of: InterchangeFormat.textBundle.write(again, named: "A").file)
    #expect(files.keys.sorted() == [name, "info.json"].sorted())
    #expect(files[name] == Data("Words".utf8))
    let written = try #require(files["info.json"])
    #expect(try keys(written) == keys(Data(info.utf8)))
    if name == "text.md" { #expect(written == Data(info.utf8)) }
  }

  private func keys(_ data: Data) throws -> [String: PropertyListValue] {
    try JSONDecoder().decode([String: PropertyListValue].self, from: data)
  }

  @Test func `chooses the text of its type`() throws {
    let tree = try Fixture.textBundle("Markdown", ["text.txt": Data("Plain".utf8)])
    #expect(try read(tree).document.notes.text == "Markdown")
    let plain = try Fixture.textBundle(
      "Markdown", info: #"{"type": "public.plain-text"}"#, ["text.txt": Data("Plain".utf8)])
    #expect(try read(plain).document.notes.text == "Plain")
  }

  @Test func `takes UTF-16 with a mark, and UTF-8 with one`() throws {
    let info = Data("{}".utf8)
    for bytes: [UInt8] in [[0xFF, 0xFE, 0xE4, 0], [0xFE, 0xFF, 0, 0xE4], [0xEF, 0xBB, 0xBF, 0xC3, 0xA4]] {
      #expect(try read(Fixture.tree(["info.json": info, "text.md": Data(bytes)])).document.notes.text == "ä")
    }
    let odd = try Fixture.tree(["info.json": info, "text.md": Data([0xFF, 0xFE, 0xE4])])
    #expect(error(odd)?.contains("it is not a text in UTF-8") == true)
  }

  @Test func `keeps the keys of all programs, with all their values`() throws {
    let members = #"""
      "":"","creatorIdentifier":"com.example.app","large":1e+200,"long":123456789012345678901234567890,\#
      "text":"ä😀\n/","version":2,"z":{"list":[1,-2.5,null,true,{},[],\#(String(repeating: "[", count: 13))\#
      \#(String(repeating: "]", count: 13))],"pi":3.14159265358979323846,"version":3}
      """#
    let tree = try Fixture.textBundle("No", info: "{\(members)}", ["assets/a.png": try Fixture.picture()])
    let again = try InterchangeDocument(package: read(tree).document.packageTree())
    let written = try Fixture.files(of: InterchangeFormat.textBundle.write(again, named: "A").file)[
      "info.json"]
    // The image is not named in the text, so that the file has keys of this library, too.
    let dense = String(decoding: try #require(written), as: UTF8.self).filter { !$0.isWhitespace }
    let own =
      #""com.filepackages.imagenotes":{"appended":"\n\n![](assets/a.png)\n","images":[{"file":"assets/a.png"}],"version":1},"#
    #expect(dense.contains(own))
    #expect(dense.replacing(own, with: "") == "{\(members)}")
  }

  @Test func `with a key twice keeps both until its own keys change, and one of them then`() throws {
    let info = #"{"twice":1,"twice":2}"#
    var document = try read(Fixture.textBundle("No", info: info)).document
    #expect(try document.packageTree().regularFile(at: "info.json").contents() == Data(info.utf8))
    document.notes.customName = "T"
    let tree = try InterchangeFormat.textBundle.write(document, named: "A").file
    let text = String(decoding: try tree.regularFile(at: "info.json").contents(), as: UTF8.self)
    #expect(text.contains(#""twice" : 1"#) != text.contains(#""twice" : 2"#))
  }

  @Test func `keeps its keys byte for byte if nothing is added to them`() throws {
    let info = "\u{FEFF}{ \"version\" : 2,\r\n  \"a\\/b\": [ ],\r\n}\r\n"
    let tree = try Fixture.textBundle(
      "![](assets/a.png)", info: info, ["assets/a.png": try Fixture.picture()])
    let document = try InterchangeDocument(package: read(tree).document.packageTree())
    let files = try Fixture.files(of: InterchangeFormat.textBundle.write(document, named: "A").file)
    #expect(try files == Fixture.files(of: tree))
  }

  // MARK: Documents of ours

  private func made() throws -> InterchangeDocument {
    var notes = ImageNotes(text: "Three valleys")
    try notes.add(
      imageData: Fixture.picture(), originalFilename: "zenith.png", caption: "Two\nlines [x] ![y](z) `q")
    try notes.add(imageData: Fixture.picture("ridge.gif"), originalFilename: "a/b.gif")
    notes.customName = "My trip"
    return InterchangeDocument(notes)
  }

  @Test func `holds a whole document, and shows its images to other programs`() throws {
    let document = try made()
    let (tree, remarks) = try InterchangeFormat.textBundle.write(document, named: "A")
    #expect(
      try String(decoding: tree.regularFile(at: "text.md").contents(), as: UTF8.self) == """
        Three valleys

        ![Two lines \\[x\\] \\!\\[y\\](z) \\`q](assets/zenith.png)

        ![](assets/a%3Ab.gif)

        """)
    #expect(remarks == [.imagesAtEnd(2), .notHeld(.identity, count: 1)])
    let (back, after) = try read(tree)
    #expect(after.isEmpty)
    #expect(try DocumentPicture(back) == DocumentPicture(document))
    // Another program's edit of the text stays, with the images that it shows.
    let text = try tree.regularFile(at: "text.md").contents() + Data("More\n".utf8)
    try tree.setDescendant(FileWrapper(regularFileWithContents: text), at: "text.md")
    let edited = try read(tree).document.notes
    #expect(edited.text.hasSuffix("](Images/zenith.png)\n\n![](Images/a%3Ab.gif)\nMore\n"))
    #expect(edited.images.map(\.originalFilename) == ["zenith.png", "a/b.gif"])
  }

  @Test func `says which image the document lacks, and which one lies outside of it`() throws {
    var document = try made()
    document.notes.text = "a\n![](Images/none.png) ![](../none.png)"
    let (tree, remarks) = try InterchangeFormat.textBundle.write(document, named: "Trip.imageNotes")
    #expect(remarks.prefix(2) == [.outside("../none.png"), .missingImage("Images/none.png")])
    #expect(try read(tree).document.notes.text == document.notes.text)
  }

  @Test(arguments: ["assets/%2e%2e/%2E%2E/x", "/etc/passwd", "file:///etc/passwd", "C:\\x.png", "../x.png"])
  func `keeps the words for an image outside of it, and takes the others`(path: String) throws {
    let tree = try Fixture.textBundle(
      "![](\(path)) ![](assets) ![](assets/../assets/a.png)", ["assets/a.png": try Fixture.picture()])
    let (document, remarks) = try read(tree)
    #expect(document.notes.text == "![](\(path)) ![](assets) ![](Images/a.png)")
    #expect(remarks == [.outside(path), .leftOut("assets", reason: "it is a folder")])
  }

  @Test func `names files apart that differ only in case, and folders from files`() throws {
    let picture = try Fixture.picture()
    let tree = try Fixture.textBundle(
      "![](assets/A.png) ![](assets/x/a.png) [f](assets/f) [g](f/g)",
      ["assets/A.png": picture, "assets/x/a.png": picture, "assets/f": Data("1".utf8), "f/g": Data("2".utf8)])
    let document = try read(tree).document
    #expect(document.notes.images.map(\.name) == ["A.png", "a 2.png"])
    #expect(document.attachments.keys.sorted() == ["f", "g"])
    let back = try read(InterchangeFormat.textBundle.write(document, named: "A").file).document
    #expect(back.notes.text == document.notes.text)
  }
}
