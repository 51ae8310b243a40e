import DurableIO
import TestSupport
import Testing

@Suite("A file name")
struct FileNameTests {
  @Test func `of any single byte, and of random bytes, is read back from its string`() {
    var generator = SeededGenerator(seed: 2)
    // Mostly bytes that begin, continue and break UTF-8, with those of U+10FE00 and its neighbours.
    let choice: [UInt8] = [
      0x61, 0xC3, 0xA9, 0xE2, 0x82, 0xAC, 0xED, 0xA0, 0xF4, 0x8F, 0xB8, 0xBB, 0x80, 0xBF, 0xFF,
    ]
    let random = (0..<20_000).map { _ in
      (0..<Int.random(in: 0..<12, using: &generator)).map { _ in
        choice[Int.random(in: choice.indices, using: &generator)]
      }
    }
    for bytes in (UInt8.min...UInt8.max).map({ [$0] }) + random {
      let name = FileName(bytes: bytes)
      #expect(FileName(name.string) == name, "\(bytes)")
      #expect(FileName(name.escapedString) == name, "\(bytes)")
    }
  }

  @Test func `that is UTF-8 is its own string`() {
    for text in ["Text.txt", "Größe", "日本語", "e\u{301}", "👩‍👩‍👧", "\u{10FDFF}", "\u{10FF00}", ""] {
      #expect(FileName(text).string.unicodeScalars.elementsEqual(text.unicodeScalars))
      #expect(FileName(text).bytes == Array(text.utf8))
    }
  }

  @Test func `that has a scalar of the escapes in it is spelled in one way only`() {
    for value: UInt32 in [0x10FE00, 0x10FE41, 0x10FEFF] {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let bytes = Array(String(scalar).utf8)
      let name = FileName(bytes: bytes)
      #expect(name.string.unicodeScalars.count == 4)
      #expect(FileName(name.string) == name)
      #expect(name != FileName(bytes: [UInt8(truncatingIfNeeded: value)]))
    }
  }

  @Test func `is not another one that looks equal`() {
    let (composed, decomposed) = (FileName("\u{E9}"), FileName("e\u{301}"))
    #expect(composed.string == decomposed.string)
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed]).count == 2)
    #expect(composed.escapedString != decomposed.escapedString)
  }

  @Test(arguments: [
    ("Text.txt", "Text.txt"), ("Größe", "Größe"), ("a\nb", "a\\x0Ab"), ("\u{7F}", "\\x7F"),
    ("\u{85}", "\\xC2\\x85"), ("\u{202E}txt.exe", "\\xE2\\x80\\xAEtxt.exe"), ("\u{1B}[31m", "\\x1B[31m"),
  ])
  func `is shown without what would harm a terminal`(name: String, shown: String) {
    #expect(FileName(name).display == shown)
  }

  @Test func `is shown with the bytes that are no text`() {
    #expect(FileName(bytes: [0x61, 0xFF, 0xC3, 0x62]).display == "a\\xFF\\xC3b")
  }

  @Test func `tells why it cannot be used`() {
    #expect(FileName("").problem == .empty)
    #expect(FileName(".").problem == .dots)
    #expect(FileName("..").problem == .dots)
    #expect(FileName("a/b").problem == .slash)
    #expect(FileName("a\0b").problem == .nul)
    #expect(FileName(bytes: [UInt8](repeating: 0x61, count: 256)).problem == .tooLong)
    #expect(FileName(bytes: [UInt8](repeating: 0xFF, count: 255)).problem == nil)
    #expect(FileName("...").problem == nil)
    #expect(FileName("\n").problem == nil)
  }

  @Test func `comes before another by its bytes`() {
    let names: [FileName] = ["", "B", "a", "a\0", "ab", "é", FileName(bytes: [0xFF])]
    #expect(names.shuffled().sorted() == names)
  }
}
