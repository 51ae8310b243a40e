import FilePackages
import FoundationEssentials
import ImageNotes
import TestSupport
import Testing

@Suite("Damaged documents of other programs", .tags(.scale))
struct MutationTests {
  private typealias Fixture = InterchangeFixture

  private static let info = #"""
    {"version":2,"transient":false,"com.filepackages.imagenotes":{"version":1,"title":"T","text":"text.md",
     "appended":"![](assets/a.png)","images":[{"file":"assets/a.png","filename":"b.png","caption":"c"}]},
     "a":[1.5e-3,true,null,"\u00e4\ud83d\ude00\n"]}
    """#
  private static let text =
    "# A\n![b](assets/a.png \"t\") [c]: <assets/d> `e` ```\n<img src='assets/a.png'>\n[x](y(z))\n"
  private static let rtf = #"""
    {\rtf1\ansi\ansicpg1252{\fonttbl\f0\fcharset77 G;}{\*\x y}\f0\uc1 a\u228 ?\'e4\par{{\NeXTGraphic a.png \width1}¬}\bin2 xx}
    """#
  /// Changes some bytes, removes a piece or repeats one.
  private static func mutated(_ text: String, _ generator: inout SeededGenerator) -> Data {
    var bytes = Array(text.utf8)
    let marks = Array("{}[]()<>\\\"'!`&;:,/%-=\n 0u".utf8) + [0, 0x80, 0xFF, 0xC3]
    for _ in 0..<Int.random(in: 1...6, using: &generator) {
      guard !bytes.isEmpty else { break }
      let place = Int.random(in: bytes.indices, using: &generator)
      let end = min(bytes.count, place + Int.random(in: 1...24, using: &generator))
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: bytes[place] = marks.randomElement(using: &generator) ?? 0
      case 1: bytes.insert(marks.randomElement(using: &generator) ?? 0, at: place)
      case 2: bytes.removeSubrange(place..<end)
      case 3:
        bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: bytes.indices, using: &generator))
      default: bytes.removeSubrange(place...)
      }
    }
    return Data(bytes)
  }

  @Test(arguments: 0..<40)
  func `are read or refused in one sentence`(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let picture = try Fixture.picture()
    var read = 0
    for _ in 0..<50 {
      let files = ["assets/a.png": picture, "assets/d": Data("d".utf8)]
      let documents: [(InterchangeFormat, [String: Data])] = [
        (.textBundle, ["info.json": Self.mutated(Self.info, &generator), "text.md": Data(Self.text.utf8)]),
        (.textBundle, ["info.json": Data(Self.info.utf8), "text.md": Self.mutated(Self.text, &generator)]),
        (.markdown, ["a.md": Self.mutated(Self.text, &generator)]),
        (.rtfd, ["TXT.rtf": Self.mutated(Self.rtf, &generator), "a.png": picture]),
      ]
      for (format, parts) in documents {
        let tree = try Fixture.tree(files.merging(parts) { own, _ in own })
        do {
          let document = try format.read(tree, named: "A").document
          read += 1
          // Every document that is read can be saved, and has all its files.
          let package = try InterchangeDocument(package: document.packageTree())
          let (saved, made) = (try DocumentPicture(package), try DocumentPicture(document))
          #expect(saved == made, "\(format) \(saved) \(made)")
        } catch let error as InterchangeError {
          let text = "\(error)"
          #expect(text.hasPrefix("'A' could not be imported as ") && text.hasSuffix("."), "\(text)")
          #expect(!text.contains("\n"))
        }
      }
    }
    // Some damage leaves a document that can be read; not all of it may.
    #expect((1..<200).contains(read))
  }
}
