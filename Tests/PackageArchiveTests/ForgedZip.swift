import CZlib

typealias Zip = ForgedZip

/// A zip made byte by byte, which may contain false statements.
struct ForgedZip {
  struct Entry {
    var name: [UInt8]
    /// The name in the entry's own header; nil for the same name.
    var ownName: [UInt8]?
    /// The bytes in the archive.
    var data: [UInt8]
    var method: UInt16 = 0
    var flags: UInt16 = 0
    var mode: UInt32 = 0o100644
    var crc: UInt32
    var size: UInt32
    var ownSize: UInt32?
    var ownMethod: UInt16?
    var ownCRC: UInt32?
    /// The system of origin, 3 for Unix, and the version of the format that the entry needs.
    var system: UInt16 = 3
    var version: UInt16 = 20
    /// The lower half of the attributes, in DOS's form.
    var attributes: UInt32 = 0
    /// A data descriptor behind the data.
    var descriptor: [UInt8] = []
    var extra: [UInt8] = []
    var ownExtra: [UInt8] = []
    /// The offset in the directory; nil for the true offset.
    var offset: UInt32?
    /// Bytes between the entry and the next one.
    var trailer: [UInt8] = []

    init(_ name: String, _ content: [UInt8] = Array("content".utf8), mode: UInt32 = 0o100644) {
      self.init(Array(name.utf8), content, mode: mode)
    }

    init(_ name: [UInt8], _ content: [UInt8] = Array("content".utf8), mode: UInt32 = 0o100644) {
      self.name = name
      data = content
      self.mode = mode
      crc = checksum(content)
      size = UInt32(content.count)
    }

    /// Returns a deflated file.
    static func deflated(_ name: String, _ content: [UInt8]) -> Entry {
      var entry = Entry(name, content)
      entry.data = deflate(content)
      entry.method = 8
      return entry
    }

    static func link(_ name: String, to target: String) -> Entry {
      Entry(name, Array(target.utf8), mode: 0o120777)
    }
  }

  var entries: [Entry]
  var comment: [UInt8] = []
  /// The number of entries in the end record; nil for the true number.
  var count: UInt16?
  /// Bytes before and after the archive.
  var prefix: [UInt8] = []
  var suffix: [UInt8] = []

  init(_ entries: Entry...) {
    self.entries = entries
  }

  /// The number of parts in the 64-bit form of the end; nil without that form.
  var parts: UInt32?

  var bytes: [UInt8] {
    var bytes = prefix
    var directory: [UInt8] = []
    for entry in entries {
      let offset = entry.offset ?? UInt32(bytes.count)
      bytes += [0x50, 0x4B, 3, 4] + little(entry.version) + little(entry.flags)
      bytes += little(entry.ownMethod ?? entry.method) + little(UInt16(0)) + little(UInt16(0x21))
      bytes += little(entry.ownCRC ?? entry.crc) + little(UInt32(entry.data.count))
      bytes += little(entry.ownSize ?? entry.size) + little(UInt16((entry.ownName ?? entry.name).count))
      bytes += little(UInt16(entry.ownExtra.count)) + (entry.ownName ?? entry.name) + entry.ownExtra
      bytes += entry.data + entry.descriptor + entry.trailer
      directory +=
        [0x50, 0x4B, 1, 2] + little(entry.system << 8 | 20) + little(entry.version) + little(entry.flags)
      directory += little(entry.method) + little(UInt16(0)) + little(UInt16(0x21)) + little(entry.crc)
      directory += little(UInt32(entry.data.count)) + little(entry.size) + little(UInt16(entry.name.count))
      directory += little(UInt16(entry.extra.count)) + little(UInt16(0)) + little(UInt16(0))
      directory += little(UInt16(0)) + little(entry.mode << 16 | entry.attributes) + little(offset)
      directory += entry.name + entry.extra
    }
    let start = bytes.count
    let count = self.count ?? UInt16(entries.count)
    bytes += directory
    if let parts {
      let place = bytes.count
      bytes += [0x50, 0x4B, 6, 6] + little(UInt64(44)) + little(UInt16(45)) + little(UInt16(45))
      bytes += little(UInt32(0)) + little(UInt32(0)) + little(UInt64(count)) + little(UInt64(count))
      bytes += little(UInt64(directory.count)) + little(UInt64(start))
      bytes += [0x50, 0x4B, 6, 7] + little(UInt32(0)) + little(UInt64(place)) + little(parts)
    }
    bytes += [0x50, 0x4B, 5, 6] + little(UInt16(0)) + little(UInt16(0))
    bytes += little(count) + little(count) + little(UInt32(directory.count)) + little(UInt32(start))
    return bytes + little(UInt16(comment.count)) + comment + suffix
  }
}

func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
  withUnsafeBytes(of: number.littleEndian, Array.init)
}

func checksum(_ bytes: [UInt8]) -> UInt32 {
  UInt32(truncatingIfNeeded: crc32(0, bytes, uInt(bytes.count)))
}

/// Returns raw deflate of the bytes, by zlib.
func deflate(_ bytes: [UInt8]) -> [UInt8] {
  zlibbed(bytes, windowBits: -15)
}

/// Returns gzip of the bytes, by zlib.
func gzip(_ bytes: [UInt8]) -> [UInt8] {
  zlibbed(bytes, windowBits: 31)
}

private func zlibbed(_ bytes: [UInt8], windowBits: Int32) -> [UInt8] {
  var stream = z_stream()
  deflateInit2_(
    &stream, 9, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
    Int32(MemoryLayout<z_stream>.size))
  var input = bytes
  var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, uLong(bytes.count))) + 64)
  let count = input.withUnsafeMutableBufferPointer { input in
    output.withUnsafeMutableBufferPointer { output in
      stream.next_in = input.baseAddress
      stream.avail_in = uInt(input.count)
      stream.next_out = output.baseAddress
      stream.avail_out = uInt(output.count)
      precondition(CZlib.deflate(&stream, Z_FINISH) == Z_STREAM_END)
      return Int(stream.total_out)
    }
  }
  deflateEnd(&stream)
  return Array(output.prefix(count))
}
