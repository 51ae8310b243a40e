import FilePackages
import FoundationEssentials
import TestSupport
import Testing

@Suite("The reader of the library's own property lists")
struct PropertyListReaderTests {
  private static let values: [String: PropertyListValue] = [
    "Title": .string("Zürich & <Basel> \"quoted\" 'too' 日本 \u{1F600}"), "Lines": .string("one\n\ttwo\n"),
    "Empty": .string(""), "a<b": .boolean(false), "Yes": .boolean(true), "Least": .integer(-1 << 59),
    "Zero": .integer(0), "None": .dictionary([:]), "Nothing": .array([]),
    "Nested": .dictionary([
      "list": .array([.integer(1), .array([.string("x")]), .dictionary(["k": .boolean(true)])])
    ]),
  ]

  private static func encoded(_ values: [String: PropertyListValue]) throws -> Data {
    try PackageMetadata(applicationValues: values).encoded()
  }

  @Test func `reads what the decoder reads`() throws {
    let data = try Self.encoded(Self.values)
    let read = try #require(PropertyListReader.written(data))
    #expect(read == PropertyListReader.decoded(data))
    for (key, value) in Self.values { #expect(read[key] == value) }
  }

  @Test func `reads each date as the decoder does`() throws {
    var generator = SeededGenerator(seed: 11)
    var seconds = [0, 951_782_400, 951_868_799, 1_709_164_800, 4_107_542_399, 253_402_300_799]
    for _ in 0..<500 { seconds.append(Int.random(in: 0..<253_402_300_800, using: &generator)) }
    for second in seconds {
      let data = try Self.encoded(["Date": .date(Date(timeIntervalSince1970: Double(second)))])
      let read = try #require(PropertyListReader.written(data))
      #expect(read == PropertyListReader.decoded(data))
    }
  }

  @Test(
    arguments: [
      "<date>2026-02-29T00:00:00Z</date>", "<date>2026-13-01T00:00:00Z</date>",
      "<date>2026-11-23T24:00:00Z</date>", "<integer>007</integer>", "<integer>+1</integer>",
      "<integer>9223372036854775808</integer>", "<integer></integer>", "<string/>", "<real>1.5</real>",
      "<string>a&#65;b</string>", "<string>a]]>b</string>", "<data>AA==</data>", "<string>a\rb</string>",
      "<true></true>", "<string>a</string><!-- a comment -->",
    ])
  func `leaves other values to the decoder`(_ value: String) throws {
    let plain = String(decoding: try Self.encoded(["A": .boolean(true)]), as: UTF8.self)
    let data = Data(plain.replacing("<true/>", with: value, maxReplacements: 1).utf8)
    #expect(PropertyListReader.written(data) == nil)
  }

  @Test func `reads nothing that the decoder reads in another way`() throws {
    let bytes = [UInt8](try Self.encoded(Self.values))
    var taken = 0
    for place in bytes.indices {
      for replacement in "<>&/-0a\n\t\0".utf8 + [0xC3, 0xFF] where replacement != bytes[place] {
        var damaged = bytes
        damaged[place] = replacement
        let data = Data(damaged)
        guard let read = PropertyListReader.written(data) else { continue }
        taken += 1
        #expect(read == PropertyListReader.decoded(data), "byte \(place) as \(replacement)")
      }
      #expect(PropertyListReader.written(Data(bytes[..<place])) == nil)
    }
    // A letter of a text may be another one.
    #expect(taken > 100)
  }

  @Test func `is bounded`() {
    func nested(_ depth: Int) -> Data {
      var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      text += "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" "
      text += "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n<plist version=\"1.0\">\n"
      text += "<dict>\n\t<key>a</key>\n"
      for level in 1...depth { text += String(repeating: "\t", count: level) + "<array>\n" }
      for level in (1...depth).reversed() { text += String(repeating: "\t", count: level) + "</array>\n" }
      return Data((text + "</dict>\n</plist>\n").utf8)
    }
    #expect(PropertyListReader.written(nested(63)) == PropertyListReader.decoded(nested(63)))
    #expect(PropertyListReader.written(nested(63)) != nil)
    #expect(PropertyListReader.written(nested(64)) == nil)
    #expect(PropertyListReader.decoded(nested(64)) == nil)
  }
}
