import ImageNotes
import Testing

/// Rare kinds of files, built byte by byte from the specifications.
@Suite("A header of a rarer kind")
struct ImageHeaderVariantTests {
  private typealias Bytes = ImageBytes

  private func expect(
    _ bytes: [UInt8], is format: ImageHeader.Format, _ width: Int, _ height: Int,
    at location: SourceLocation = #_sourceLocation
  ) throws {
    let header = try ImageHeader(bytes)
    #expect(header.format == format, sourceLocation: location)
    #expect(header.size == [width, height], sourceLocation: location)
  }

  private func expectImpossible(
    _ bytes: [UInt8], _ format: ImageHeader.Format, at location: SourceLocation = #_sourceLocation
  ) {
    #expect(sourceLocation: location) {
      try ImageHeader(bytes)
    } throws: { error in
      guard case ImageHeaderError.impossible(format, _) = error else { return false }
      return true
    }
  }

  // MARK: PNG

  @Test func `of PNG is refused when another chunk comes first, or a side is 0`() throws {
    let png = try Bytes.file("Images/ridge.png")
    for (place, bytes) in [(12, Array("CgBI".utf8)), (16, [0, 0, 0, 0]), (20, [0, 0, 0, 0])] {
      var changed = png
      changed.replaceSubrange(place..<place + 4, with: bytes)
      expectImpossible(changed, .png)
    }
  }

  // MARK: JPEG

  @Test func `of JPEG may have fill bytes, large segments and any process`() throws {
    let large = Bytes.segment(0xE1, [UInt8](repeating: 0xFF, count: 65_533))
    let fill = [UInt8](repeating: 0xFF, count: 5000)
    for process: UInt8 in [0xC0, 0xC1, 0xC2, 0xC3, 0xC5, 0xC9, 0xCF, 0xDE] {
      let frame = Bytes.segment(process, Bytes.frame(width: 61, height: 37))
      try expect([0xFF, 0xD8] + large + fill + large + frame, is: .jpeg, 61, 37)
    }
  }

  @Test func `of JPEG is not found in the tables that lie between the frame markers`() throws {
    let tables = [0xC4, 0xC8, 0xCC].flatMap { Bytes.segment($0, Bytes.frame(width: 1, height: 1)) }
    let frame = Bytes.segment(0xC0, Bytes.frame(width: 61, height: 37))
    try expect([0xFF, 0xD8] + tables + [0xFF, 0x01] + frame, is: .jpeg, 61, 37)
  }

  @Test func `of JPEG without a usable frame is refused`() {
    let start: [UInt8] = [0xFF, 0xD8]
    expectImpossible(start + [0xFF, 0xD9], .jpeg)
    expectImpossible(start + Bytes.segment(0xDA, [0, 0]), .jpeg)
    expectImpossible(start + [0xFF, 0xE0, 0, 1], .jpeg)
    expectImpossible(start + Bytes.segment(0xE0, []) + [0], .jpeg)
    expectImpossible(start + Bytes.segment(0xC0, [8, 0, 1]), .jpeg)
    expectImpossible(start + Bytes.segment(0xC0, Bytes.frame(width: 61, height: 0)), .jpeg)
    expectImpossible(start + Bytes.segment(0xC0, Bytes.frame(width: 0, height: 37)), .jpeg)
  }

  @Test func `of JPEG is as stored when its Exif is damaged`() throws {
    let entry = Bytes.big(UInt16(274)) + Bytes.big(UInt16(3)) + Bytes.big(UInt32(1)) + Bytes.big(UInt16(6))
    let exif = Array("Exif\0\0MM\0*".utf8) + Bytes.big(UInt32(8)) + Bytes.big(UInt16(1)) + entry + [0, 0]
    let frame = Bytes.segment(0xC0, Bytes.frame(width: 61, height: 37))
    for orientation: UInt8 in 0...9 {
      var turned = exif
      turned[exif.count - 3] = orientation
      let bytes = [0xFF, 0xD8] + Bytes.segment(0xE1, turned) + frame
      try expect(
        bytes, is: .jpeg, (5...8).contains(orientation) ? 37 : 61, (5...8).contains(orientation) ? 61 : 37)
    }

    for length in 0..<exif.count - 2 {
      let cut = Bytes.segment(0xE1, Array(exif.prefix(length)))
      try expect([0xFF, 0xD8] + cut + frame, is: .jpeg, 61, 37)
    }
  }

  // MARK: GIF

  @Test func `of GIF87a is read, and one without a screen refused`() throws {
    let size = Bytes.little(UInt16(61)) + Bytes.little(UInt16(37)) + [0, 0, 0]
    try expect(Array("GIF87a".utf8) + size, is: .gif, 61, 37)
    expectImpossible(Array("GIF89a".utf8) + [0, 0, 37, 0, 0, 0, 0], .gif)
  }

  // MARK: WebP

  @Test func `of WebP is read from all three kinds of first chunk`() throws {
    let lossy: [UInt8] = [0x10, 0, 0, 0x9D, 0x01, 0x2A, 61, 0x40, 37, 0xC0]  // with scaling hints
    try expect(Bytes.webP("VP8 ", lossy), is: .webP, 61, 37)
    let lossless = [0x2F] + Bytes.little(UInt32(60 | 36 << 14 | 1 << 28))
    try expect(Bytes.webP("VP8L", lossless), is: .webP, 61, 37)
    let extended: [UInt8] = [0x10, 0, 0, 0, 0xFF, 0xFF, 0x01, 36, 0, 0]
    try expect(Bytes.webP("VP8X", extended), is: .webP, 131_072, 37)
  }

  @Test func `of WebP is refused when its chunk cannot be`() {
    expectImpossible(Bytes.webP("ALPH", [UInt8](repeating: 0, count: 10)), .webP)
    expectImpossible(Bytes.webP("VP8L", [0x2E, 0, 0, 0, 0]), .webP)
    expectImpossible(Bytes.webP("VP8 ", [0x10, 0, 0, 0x9D, 0x01, 0x2B, 61, 0, 37, 0]), .webP)
    expectImpossible(Bytes.webP("VP8 ", [0x10, 0, 0, 0x9D, 0x01, 0x2A, 0, 0xC0, 37, 0]), .webP)
  }
}
