import FilePackages
import FoundationEssentials
import ImageNotes
import Testing

@Suite("A page of HTML")
struct HTMLPageTests {
  private typealias Fixture = InterchangeFixture

  static let pages: [(String, String)] = [
    ("<p>One\n two</p><p>Three<br>four", "One two\n\nThree\nfour"),
    ("<h1>A</h1><h3>B &amp; C</h3>text", "# A\n\n### B & C\n\ntext"),
    ("<ul><li>a<li>b</ul>c", "- a\n- b\n\nc"),
    (
      "<p>a <a href=\"https://example.org/?a=1&amp;b=2\">link</a>.</p>",
      "a [link](https://example.org/?a=1&b=2)."
    ),
    ("a<script>b < c</script><style>d</style><!-- e --><?f?><noscript>g</noscript>h", "ah"),
    ("<pre>  a\n  b</pre>", "  a\n  b"),
    (
      "<p>5 < 6 &lt; 7 &#228; &#xE4; &nbsp; &unknown; &#0; &#x110000; &</p>",
      "5 < 6 < 7 ä ä \u{A0} &unknown; &#0; &#x110000; &"
    ),
    ("<table><tr><td>a<td>b<tr><td>c</table>", "a\tb\nc"),
    ("<p>a<p>b</p></p></div></a><img>c", "a\n\nb\n\nc"),
    ("<p>![a](b)</p><pre>![c]</pre>", "!\\[a](b)\n\n!\\[c]"), ("a <b", "a <b"),
    ("a <a href=\"x", "a <a href=\"x"), ("", ""), ("<", "<"), ("</", "</"), ("<!--", ""),
    ("<title>T</title>x", "x"),
    ("<img src='https://example.org/x.png' alt='X'>", "![X](https://example.org/x.png)"),
    ("<p>Hello!<a href='b.html'>c</a></p>", "Hello\\![c](b.html)"),
    ("<p>\\!<a href='b.html'>c</a> \\<a href='d.html'>e</a></p>", "\\![c](b.html) \\\\[e](d.html)"),
    ("<p>Hello!<b>[c](d.png)</b></p>", "Hello!\\[c](d.png)"),
  ]

  @Test(arguments: pages)
  func `becomes a text`(page: String, text: String) throws {
    let file = FileWrapper(regularFileWithContents: Data(page.utf8))
    #expect(try InterchangeFormat.html.read(file, named: "a.html").document.notes.text == text)
  }

