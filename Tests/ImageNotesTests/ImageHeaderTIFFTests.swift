import ImageNotes
import Testing

@Suite("A TIFF header")
struct ImageHeaderTIFFTests {
  /// Builds a TIFF file with padding before its first directory.
  private struct Builder {
    var bigEndian = false
    var isBig = false
    var padding = 0
    var entries: [(tag: UInt16, type: UInt16, count: UInt64, value: UInt64)] = []

    private func number<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
      bigEndian ? ImageBytes.big(number) : ImageBytes.little(number)
    }

    private func wide(_ value: UInt64) -> [UInt8] {
      isBig ? number(value) : number(UInt32(value))
    }

    /// The value, left-justified in its field as in the specification.
    private func field(_ type: UInt16, _ value: UInt64) -> [UInt8] {
      let bytes =
        switch type {
        case 3: number(UInt16(value))
        case 4: number(UInt32(value))
        default: wide(value)
        }
      return bytes + [UInt8](repeating: 0xEE, count: (isBig ? 8 : 4) - bytes.count)
    }

    func bytes() -> [UInt8] {
      let mark = Array((bigEndian ? "MM" : "II").utf8)
      let version: [UInt8] =
        isBig ? number(UInt16(43)) + number(UInt16(8)) + number(UInt16(0)) : number(UInt16(42))
      let offset = wide(UInt64((isBig ? 16 : 8) + padding))
      let count = isBig ? number(UInt64(entries.count)) : number(UInt16(entries.count))
      let directory = entries.flatMap {
        number($0.tag) + number($0.type) + wide($0.count) + field($0.type, $0.value)
      }
      return mark + version + offset + [UInt8](repeating: 0x2A, count: padding) + count + directory + wide(0)
    }
  }

  private static let kinds = [(false, false), (false, true), (true, false), (true, true)]

  @Test(arguments: kinds)
  func `is read in both byte orders, of both sizes, in every type and from anywhere`(
    _ bigEndian: Bool, _ isBig: Bool
  ) throws {
    for type: UInt16 in isBig ? [3, 4, 16] : [3, 4] {
      for padding in [0, 2, 100_000] {
        var file = Builder(bigEndian: bigEndian, isBig: isBig, padding: padding)
        file.entries = [(254, 4, 1, 0), (256, type, 1, 61), (257, type, 1, 37), (274, 3, 1, 8)]
        let header = try ImageHeader(file.bytes())
        #expect([header.pixelWidth, header.pixelHeight] == [61, 37])
        #expect(header.format == .tiff)
        #expect(header.orientation == .left)
      }
    }
  }

  @Test func `takes its entries in any order, and the first of two`() throws {
    let file = Builder(entries: [(257, 3, 1, 37), (256, 3, 1, 61), (256, 3, 1, 5), (257, 3, 1, 5)])
    let header = try ImageHeader(file.bytes())
    #expect([header.pixelWidth, header.pixelHeight] == [61, 37])
  }

  @Test(
    arguments: [
      [], [(256, 3, 1, 61)], [(257, 3, 1, 37)], [(256, 3, 1, 0), (257, 3, 1, 37)],
      [(256, 3, 2, 61), (257, 3, 1, 37)], [(256, 2, 1, 61), (257, 3, 1, 37)],
      [(256, 16, 1, 61), (257, 3, 1, 37)],
      [(256, 4, 1, 0x8000_0000), (257, 3, 1, 37)],
    ] as [[(UInt16, UInt16, UInt64, UInt64)]])
  func `is refused without two sides that can be`(_ entries: [(UInt16, UInt16, UInt64, UInt64)]) {
    let file = Builder(entries: entries.map { (tag: $0.0, type: $0.1, count: $0.2, value: $0.3) }).bytes()
    #expect {
      try ImageHeader(file)
    } throws: { error in
      guard case ImageHeaderError.impossible(.tiff, _) = error else { return false }
      return true
    }
  }

  @Test func `of 64 bits is refused when a side has more than 31`() {
    let file = Builder(isBig: true, entries: [(256, 16, 1, .max), (257, 16, 1, .max)]).bytes()
    #expect(
      throws: ImageHeaderError.impossible(
        .tiff, reason: "a side of 18446744073709551615 pixels is longer than 2147483647")
    ) { try ImageHeader(file) }
  }
}
