import DurableIO
import Testing

@Suite("Hexadecimal digits")
struct HexadecimalTests {
  private let all = Array(UInt8.min...UInt8.max)

  @Test func `are two in lower case for each byte, and read back`() {
    #expect(([0, 9, 0x0A, 0x1F, 0xFF] as [UInt8]).hexadecimal == "00090a1fff")
    #expect([UInt8]().hexadecimal.isEmpty && "".utf8.hexadecimalDecoded == [])
    #expect(all.hexadecimal.utf8.hexadecimalDecoded == all)
  }

  @Test(arguments: ["0", "0A", "a0 ", "+f", "0g", "é"])
  func `are not read from another text`(text: String) {
    #expect(text.utf8.hexadecimalDecoded == nil)
  }

  @Test func `have a value in either case`() {
    for value in UInt8(0)..<16 {
      #expect(value.hexadecimalDigit().hexadecimalValue == value)
      #expect(value.hexadecimalDigit(isUpperCase: true).hexadecimalValue == value)
    }
    #expect(all.count { $0.hexadecimalValue != nil } == 22)
  }
}

@Suite("The escapes of URLs")
struct PercentCodingTests {
  @Test func `leave letters, digits, four marks and the given ones`() {
    #expect("aZ09-._~".utf8.percentEncoded() == "aZ09-._~")
    #expect("/a b+é%".utf8.percentEncoded() == "%2Fa%20b%2B%C3%A9%25")
    #expect("/a b/".utf8.percentEncoded(keeping: "/") == "/a%20b/")
    #expect(([0x00, 0xFF] as [UInt8]).percentEncoded() == "%00%FF")
  }

  @Test func `are read in either case`() {
    let all = Array(UInt8.min...UInt8.max)
    let decoded = all.percentEncoded().utf8.percentDecoded
    #expect(decoded.bytes == all && decoded.isWellFormed)
    #expect(Array("%c3%a9".utf8).percentDecoded.bytes == Array("é".utf8))
  }

  @Test(arguments: ["%", "a%", "%4", "%4g", "%g4", "%+f", "%%41"])
  func `stay where digits are missing`(text: String) {
    let decoded = text.utf8.percentDecoded
    #expect(!decoded.isWellFormed)
    #expect(decoded.bytes == Array(text.replacing("%41", with: "A").utf8))
  }
}

@Suite("A trimmed text")
struct TrimmingTests {
  @Test func `has no white space at its ends`() {
    #expect(" \t\n a b \u{3000}".trimmed() == "a b")
    #expect(" \n".trimmed().isEmpty && "".trimmed().isEmpty)
    #expect("--a-b-".trimmed { $0 == "-" } == "a-b")
  }
}

@Suite("The first free name")
struct FirstFreeTests {
  @Test func `has the least number that is not taken`() {
    let taken: Set = ["a1", "a2", "a4"]
    #expect(firstFree({ "a\($0)" }, isTaken: taken.contains) == "a3")
    #expect(firstFree(from: 4, { "a\($0)" }, isTaken: taken.contains) == "a5")
    #expect(firstFree({ "b\($0)" }, isTaken: taken.contains) == "b1")
  }
}
