import FilePackages
import FoundationEssentials
import TestSupport
import Testing

@Suite("The plist of the metadata")
struct PropertyListWriterTests {
  private static func encoded(_ values: [String: PropertyListValue]) throws -> String {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .xml
    return String(decoding: try encoder.encode(values), as: UTF8.self)
  }

  private static func written(_ values: [String: PropertyListValue]) throws -> String {
    let data = try PackageMetadata(applicationValues: values).encoded()
    let all = try PropertyListDecoder().decode([String: PropertyListValue].self, from: data)
    for (key, value) in values { #expect(all[key] == value) }
    // The bytes equal the encoder's.
    #expect(try encoded(all) == String(decoding: data, as: UTF8.self))
    return String(decoding: data, as: UTF8.self)
  }

  @Test func `is what the encoder would write`() throws {
    let values: [String: PropertyListValue] = [
      "Title": .string("Zürich & <Basel> \"quoted\" 'too' 日本 \u{1F600}"), "Lines": .string("one\n\ttwo\n"),
      "Empty": .string(""), "a<b": .boolean(false), "Yes": .boolean(true), "Least": .integer(.min),
      "Most": .unsigned(.max), "None": .dictionary([:]), "Nothing": .array([]),
      "Nested": .dictionary([
        "list": .array([.integer(1), .array([.string("x")]), .dictionary(["k": .boolean(true)])])
      ]),
      "Real": .real(0.25), "Bytes": .data(Data([0, 1, 255])),
    ]
    #expect(try Self.written(values).contains("<key>Title</key>"))
    let plain = values.filter { !["Real", "Bytes"].contains($0.key) }
    #expect(try Self.written(plain).contains("<string>one\n\ttwo\n</string>"))
  }

  @Test(
    arguments: [
      ["A": .string("a\0b")], ["a\0b": .boolean(true)], ["A": .array([.dictionary(["k": .string("\0")])])],
    ] as [[String: PropertyListValue]])
  func `refuses a text that XML cannot hold, and the encoder would leave out`(
    _ values: [String: PropertyListValue]
  ) throws {
    #expect(throws: (any Error).self) { try PackageMetadata(applicationValues: values).encoded() }
  }

  @Test func `has every date that the encoder has`() throws {
    var generator = SeededGenerator(seed: 7)
    var seconds: [Double] = [0, 951_782_400, 951_868_799, 1_709_164_800, 4_107_542_399, 253_402_300_799]
    for _ in 0..<500 { seconds.append(Double(Int.random(in: 0..<253_402_300_800, using: &generator))) }
    for second in seconds + [-1, 0.5, 253_402_300_800] {
      let date = Date(timeIntervalSince1970: second)
      _ = try Self.written(["Date": .date(second == 0.5 ? Date(timeIntervalSince1970: 0) : date)])
    }
  }
}