  @Test func `gives its images and its title`() throws {
    let picture = try Fixture.picture()
    let page = """
      <html><head><title> A &amp; B </title></head><body><p>x <img alt="Peak" src="img/a%20b.png"></p>
      <img src="data:image/png;base64,\(picture.base64EncodedString())"><a href="e.pdf">e</a></body>
      """
    let tree = try Fixture.tree(
      ["page.html": Data(page.utf8), "img/a b.png": picture, "e.pdf": Data("e".utf8), "other.png": picture])
    let (document, _) = try InterchangeFormat.htmlFolder.read(tree, named: "A")
    #expect(document.notes.customName == "A & B")
    #expect(
      document.notes.text == "x ![Peak](Images/a%20b.png)\n\n![](Images/Image.png)[e](Attachments/e.pdf)")
    #expect(document.notes.images.map(\.name) == ["a b.png", "Image.png", "other.png"])
    #expect(document.notes.images.map(\.caption) == ["Peak", "", ""])
  }

  @Test func `escapes all that the document says`() throws {
    let evil = "<script>alert(1)</script>&lt;\"'><img src=x onerror=alert(2)> </title></div>"
    var notes = ImageNotes(
      text: "![\"><script>](Images/a.png) " + evil.replacing("<img src=x onerror", with: "<i onerror"))
    notes.customName = evil
    try notes.add(imageData: Fixture.picture(), originalFilename: "a.png", caption: evil)
    try notes.add(imageData: Fixture.picture(), originalFilename: "\"><script>.png", caption: evil)
    for format in [InterchangeFormat.html, .htmlFolder] {
      let file = try format.write(InterchangeDocument(notes), named: "A").file
      let page = try format == .html ? file.contents() : file.regularFile(at: "index.html").contents()
      let text = String(decoding: page, as: UTF8.self)
      #expect(
        !text.contains("<script") && !text.contains("onerror=alert(2)>") && !text.contains("</title></div>"))
      #expect(text.split(separator: "<title").count == 2 && text.split(separator: "</div>").count == 2)
      let back = try format.read(file, named: "A").document.notes
      #expect(back.text == notes.text.replacing("![\"><script>]", with: "![\">\\<script>]"))
      #expect(back.images.map(\.caption) == [evil, evil])
    }
  }

  @Test func `has a bounded number of files, and names them apart`() throws {
    let link = { (count: Int) in
      Data(
        (0..<count).map { "<a href='data:;base64,\(Data("\($0)".utf8).base64EncodedString())'>x</a>" }
          .joined().utf8)
    }
    let few = try InterchangeFormat.html.read(FileWrapper(regularFileWithContents: link(3)), named: "a.html")
    #expect(few.document.attachments.keys.sorted() == ["File", "File 2", "File 3"])
    #expect {
      try InterchangeFormat.html.read(FileWrapper(regularFileWithContents: link(10_001)), named: "a.html")
    } throws: { error in
      "\(error)" == "'a.html' could not be imported as HTML: it has more than 10000 files ('index.html')."
    }
  }

  @Test func `gives no file a path that leads out, is too long, or is that of another file`() throws {
    let long = String(repeating: "a", count: 256)
    let deep = String(repeating: "a/", count: 300) + "a"
    let names = ["../a", "/a", "", "a//b", "a\0b", ".", long, deep, "folder/a.pdf"]
    let page = names.map {
      "<a href='data:;base64,\(Data($0.utf8).base64EncodedString())' data-name='\($0)'>x</a>"
    }
    .joined()
    let tree = try Fixture.tree(["a.html": Data(page.utf8), "folder/a.pdf": Data("b".utf8)])
    let document = try InterchangeFormat.htmlFolder.read(tree, named: "A").document
    let taken = (2...8).map { "File \($0)" } + ["File", "folder/a.pdf"]
    #expect(document.attachments.keys.sorted() == taken.sorted())
    #expect(
      try InterchangeDocument(package: document.packageTree()).attachments.keys.sorted() == taken.sorted())
    let both = try Fixture.tree([
      "a.html": Data((page + "<a href='folder/a.pdf'>y</a>").utf8), "folder/a.pdf": Data("b".utf8),
    ])
    let attachments = try InterchangeFormat.htmlFolder.read(both, named: "A").document.attachments
    #expect(try attachments["folder/a 2.pdf"]?.contents() == Data("b".utf8))
  }

  static let bad: [(String, String)] = [
    (
      "<img src='x.png'>",
      "the page shows the image 'x.png', which is not there ('index.html'). "
        + "Add the image, or remove it from the text."
    ),
    (
      "<img src='../x.png'>",
      "the page shows '../x.png', which lies outside it ('index.html'). "
        + "Put the file beside the text, and name it there."
    ),
    ("<img src='data:image/png;base64,A'>", "the base64 of a 'data:' URL is damaged ('index.html')."),
    ("<img src='data:image/svg+xml,x'>", "a 'data:' URL of the page is not in base64 ('index.html')."),
  ]

  @Test(arguments: bad)
  func `with a bad image is refused in one sentence`(page: String, reason: String) throws {
    let file = FileWrapper(regularFileWithContents: Data(page.utf8))
    #expect {
      try InterchangeFormat.html.read(file, named: "a.html")
    } throws: { error in
      "\(error)" == "'a.html' could not be imported as HTML: \(reason)"
    }
  }
}
