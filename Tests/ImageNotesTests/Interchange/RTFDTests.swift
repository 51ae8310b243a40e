import FilePackages
import FoundationEssentials
import ImageNotes
import TestSupport
import Testing

@Suite("An RTFD")
struct RTFDTests {
  private typealias Fixture = InterchangeFixture

  private func read(_ rtf: [UInt8], _ files: [String: Data] = [:]) throws -> (
    document: InterchangeDocument, remarks: [InterchangeRemark]
  ) {
    let tree = try Fixture.tree(files.merging(["TXT.rtf": Data(rtf)]) { own, _ in own })
    return try InterchangeFormat.rtfd.read(tree, named: "A.rtfd")
  }

  static let texts: [(String, String)] = [
    (#"{\rtf1 Hello \b bold\b0 , \i{italic}}"#, "Hello bold, italic"),
    ("{\\rtf1\\ansi a\\\nb\\par c\\line d\r\ne}", "a\nb\nc\nde"),
    (#"{\rtf1 \{\\\}\~\_\-x}"#, "{\\}\u{A0}\u{2011}x"),
    (#"{\rtf1\ansi\ansicpg1252 \'93q\'94 \'80\'e4}"#, "“q” €ä"),
    (#"{\rtf1\mac \'8a\'d2q\'d3\'f0}"#, "ä“q”\u{F8FF}"),
    (#"{\rtf1\ansi\ansicpg10000 \'8a}"#, "ä"),
    (#"{\rtf1\uc0\u8984 x}"#, "⌘x"),
    (#"{\rtf1\u8364?x\u-10179?\u-8704?}"#, "€x😀"),
    (#"{\rtf1\uc2\u228 \'61\'62c{\uc0\u228 d}\u228 xye}"#, "äcädäe"),
    (#"{\rtf1\uc1\u228{}x\u228\tab y}"#, "äxäy"),
    (#"{\rtf1\u-10179 x}"#, "\u{FFFD}"),
    (#"{\rtf1{\fonttbl\f0\fcharset77 Geneva;\f1\fcharset0 Arial;}\f0 \'8a\f1 \'e4}"#, "ää"),
    (
      #"{\rtf1{\colortbl;\red1;}{\*\expandedcolortbl;;}{\stylesheet a;}{\info{\title t}}{\*\unknown x{y}}z}"#,
      "z"
    ),
    (#"{\rtf1 a{\field{\*\fldinst{HYPERLINK "http://x.org"}}{\fldrslt link}}b}"#, "alinkb"),
    (#"{\rtf1 a\tab b\cell c\row d\emdash e\bullet}"#, "a\tb\tc\nd—e•"),
    (#"{\rtf1 ![a](b.png)}"#, "!\\[a](b.png)"),
    (#"{\rtf1\bin3 }}}x}"#, "x"), (#"{\rtf1 a}b"#, "a"),
    (#"{\rtf1\'zz\'4\u99999999999999999 }"#, "zz4\u{FFFD}"),
    (#"{\rtf1{\listtext\#u{9}\uc0\u8226 \#u{9}}item}"#, "\t•\titem"),
  ]

  @Test(arguments: texts)
  func `gives its text`(rtf: String, text: String) throws {
    let rtf = rtf.replacing("\\#u{9}", with: "\t")
    #expect(try read(Array(rtf.utf8)).document.notes.text == text)
  }

  @Test func `gives an attachment after an exclamation mark as a link`() throws {
    let rtf = #"{\rtf1 Look!{{\NeXTGraphic a.pdf \width1}}, \\{{\NeXTGraphic a.pdf}}}"#
    let document = try read(Array(rtf.utf8), ["a.pdf": Data("a".utf8)]).document
    #expect(document.notes.text == #"Look\![a.pdf](Attachments/a.pdf), \\[a.pdf](Attachments/a.pdf)"#)
    let page = try InterchangeFormat.html.write(document, named: "A").file.contents()
    #expect(!String(decoding: page, as: UTF8.self).contains("<img"))
  }

  @Test func `gives its attachments in their places`() throws {
    let picture = try Fixture.picture()
    var rtf = Array(#"{\rtf1\ansi a {{\NeXTGraphic Pasted Graphic.png \width7440 \height8200 \appleaqc"#.utf8)
    rtf +=
      [0x0A] + Array("}".utf8) + [0xAC]
      + Array(#"}b {{\NeXTGraphic \'dcbersicht.pdf \width1}\'ac}c\par "#.utf8)
    rtf += Array(#"{\NeXTGraphic \uc0\u-10179 \u-8576 .png}d \'ac{{\NeXTGraphic Pasted Graphic.png}}e}"#.utf8)
    let files = [
      "Pasted Graphic.png": picture, "U\u{308}bersicht.pdf": Data("e".utf8), "🚀.png": picture,
      "Unnamed.png": picture, ".DS_Store": Data([1]),
    ]
    let (document, remarks) = try read(rtf.filter { $0 != 0x23 }, files)
    #expect(
      document.notes.text
        == "a ![](Images/Pasted%20Graphic.png)b [Übersicht.pdf](Attachments/U%CC%88bersicht.pdf)c\n"
        + "![](Images/%F0%9F%9A%80.png)d ¬![](Images/Pasted%20Graphic.png)e")
    #expect(document.notes.images.map(\.name) == ["Pasted Graphic.png", "🚀.png", "Unnamed.png"])
    #expect(document.attachments.count == 1)
    #expect(
      remarks == [.leftOut(".DS_Store", reason: "its name is hidden"), .notHeld(.formatting, count: 1)])
  }

  static let bad: [(String, String)] = [
    ("", "it is not RTF ('TXT.rtf')."), ("hello", "it is not RTF ('TXT.rtf')."),
    (#"{\rtf1 a"#, "it is cut short ('TXT.rtf')."), (#"{\rtf1 a\"#, "it is cut short ('TXT.rtf')."),
    (#"{\rtf1\bin99 a}"#, "it is cut short ('TXT.rtf')."),
    (#"{\rtf1"# + String(repeating: "{", count: 2000), "more than 1000 groups are open ('TXT.rtf')."),
    (#"{\rtf1\ansicpg932 \'82\'a0}"#, "its text is in the code page 932, which is not read ('TXT.rtf')."),
  ]

  @Test(arguments: bad)
  func `that is damaged is refused in one sentence`(rtf: String, reason: String) throws {
    #expect {
      try read(Array(rtf.utf8))
    } throws: { error in
      "\(error)" == "'A.rtfd' could not be imported as RTFD: \(reason)"
    }
  }

  @Test func `keeps the names of attachments that it lacks`() throws {
    let rtf = #"{\rtf1 a {{\NeXTGraphic none.png}\'ac} b {{\NeXTGraphic ../x.png}\'ac}}"#
    let (document, remarks) = try read(Array(rtf.utf8))
    #expect(document.notes.text == "a none.png b ../x.png")
    #expect(remarks.prefix(2) == [.missingImage("none.png"), .outside("../x.png")])
  }

  @Test(.enabled(if: InterchangeFixture.samples != nil, InterchangeFixture.samplesMessage))
  func `of a Mac gives its text and its pictures`() throws {
    let folder = try #require(Fixture.samples).appending(path: "README.rtfd")
    let (document, remarks) = try InterchangeFormat.rtfd.read(FileWrapper(url: folder), named: "README.rtfd")
    let text = document.notes.text
    #expect(text.hasPrefix("Welcome to DIM\n\nNo more messy Desktop"))
    #expect(text.contains("similar to this:\n![](Images/Pasted%20Graphic.png)\nDIM never touches"))
    #expect(text.contains("you need to select “OK”.") && text.contains("the command (⌘) key"))
    #expect(text.hasSuffix("http://www.parker9.com"))
    #expect(document.notes.images.map(\.name) == ["Pasted Graphic.png", "First_time_use1.jpg.png"])
    #expect(remarks.contains(.renamed("First_time_use1.jpg", to: "Images/First_time_use1.jpg.png")))
    for format in InterchangeFormat.writable where format.isReadable {
      let back = try format.read(format.write(document, named: "README").file, named: "README").document
      #expect(back.notes.text.hasPrefix(text))
      #expect(
        try back.notes.images.map { try $0.file().contents() }
          == document.notes.images.map { try $0.file().contents() })
    }
  }
}
