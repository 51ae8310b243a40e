import ImageNotes
import Testing

/// Rare kinds of files, built byte by byte from the specifications.
@Suite("A header of a rarer kind")
struct ImageHeaderVariantTests {
  private typealias Bytes = ImageBytes

  private func expect(
    _ bytes: [UInt8], is format: ImageHeader.Format, _ width: Int, _ height: Int,
    _ orientation: ImageHeader.Orientation = .up, at location: SourceLocation = #_sourceLocation
  ) throws {
    let header = try ImageHeader(bytes)
    #expect(header.format == format, sourceLocation: location)
    #expect([header.pixelWidth, header.pixelHeight] == [width, height], sourceLocation: location)
    #expect(header.orientation == orientation, sourceLocation: location)
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

  @Test func `of PNG is refused when a bit of it changed, or another chunk comes first`() throws {
    let png = try Bytes.file("Images/ridge.png")
    for position in 16..<33 {
      var changed = png
      changed[position] ^= 0x10
      expectImpossible(changed, .png)
    }
    var renamed = png
    renamed.replaceSubrange(12..<16, with: Array("CgBI".utf8))
    expectImpossible(renamed, .png)
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
    expectImpossible(start + Bytes.segment(0xC0, [8, 0, 37, 0, 61, 3, 1, 0x11, 0]), .jpeg)
    expectImpossible(start + Bytes.segment(0xC0, Bytes.frame(width: 61, height: 0)), .jpeg)
    expectImpossible(start + Bytes.segment(0xC0, Bytes.frame(width: 0, height: 37)), .jpeg)
  }

  @Test func `of JPEG is upright when its Exif is damaged`() throws {
    let entry = Bytes.big(UInt16(274)) + Bytes.big(UInt16(3)) + Bytes.big(UInt32(1)) + Bytes.big(UInt16(6))
    let exif = Array("Exif\0\0MM\0*".utf8) + Bytes.big(UInt32(8)) + Bytes.big(UInt16(1)) + entry + [0, 0]
    let frame = Bytes.segment(0xC0, Bytes.frame(width: 61, height: 37))
    try expect([0xFF, 0xD8] + Bytes.segment(0xE1, exif) + frame, is: .jpeg, 61, 37, .right)

    for length in 0..<exif.count - 2 {
      let cut = Bytes.segment(0xE1, Array(exif.prefix(length)))
      try expect([0xFF, 0xD8] + cut + frame, is: .jpeg, 61, 37, .up)
    }
    var nine = exif
    nine[exif.count - 3] = 9
    try expect([0xFF, 0xD8] + Bytes.segment(0xE1, nine) + frame, is: .jpeg, 61, 37, .up)
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
    expectImpossible(Bytes.webP("VP8X", [0, 0, 0, 0]), .webP)
    expectImpossible(Bytes.webP("VP8X", [0, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 6)), .webP)
    expectImpossible(Bytes.webP("VP8L", [0x2E, 0, 0, 0, 0]), .webP)
    expectImpossible(Bytes.webP("VP8L", [0x2F, 0, 0, 0, 0x20]), .webP)
    expectImpossible(Bytes.webP("VP8 ", [0x11, 0, 0, 0x9D, 0x01, 0x2A, 61, 0, 37, 0]), .webP)
    expectImpossible(Bytes.webP("VP8 ", [0x10, 0, 0, 0x9D, 0x01, 0x2A, 0, 0xC0, 37, 0]), .webP)
  }

  // MARK: BMP

  @Test func `of BMP may be OS/2's, and may store the top row first`() throws {
    let core = Bytes.little(UInt16(61)) + Bytes.little(UInt16(37)) + [1, 0, 24, 0]
    try expect(Bytes.bitmap(size: 12, core), is: .bmp, 61, 37)
    for size: UInt32 in [16, 40, 52, 56, 64, 108, 124] {
      for height: Int32 in [37, -37] {
        let fields = Bytes.little(Int32(61)) + Bytes.little(height) + [1, 0, 32, 0]
        try expect(Bytes.bitmap(size: size, fields), is: .bmp, 61, 37)
      }
    }
  }

  @Test func `of BMP is refused when its sides, planes or bits cannot be`() {
    let good = Bytes.little(Int32(61)) + Bytes.little(Int32(37)) + [1, 0, 24, 0]
    for (position, bytes) in [
      (0, Bytes.little(Int32(0))), (0, Bytes.little(Int32(-61))), (4, Bytes.little(Int32.min)), (8, [2]),
      (10, [7]),
    ] {
      var fields = good
      fields.replaceSubrange(position..<position + bytes.count, with: bytes)
      expectImpossible(Bytes.bitmap(size: 40, fields), .bmp)
    }
  }

  // MARK: HEIC

  @Test func `of HEIC is cropped before it is turned`() throws {
    let turned = Bytes.box("irot", [1])
    let file = Bytes.heic(properties: [Bytes.ispe(64, 40), Bytes.clap(61, 37), turned])
    try expect(file, is: .heic, 61, 37, .left)
    let other = Bytes.heic(properties: [Bytes.ispe(64, 40), turned, Bytes.clap(37, 61)])
    try expect(other, is: .heic, 61, 37, .left)
    let halves = Bytes.heic(properties: [Bytes.ispe(64, 40), Bytes.clap(123, 75, dividedBy: 2)])
    try expect(halves, is: .heic, 61, 37)
  }

  @Test func `of HEIC adds up turns and mirrorings as the encoders mean them`() throws {
    let turns = [[], Bytes.box("irot", [1]), Bytes.box("irot", [2]), Bytes.box("irot", [3])]
    let leftRight = Bytes.box("imir", [1])
    let topBottom = Bytes.box("imir", [0])
    let expected: [(mirror: [UInt8], orientations: [ImageHeader.Orientation])] = [
      ([], [.up, .left, .down, .right]),
      (leftRight, [.upMirrored, .rightMirrored, .downMirrored, .leftMirrored]),
      (topBottom, [.downMirrored, .leftMirrored, .upMirrored, .rightMirrored]),
    ]
    for (mirror, orientations) in expected {
      for (turn, orientation) in zip(turns, orientations) {
        let properties = [Bytes.ispe(61, 37), turn, mirror].filter { !$0.isEmpty }
        try expect(Bytes.heic(properties: properties), is: .heic, 61, 37, orientation)
      }
    }
  }

  @Test func `of HEIC goes by its brands, and where they are silent by its item`() throws {
    let properties = [Bytes.ispe(61, 37)]
    for brands in [["heix"], ["mif1", "heic"], ["msf1", "hevc"], ["mif1"], ["heim"], ["heis"], ["hevx"]] {
      try expect(Bytes.heic(brands: brands, properties: properties), is: .heic, 61, 37)
    }
    try expect(Bytes.heic(itemType: "grid", properties: properties), is: .heic, 61, 37)
    for (brands, type) in [
      (["avif", "mif1"], "av01"), (["mif1", "avif"], "av01"), (["mif1"], "av01"), (["mif1"], "jpeg"),
    ] {
      let file = Bytes.heic(brands: brands, itemType: type, properties: properties)
      #expect(throws: ImageHeaderError.unknownFormat) { try ImageHeader(file) }
    }
  }

  @Test func `of HEIC may come after other boxes, one of them with a size of 64 bits`() throws {
    let file = Bytes.heic(properties: [Bytes.ispe(61, 37)])
    let start = Bytes.ftyp(["heic", "mif1"])
    let wide =
      Bytes.big(UInt32(1)) + Array("mdat".utf8) + Bytes.big(UInt64(5016)) + [UInt8](repeating: 7, count: 5000)
    let moved = start + Bytes.box("free", [1, 2, 3]) + wide + file[start.count...]
    try expect(moved, is: .heic, 61, 37)
  }

  @Test func `of HEIC without a usable size is refused`() {
    expectImpossible(Bytes.heic(properties: []), .heic)
    expectImpossible(Bytes.heic(properties: [Bytes.ispe(0, 37)]), .heic)
    expectImpossible(Bytes.heic(properties: [Bytes.ispe(.max, 37)]), .heic)
    expectImpossible(Bytes.heic(properties: [Bytes.box("ispe", [0, 0, 0, 0, 0])]), .heic)
    expectImpossible(Bytes.heic(properties: [Bytes.clap(61, 37), Bytes.ispe(61, 37)]), .heic)
    expectImpossible(Bytes.heic(properties: [Bytes.ispe(61, 37), Bytes.clap(62, 37)]), .heic)
    expectImpossible(Bytes.heic(properties: [Bytes.ispe(61, 37), Bytes.clap(61, 37, dividedBy: 0)]), .heic)
    expectImpossible(Bytes.ftyp(["msf1", "hevc"]) + Bytes.box("moov", []), .heic)
  }
}
