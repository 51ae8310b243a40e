/// The numbers of PKWARE's .ZIP File Format Specification (APPNOTE 6.3.10) that this library writes and reads.
enum ZipFormat {
  static let localHeader: UInt32 = 0x0403_4B50
  static let dataDescriptor: UInt32 = 0x0807_4B50
  static let centralHeader: UInt32 = 0x0201_4B50
  static let end: UInt32 = 0x0605_4B50
  static let end64: UInt32 = 0x0606_4B50
  static let locator64: UInt32 = 0x0706_4B50

  static let localHeaderSize = 30
  static let endSize = 22
  static let end64Size = 56
  static let locator64Size = 20

  // Flags.
  static let isEncrypted: UInt16 = 1 << 0
  static let hasDataDescriptor: UInt16 = 1 << 3
  static let isPatch: UInt16 = 1 << 5
  static let isStronglyEncrypted: UInt16 = 1 << 6
  static let isUTF8: UInt16 = 1 << 11
  static let hasMaskedHeader: UInt16 = 1 << 13

  // Methods.
  static let stored: UInt16 = 0
  static let deflated: UInt16 = 8
  static let lzma: UInt16 = 14
  static let encryptedAES: UInt16 = 99

  // Extra fields.
  static let zip64Field: UInt16 = 0x0001
  static let ntfsField: UInt16 = 0x000A
  static let extendedTimestampField: UInt16 = 0x5455
  static let unicodePathField: UInt16 = 0x7075
  static let aesField: UInt16 = 0x9901

  /// The system that made the entry. For Unix, the upper half of the external attributes is a mode.
  static let unix: UInt16 = 3
  static let macOS: UInt16 = 19
  /// A DOS attribute in the lower half of the external attributes.
  static let isDOSDirectory: UInt32 = 0x10
  /// The newest readable version of the format, 6.3.
  static let version: UInt16 = 63
  /// The 32-bit number that refers to the zip64 field.
  static let elsewhere32 = UInt32.max
  static let elsewhere16 = UInt16.max

  /// The number of seconds from 1601, the epoch of NTFS, to 1970.
  static let secondsFrom1601: Int64 = 11_644_473_600
}
