import FilePackages
import FoundationEssentials
import ImageNotes
import TestSupport
import Testing

@Suite("A document in another format and back")
struct RoundTripTests {
  private typealias Fixture = InterchangeFixture

  /// A document, and what each format says that it loses.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable () throws -> InterchangeDocument
    /// The losses, without that of the identity, which all formats have.
    let losses: [InterchangeFormat: [InterchangeRemark]]
  }

  static let textBundles: [InterchangeFormat] = [.textBundle, .textPack]
  static let cases: [Case] = [
    Case(testDescription: "nothing", make: { InterchangeDocument() }, losses: [:]),
    Case(
      testDescription: "text alone, with each kind of line end",
      make: { InterchangeDocument(ImageNotes(text: " a\r\n\tb  c\rd <&>\" \u{A0}ä😀 `x\n\n\n")) }, losses: [:]),
    Case(
      testDescription: "an image where the text shows it",
      make: {
        try document("One\n\n![Peak](Images/ridge.png) two", ["ridge.png"], captions: ["Peak"])
      }, losses: [:]),
    Case(
      testDescription: "a title and captions",
      make: {
        var made = try document(
          "![](Images/ridge.png)\n\n![Peak](Images/ridge.gif)", ["ridge.png", "ridge.gif"],
          captions: ["A", "B"])
        made.notes.customName = "My <trip> & more"
        return made
      },
      losses: [.markdown: [.notHeld(.title, count: 1), .notHeld(.captions, count: 2)]]),
    Case(
      testDescription: "images that the text does not name, in an order of their own",
      make: {
        try document("Words", ["ridge.tiff", "ridge.bmp"], captions: ["Two\nlines", "[b] <c> \"d\""])
      },
      losses: [
        .textBundle: [.imagesAtEnd(2)], .textPack: [.imagesAtEnd(2)], .html: [.imagesAtEnd(2)],
        .markdown: [.imagesAtEnd(2), .notHeld(.captions, count: 1)],
      ]),
    Case(
      testDescription: "an image that the text shows twice, before the first one",
      make: {
        try document(
          "![](Images/ridge.png) ![](Images/ridge.gif) ![](Images/ridge.png)", ["ridge.gif", "ridge.png"])
      },
      losses: [
        .markdown: [.notHeld(.order, count: 1)],
        .html: [.repeated("ridge.png", count: 2), .notHeld(.order, count: 1)],
      ]),
    Case(
      testDescription: "images in lines of their own, between and behind which the text goes on",
      make: {
        try document(
          "Trip\n\n![Peak](Images/ridge.png)\nTwo\n![](Images/ridge.gif)\n", ["ridge.png", "ridge.gif"],
          captions: ["Peak", ""])
      }, losses: [:]),
    Case(
      testDescription: "a line of an image that was removed",
      make: { try document("One\n![Gone](Images/Gone.png)\nTwo ![](Images/ridge.png)\n", ["ridge.png"]) },
      losses: Dictionary(
        uniqueKeysWithValues: InterchangeFormat.writable.map { ($0, [.missingImage("Images/Gone.png")]) })),
    Case(
      testDescription: "original filenames",
      make: {
        var notes = ImageNotes(text: "![](Images/a%3Ab.png)")
        try notes.add(imageData: Fixture.picture(), originalFilename: "a/b.png")
        return InterchangeDocument(notes)
      },
      losses: [
        .markdown: [.notHeld(.originalFilenames, count: 1)], .html: [.notHeld(.originalFilenames, count: 1)],
      ]),
    Case(
      testDescription: "attachments and other programs' keys",
      make: {
        try InterchangeFormat.textBundle.read(
          Fixture.textBundle(
            "[e](assets/e.pdf)", info: #"{"version": 2, "com.example": {"a": [1.50]}}"#,
            ["assets/e.pdf": Data("%PDF-".utf8), "assets/sub/f.txt": Data("f".utf8)]), named: "A"
        ).document
      },
      losses: [
        .markdown: [.notHeld(.otherKeys, count: 1)],
        .html: [
          .leftOut("Attachments/sub/f.txt", reason: "the text has no link to it"),
          .notHeld(.otherKeys, count: 1),
        ],
      ]),
  ]

  private static func document(
    _ text: String, _ pictures: [String], captions: [String] = []
  ) throws -> InterchangeDocument {
    var notes = ImageNotes(text: text)
    for (index, name) in pictures.enumerated() {
      try notes.add(
        imageData: Fixture.picture(name), originalFilename: name,
        caption: captions.indices.contains(index) ? captions[index] : "")
    }
    return InterchangeDocument(notes)
  }

  @Test(arguments: cases, InterchangeFormat.writable)
  func `is the same but for the parts that the report names`(one: Case, format: InterchangeFormat) throws {
    let document = try one.make()
    let (file, remarks) = try format.write(document, named: "Trip.imageNotes")
    #expect(remarks == (one.losses[format] ?? []) + [.notHeld(.identity, count: 1)])
    guard format.isReadable else { return }
    try Self.check(document, remarks, is: format.read(file, named: "Trip").document, format)
    // A second trip changes nothing any more.
    let back = try format.read(file, named: "Trip").document
    let again = try format.read(format.write(back, named: "Trip").file, named: "Trip").document
    #expect(try DocumentPicture(again) == DocumentPicture(back))
  }

  /// Compares a document with the one that came back, in every part that the remarks do not name.
  private static func check(
    _ document: InterchangeDocument, _ remarks: [InterchangeRemark], is back: InterchangeDocument,
    _ format: InterchangeFormat, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    func isLost(_ part: InterchangeRemark.Part) -> Bool {
      remarks.contains { if case .notHeld(part, _) = $0 { true } else { false } }
    }
    var (before, after) = (try DocumentPicture(document), try DocumentPicture(back))
    if format == .markdown, before.images.contains(where: { !before.text.contains($0.path.dropFirst(7)) }) {
      #expect(after.text.hasPrefix(before.text), sourceLocation: sourceLocation)
      (before.text, after.text) = ("", "")
    }
    if isLost(.title) { (before.title, after.title) = (nil, nil) }
    for path in remarks.compactMap(\.leftOutPath) {
      before.attachments[PackagePath(path.replacing("Attachments/", with: ""))] = nil
    }
    if isLost(.order) {
      before.images.sort { $0.path < $1.path }
      after.images.sort { $0.path < $1.path }
    }
    func masked(_ image: DocumentPicture.Image) -> DocumentPicture.Image {
      var image = image
      if isLost(.captions) || format == .markdown && image.caption.isEmpty { image.caption = "" }
      if isLost(.originalFilenames) { image.originalFilename = "" }
      return image
    }
    before.images = before.images.map(masked)
    after.images = after.images.map(masked)
    #expect(after == before, sourceLocation: sourceLocation)
  }

  @Test(arguments: 0..<60)
  func `is the same for random documents`(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let document = try Self.random(&generator)
    for format in InterchangeFormat.writable where format.isReadable {
      let (file, remarks) = try format.write(document, named: "Random")
      let back = try format.read(file, named: "Random").document
      try Self.check(document, remarks, is: back, format)
      if Self.textBundles.contains(format) {
        #expect(try DocumentPicture(back) == DocumentPicture(document), "seed \(seed)")
      }
      let package = try InterchangeDocument(package: back.packageTree())
      #expect(try DocumentPicture(package) == DocumentPicture(back))
    }
  }

  private static let pictures = ["ridge.png", "ridge.gif", "ridge.bmp", "ridge.jpeg", "ridge-lossy.webp"]
  private static let words = [
    "hut", "ä\u{308}", "😀", "<b>", "&amp;", "\n", "\n\n", "  ", "\t", "`", "```\n", "[", "](", ")", "\\",
    "# ", "\r\n",
    "![", "\"", "'", "<!--", "-->", "http://example.org/a.png", "[x]: y", "> ", "%20", "\u{FEFF}", "—",
  ]

  private static func random(_ generator: inout SeededGenerator) throws -> InterchangeDocument {
    var notes = ImageNotes()
    for _ in 0..<Int.random(in: 0...4, using: &generator) {
      let picture = pictures.randomElement(using: &generator) ?? ""
      let stem = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
        ["a", "B", " ", "(", ")", "ä", "%41", "#", "?", "'", "&", "+", "😀"].randomElement(using: &generator)
          ?? ""
      }
      let name = stem.joined() + "." + (picture.split(separator: ".").last.map(String.init) ?? "")
      let caption = Bool.random(using: &generator) ? "" : words.shuffled(using: &generator).prefix(2).joined()
      try notes.add(imageData: Fixture.picture(picture), originalFilename: name, caption: caption.trimmed)
    }
    var text = ""
    for _ in 0..<Int.random(in: 0...12, using: &generator) {
      text += words.filter { $0 != "![" && $0 != "](" }.randomElement(using: &generator) ?? ""
      // Text with an image in it begins a paragraph of its own, so that no code or comment is around it.
    }
    if let image = notes.images.randomElement(using: &generator), !text.contains("`"), !text.contains("<!--"),
      !text.contains("["), !text.hasSuffix("\\"), !text.hasSuffix("!")
    {
      let name = image.name.utf8.map { byte in
        let digits = String(byte, radix: 16, uppercase: true)
        let isPlain =
          byte < 0x80 && Character(Unicode.Scalar(byte)).isLetter || "-._~0123456789".utf8.contains(byte)
        return isPlain ? String(Unicode.Scalar(byte)) : "%" + (digits.count < 2 ? "0" : "") + digits
      }
      text += "![\(image.caption.filter { $0.isLetter })](Images/\(name.joined())) end"
    }
    notes.text = text
    if Bool.random(using: &generator) { notes.customName = "Title \(generator.next())" }
    return InterchangeDocument(notes)
  }
}

extension String {
  fileprivate var trimmed: String {
    let start = drop { $0.isWhitespace }
    return String(start.reversed().drop { $0.isWhitespace }.reversed())
  }
}
