import Documents
import FoundationEssentials
import ImageNotes
import Testing

@Suite("An image header")
struct ImageHeaderTests {
  @Test(arguments: ImageBytes.fixtures)
  func `tells the format of every kind of picture, and the size on display of those of the web`(
    _ fixture: ImageBytes.Fixture
  ) throws {
    let header = try ImageHeader(fixture.bytes())
    #expect(header.format == fixture.format)
    #expect(header.size == fixture.size)
  }

  @Test(arguments: ImageBytes.fixtures)
  func `is the same when read through a closure, in a few reads`(_ fixture: ImageBytes.Fixture) throws {
    let bytes = try fixture.bytes()
    var reads = 0
    let header = try ImageHeader(size: UInt64(bytes.count)) { offset, count in
      reads += 1
      return Array(bytes[Int(offset)..<Int(offset) + count])
    }
    #expect(try header == ImageHeader(bytes))
    #expect(reads <= 3)
  }

  @Test func `is read from Data and from a slice that does not begin at 0`() throws {
    let bytes = try ImageBytes.file("Images/ridge.gif")
    let data = Data([1, 2, 3] + bytes)
    #expect(try ImageHeader(Data(bytes)).size == [61, 37])
    #expect(try ImageHeader(data[3...]).size == [61, 37])
  }

  @Test(arguments: [("Dawn.png", ImageHeader.Format.png), ("Lake.jpeg", .jpeg), ("Hut.jpeg", .jpeg)])
  func `describes the pictures of the demonstration`(_ name: String, _ format: ImageHeader.Format) throws {
    let header = try ImageHeader(ImageBytes.file("Demo/\(name)"))
    #expect(header.format == format)
    #expect(header.size == [960, 640])
  }

  @Test func `goes by the brands of a HEIF, and does not take AVIF for HEIC`() throws {
    for brands in [["heix"], ["mif1", "heic"], ["msf1", "hevc"], ["mif1"], ["heim"], ["heis"], ["hevx"]] {
      #expect(try ImageHeader(ImageBytes.ftyp(brands)).format == .heic)
    }
    for bytes in [
      try ImageBytes.file("Images/ridge.avif"), ImageBytes.ftyp(["mif1", "avif"]), ImageBytes.ftyp(["mp42"]),
    ] {
      #expect(throws: ImageHeaderError.unknownFormat) { try ImageHeader(bytes) }
    }
  }

  @Test func `knows the bitmaps of OS_2 and of all versions of Windows`() throws {
    for size: UInt32 in [12, 16, 40, 52, 56, 64, 108, 124] {
      #expect(try ImageHeader(ImageBytes.bitmap(size: size, [])).format == .bmp)
    }
  }

  @Test(arguments: [
    "", "B", "BM", "BMW is a maker of cars, and of engines for aircraft.", "GIF88a and more", "\u{FF}",
    "RIFF    WAVEfmt ", "II, the second chapter", "    ftypqt  ", "<svg xmlns='http://www.w3.org/2000/svg'/>",
  ])
  func `refuses what is not a picture`(_ text: String) {
    #expect(throws: ImageHeaderError.unknownFormat) { try ImageHeader(Data(text.utf8)) }
  }
}

@Suite("An image format")
struct ImageFormatTests {
  @Test(arguments: ImageHeader.Format.allCases)
  func `prefers the first of its extensions`(_ format: ImageHeader.Format) {
    #expect(format.filenameExtensions.first == format.preferredFilenameExtension)
    #expect(format.filenameExtensions.allSatisfy { $0 == $0.lowercased() && !$0.hasPrefix(".") })
  }

  @Test func `has Apple's type`() {
    #expect(ImageHeader.Format.allCases.map(\.contentType) == [.png, .jpeg, .gif, .webP, .bmp, .tiff, .heic])
  }

  @Test func `shares no extension with another`() {
    let all = ImageHeader.Format.allCases.flatMap(\.filenameExtensions)
    #expect(Set(all).count == all.count)
  }
}

@Suite("An image header's error")
struct ImageHeaderErrorTests {
  @Test func `says in one sentence what is wrong`() {
    let errors: [ImageHeaderError] = [
      .unknownFormat, .truncated(.webP, missing: "the width"), .impossible(.png, reason: "it is torn"),
      .tooFarAway(.jpeg),
    ]
    #expect(
      errors.map(\.description) == [
        "This is not a picture of a known format (PNG, JPEG, GIF, WebP, BMP, TIFF, HEIC).",
        "The WebP picture is cut short: the width is missing.",
        "The PNG picture cannot be read: it is torn.",
        "The JPEG picture's size was not found in 1024 reads.",
      ])
  }
}
