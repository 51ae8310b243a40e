import DurableIO

/// The headers of one entry that an export writes into a zip.
struct ZipRecord {
  var name: [UInt8]
  /// Kind and permission bits as in stat(2).
  var mode: UInt32
  var modified: FileTime
  var method = ZipFormat.stored
  var crc: UInt32 = 0
  var compressedSize: UInt64 = 0
  var size: UInt64 = 0
  /// The offset of the local header.
  var offset: UInt64 = 0
  /// Whether checksum and compressed size follow the bytes, because they are not known before.
  var hasDescriptor = false
  /// Whether the entry has no extra fields. Its date is then DOS's, in steps of two seconds.
  var isPlain = false

  /// The size that requires the zip64 field. It leaves room because deflate makes incompressible bytes a little
  /// larger.
  private static let limit = UInt64(UInt32.max) - (1 << 24)

  private var needsZip64: Bool { size >= Self.limit || compressedSize >= Self.limit }

  private var flags: UInt16 {
    var flags: UInt16 = hasDescriptor ? ZipFormat.hasDataDescriptor : 0
    let isASCII = name.allSatisfy { $0 < 0x80 }
    if !isASCII, String(validating: name, as: UTF8.self) != nil { flags |= ZipFormat.isUTF8 }
    return flags
  }

  private var versionNeeded: UInt16 { needsZip64 || offset >= Self.limit ? 45 : 20 }

  /// Appends method, date, checksum and sizes, which are the middle of both headers.
  private func appendCommon(
    to bytes: inout [UInt8], crc: UInt32, compressedSize: UInt32, size: UInt32, extraCount: Int
  ) {
    let dos = DOSTime(modified)
    bytes.append(
      littleEndian: flags, method, dos.time, dos.date, crc, compressedSize, size, UInt16(name.count),
      UInt16(extraCount))
  }

  /// The header before the bytes.
  var localHeader: [UInt8] {
    var extra = timestamp
    if needsZip64 {
      let (size, compressedSize) = hasDescriptor ? (0, 0) : (self.size, self.compressedSize)
      extra.append(littleEndian: ZipFormat.zip64Field, UInt16(16), size, compressedSize)
    }
    var bytes: [UInt8] = []
    bytes.append(littleEndian: ZipFormat.localHeader, needsZip64 ? UInt16(45) : 20)
    let (compressed, whole) = hasDescriptor ? (0, 0) : (compressedSize, size)
    appendCommon(
      to: &bytes, crc: hasDescriptor ? 0 : crc,
      compressedSize: needsZip64 ? ZipFormat.elsewhere32 : UInt32(compressed),
      size: needsZip64 ? ZipFormat.elsewhere32 : UInt32(whole), extraCount: extra.count)
    return bytes + name + extra
  }

  /// The descriptor behind the bytes; empty if the header holds everything.
  var dataDescriptor: [UInt8] {
    guard hasDescriptor else { return [] }
    var bytes: [UInt8] = []
    bytes.append(littleEndian: ZipFormat.dataDescriptor, crc)
    if needsZip64 {
      bytes.append(littleEndian: compressedSize, size)
    } else {
      bytes.append(littleEndian: UInt32(compressedSize), UInt32(size))
    }
    return bytes
  }

  /// The header in the directory at the archive's end.
  var centralHeader: [UInt8] {
    var extra = timestamp + ntfsTime
    let isFar = offset >= Self.limit
    if needsZip64 || isFar {
      extra.append(littleEndian: ZipFormat.zip64Field, UInt16((needsZip64 ? 16 : 0) + (isFar ? 8 : 0)))
      if needsZip64 { extra.append(littleEndian: size, compressedSize) }
      if isFar { extra.append(littleEndian: offset) }
    }
    var bytes: [UInt8] = []
    bytes.append(littleEndian: ZipFormat.centralHeader, ZipFormat.unix << 8 | 45, versionNeeded)
    appendCommon(
      to: &bytes, crc: crc, compressedSize: needsZip64 ? ZipFormat.elsewhere32 : UInt32(compressedSize),
      size: needsZip64 ? ZipFormat.elsewhere32 : UInt32(size), extraCount: extra.count)
    // The lengths of a comment, the number of a disk, and internal attributes.
    bytes.append(littleEndian: UInt16(0), UInt16(0), UInt16(0))
    let isDirectory = name.last == UInt8(ascii: "/")
    bytes.append(
      littleEndian: mode << 16 | (isDirectory ? 0x10 : 0), isFar ? ZipFormat.elsewhere32 : UInt32(offset))
    return bytes + name + extra
  }

  /// The date in whole seconds since 1970, which most programs read; empty for dates that the field cannot hold.
  private var timestamp: [UInt8] {
    guard !isPlain, let seconds = Int32(exactly: modified.seconds) else { return [] }
    var bytes: [UInt8] = []
    bytes.append(littleEndian: ZipFormat.extendedTimestampField, UInt16(5), UInt8(1), seconds)
    return bytes
  }

  /// The date in steps of 100 ns.
  private var ntfsTime: [UInt8] {
    if isPlain { return [] }
    let (seconds, overflows) = modified.seconds.addingReportingOverflow(ZipFormat.secondsFrom1601)
    guard !overflows, seconds >= 0, seconds < Int64.max / 10_000_000 - 1 else { return [] }
    let time = UInt64(seconds) * 10_000_000 + UInt64(modified.nanoseconds / 100)
    var bytes: [UInt8] = []
    bytes.append(
      littleEndian: ZipFormat.ntfsField, UInt16(32), UInt32(0), UInt16(1), UInt16(24), time, time, time)
    return bytes
  }
}
