import FoundationEssentials
import ImageNotes
import TestSupport
import Testing

/// Pictures as bytes: the committed ones, and pieces for further ones.
enum ImageBytes {
  /// A committed picture and its facts.
  struct Fixture: Sendable, CustomTestStringConvertible {
    let name: String
    let format: ImageHeader.Format
    var isOnItsSide = false

    var testDescription: String { name }

    /// The columns and rows on display; nil for a format of which only the format is read.
    var size: [Int]? {
      [.bmp, .tiff, .heic].contains(format) ? nil : isOnItsSide ? [37, 61] : [61, 37]
    }

    /// The bytes of the file.
    func bytes() throws -> [UInt8] { try ImageBytes.file("Images/\(name)") }
  }

  /// Every picture in `Fixtures/Images` that has a known format; all are stored 61 pixels wide and 37 high.
  static let fixtures = [
    Fixture(name: "ridge.png", format: .png),
    Fixture(name: "ridge.jpeg", format: .jpeg),
    Fixture(name: "ridge-progressive.jpeg", format: .jpeg),
    Fixture(name: "ridge-on-its-side.jpeg", format: .jpeg, isOnItsSide: true),
    Fixture(name: "ridge.gif", format: .gif),
    Fixture(name: "ridge-animated.gif", format: .gif),
    Fixture(name: "ridge-lossy.webp", format: .webP),
    Fixture(name: "ridge-lossless.webp", format: .webP),
    Fixture(name: "ridge-extended.webp", format: .webP),
    Fixture(name: "ridge.bmp", format: .bmp),
    Fixture(name: "ridge.tiff", format: .tiff),
    Fixture(name: "ridge-big-endian.tiff", format: .tiff),
    Fixture(name: "ridge-bigtiff.tiff", format: .tiff),
    Fixture(name: "ridge.heic", format: .heic),
  ]

  /// A file in the project's folder of fixtures.
  static func file(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: projectFolder.appending(path: "Fixtures/\(path)")))
  }

  /// The bytes of a number, the most significant first.
  static func big<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    little(number).reversed()
  }

  /// The bytes of a number, the least significant first.
  static func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  /// A box of a HEIF file with a size of 32 bits.
  static func box(_ type: String, _ body: [UInt8]) -> [UInt8] {
    big(UInt32(body.count + 8)) + Array(type.utf8) + body
  }

  /// A JPEG segment: marker, length, payload.
  static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
    [0xFF, marker] + big(UInt16(payload.count + 2)) + payload
  }

  /// The payload of a frame header with one component.
  static func frame(width: UInt16, height: UInt16) -> [UInt8] {
    [8] + big(height) + big(width) + [1, 1, 0x11, 0]
  }

  /// A WebP file of one chunk.
  static func webP(_ chunk: String, _ payload: [UInt8]) -> [UInt8] {
    Array("RIFF".utf8) + little(UInt32(payload.count + 12)) + Array("WEBP".utf8) + Array(chunk.utf8)
      + little(UInt32(payload.count)) + payload
  }

  /// A bitmap's file header and a bitmap header of `size` bytes, filled with zeros behind its fields.
  static func bitmap(size: UInt32, _ fields: [UInt8]) -> [UInt8] {
    let zeros = [UInt8](repeating: 0, count: max(0, Int(size) - 4 - fields.count))
    return Array("BM".utf8) + little(UInt32(0)) + little(UInt32(0)) + little(14 + size) + little(size)
      + fields
      + zeros
  }

  /// The box at the beginning of a HEIF file.
  static func ftyp(_ brands: [String]) -> [UInt8] {
    box("ftyp", Array(brands[0].utf8) + big(UInt32(0)) + brands.flatMap { Array($0.utf8) })
  }
}

extension ImageHeader {
  /// The columns and rows on display.
  var size: [Int]? {
    guard let displayWidth, let displayHeight else { return nil }
    return [displayWidth, displayHeight]
  }
}
