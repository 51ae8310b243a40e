import DurableIO
import Glibc

/// One entry of a zip's directory.
struct ZipEntry {
  var name: [UInt8] = []
  var flags: UInt16 = 0
  var method: UInt16 = 0
  var dosTime = DOSTime(date: 0x21, time: 0)
  var crc: UInt32 = 0
  var compressedSize: UInt64 = 0
  var size: UInt64 = 0
  var offset: UInt64 = 0
  /// The offset of the compressed bytes; known after `check(_:end:)`.
  var dataOffset: UInt64 = 0
  /// Kind and permission bits as in stat(2); 0 if the archive comes from a system without them.
  var mode: UInt32 = 0
  private var fields = ZipExtraFields()
  /// The name in UTF-8, if the entry has one beside the name in a code page.
  private(set) var unicodeName: [UInt8]?

  /// Whether the archive marks the name as UTF-8.
  var isNameUTF8: Bool { flags & ZipFormat.isUTF8 != 0 || unicodeName != nil }
  /// Whether the entry has attributes of Unix.
  private(set) var isFromUnix = false

  var isEncrypted: Bool { flags & ZipFormat.isEncrypted != 0 }
  var hasDescriptor: Bool { flags & ZipFormat.hasDataDescriptor != 0 }
  var isDirectory: Bool { name.last == UInt8(ascii: "/") }

  /// The date in steps of 100 ns since 1970, if the archive is so precise.
  var modified100ns: Int64? {
    fields.ntfsTime.flatMap { Int64(exactly: $0) }.map { $0 - ZipFormat.secondsFrom1601 * 10_000_000 }
  }

  /// The date with the archive's best precision.
  var modified: FileTime {
    if let hundreds = modified100ns {
      let seconds = hundreds >= 0 ? hundreds / 10_000_000 : (hundreds - 9_999_999) / 10_000_000
      return FileTime(seconds: seconds, nanoseconds: UInt32(hundreds - seconds * 10_000_000) * 100)
    }
    if let seconds = fields.unixTime { return FileTime(seconds: Int64(seconds), nanoseconds: 0) }
    return dosTime.fileTime
  }

  /// Reads the next record of the directory; nil if the record is damaged.
  ///
  /// - Throws: a finding that names the entry.
  init?(central reader: inout LittleEndianReader) throws {
    guard reader.next() == ZipFormat.centralHeader, let madeBy = reader.next(UInt16.self),
      let version = reader.next(UInt16.self), let flags = reader.next(UInt16.self),
      let method = reader.next(UInt16.self), let time = reader.next(UInt16.self),
      let date = reader.next(UInt16.self), let crc = reader.next(UInt32.self),
      let compressedSize = reader.next(UInt32.self), let size = reader.next(UInt32.self),
      let nameSize = reader.next(UInt16.self), let extraSize = reader.next(UInt16.self),
      let commentSize = reader.next(UInt16.self), let disk = reader.next(UInt16.self),
      reader.next(UInt16.self) != nil, let attributes = reader.next(UInt32.self),
      let offset = reader.next(UInt32.self), let name = reader.bytes(Int(nameSize)),
      let extra = reader.bytes(Int(extraSize)), reader.bytes(Int(commentSize)) != nil
    else { return nil }
    self.name = Array(name)
    (self.flags, self.method, self.crc) = (flags, method, crc)
    dosTime = DOSTime(date: date, time: time)
    guard disk == 0 else { throw damage("it is in another part of the archive") }
    try check(version: version)
    // Only Unix and macOS store a mode there.
    isFromUnix = [ZipFormat.unix, ZipFormat.macOS].contains(madeBy >> 8)
    if isFromUnix { mode = attributes >> 16 }
    try checkKind(attributes)
    let needed = (size == .max ? 1 : 0) + (compressedSize == .max ? 1 : 0) + (offset == .max ? 1 : 0)
    guard let fields = ZipExtraFields(extra, isLocal: false, zip64Count: needed) else {
      throw damage("its extra fields are damaged")
    }
    self.fields = fields
    var far = fields.zip64[...]
    self.size = size == .max ? far.removeFirst() : UInt64(size)
    self.compressedSize = compressedSize == .max ? far.removeFirst() : UInt64(compressedSize)
    self.offset = offset == .max ? far.removeFirst() : UInt64(offset)
    try checkFeatures()
  }

  /// Refuses entries that need a later version, which may give another meaning to the same bytes.
  private func check(version: UInt16) throws {
    guard version & 0xFF <= ZipFormat.version else {
      throw ArchiveError.Finding(.unsupported, entry: name, "it needs a later version of the format")
    }
  }

  /// Checks that all programs read the entry as the same kind. Programs differ in which attributes they believe.
  private func checkKind(_ attributes: UInt32) throws {
    let kind = attributes >> 16 & S_IFMT
    let isFolder = kind == S_IFDIR || !isFromUnix && attributes & ZipFormat.isDOSDirectory != 0
    guard isDirectory || !isFolder || name.last == UInt8(ascii: "\\") && !isFromUnix else {
      throw damage("some programs read it as a file, and other programs as a folder")
    }
    guard isFromUnix || kind != S_IFLNK else {
      throw damage("some programs read it as a file, and other programs as a link")
    }
  }

  private func damage(_ reason: String) -> ArchiveError.Finding { .init(.damaged, entry: name, reason) }

  private mutating func checkFeatures() throws {
    // Stored, deflate, bzip2, LZMA, Zstandard, and AES around one of them.
    guard [0, 8, 12, 14, 93, ZipFormat.encryptedAES].contains(method) else {
      throw ArchiveError.Finding(
        .unsupported, entry: name, "its method of compression, \(method), is not known")
    }
    try checkEncryptedMethod(fields)
    guard flags & (ZipFormat.isStronglyEncrypted | ZipFormat.hasMaskedHeader) == 0 else {
      throw ArchiveError.Finding(.unsupported, entry: name, "its encryption is not known")
    }
    guard flags & ZipFormat.isPatch == 0 else {
      throw ArchiveError.Finding(.unsupported, entry: name, "it is a change to an earlier file")
    }
    if flags & ZipFormat.isUTF8 != 0, String(validating: name, as: UTF8.self) == nil {
      throw ArchiveError.Finding(.unsafeName, entry: name, "its name is marked as UTF-8, but is not UTF-8")
    }
    try takeUnicodePath(of: fields)
    if method == 0, !isEncrypted, size != compressedSize { throw damage("its size is wrong") }
    if isDirectory && size != 0 { throw damage("it is a folder with bytes") }
  }

  /// Checks the method of an encrypted entry. libarchive decrypts only stored or deflated entries, and would return
  /// other ones encrypted.
  private func checkEncryptedMethod(_ fields: ZipExtraFields) throws {
    guard isEncrypted || method == ZipFormat.encryptedAES else { return }
    let inner = method == ZipFormat.encryptedAES ? fields.aesMethod : method
    guard isEncrypted, inner == ZipFormat.stored || inner == ZipFormat.deflated else {
      throw ArchiveError.Finding(
        .unsupported, entry: name, "it is encrypted, and its compression is not supported with encryption")
    }
  }

  /// Takes the name of a Unicode Path field, which must be the header's name in other characters. Programs differ
  /// in which of the two they read.
  private mutating func takeUnicodePath(of fields: ZipExtraFields) throws {
    guard let (checksum, other) = fields.unicodePath, other != name else { return }
    guard flags & ZipFormat.isUTF8 == 0, name.withUnsafeBytes({ CRC32(of: $0).value }) == checksum,
      unicodeName == nil || unicodeName == other, String(validating: other, as: UTF8.self) != nil,
      ZipTranscript.is(other, of: name)
    else { throw damage("it has two different names") }
    unicodeName = other
  }

  // MARK: Its own header

  /// Reads the entry's own header and its data descriptor. They must agree with the directory and end before `end`.
  ///
  /// - Returns: their end.
  mutating func check(_ input: ArchiveInput, end: UInt64) throws -> UInt64 {
    let header = try input.bytes(at: offset, count: ZipFormat.localHeaderSize + name.count + 64)
    var reader = LittleEndianReader(header[...])
    guard reader.next() == ZipFormat.localHeader, let version = reader.next(UInt16.self),
      let flags = reader.next(UInt16.self), let method = reader.next(UInt16.self),
      reader.next(UInt16.self) != nil, reader.next(UInt16.self) != nil, let crc = reader.next(UInt32.self),
      let compressedSize = reader.next(UInt32.self), let size = reader.next(UInt32.self),
      let nameSize = reader.next(UInt16.self), let extraSize = reader.next(UInt16.self)
    else { throw damage("its header is damaged") }
    try check(version: version)
    guard Int(nameSize) == name.count, let ownName = reader.bytes(name.count), ownName.elementsEqual(name)
    else {
      throw damage("its header has another name than the directory")
    }
    let extraStart = offset + UInt64(ZipFormat.localHeaderSize + name.count)
    let extra = try input.bytes(at: extraStart, count: Int(extraSize))
    let needed = (size == .max ? 1 : 0) + (compressedSize == .max ? 1 : 0)
    guard extra.count == Int(extraSize),
      let own = ZipExtraFields(extra[...], isLocal: true, zip64Count: needed)
    else { throw damage("its extra fields are damaged") }
    let compared = ZipFormat.isEncrypted | ZipFormat.hasDataDescriptor | ZipFormat.isUTF8
    guard method == self.method, flags & compared == self.flags & compared else {
      throw damage("its header differs from the directory")
    }
    try checkEncryptedMethod(own)
    try takeUnicodePath(of: own)
    var far = own.zip64[...]
    let ownSize = size == .max ? far.removeFirst() : UInt64(size)
    let ownCompressedSize = compressedSize == .max ? far.removeFirst() : UInt64(compressedSize)
    // A header with a data descriptor may leave these at 0.
    guard crc == self.crc || hasDescriptor && crc == 0,
      ownSize == self.size || hasDescriptor && ownSize == 0,
      ownCompressedSize == self.compressedSize || hasDescriptor && ownCompressedSize == 0
    else { throw damage("its header differs from the directory") }
    dataOffset = extraStart + UInt64(extraSize)
    return try checkEnd(input, end)
  }

  private func checkEnd(_ input: ArchiveInput, _ end: UInt64) throws -> UInt64 {
    let (dataEnd, overflow) = dataOffset.addingReportingOverflow(compressedSize)
    guard !overflow, dataEnd <= end else { throw damage("it overlaps with the next entry") }
    guard hasDescriptor else { return dataEnd }
    let bytes = try input.bytes(at: dataEnd, count: Int(min(24, end - dataEnd)))
    // A descriptor may lack its signature, and its sizes may have 32 or 64 bits.
    for (isSigned, isWide) in [(true, false), (true, true), (false, false), (false, true)] {
      var reader = LittleEndianReader(bytes[...])
      if isSigned, reader.next() != ZipFormat.dataDescriptor { continue }
      let crc = reader.next(UInt32.self)
      let compressed = isWide ? reader.next(UInt64.self) : reader.next(UInt32.self).map { UInt64($0) }
      let whole = isWide ? reader.next(UInt64.self) : reader.next(UInt32.self).map { UInt64($0) }
      if crc == self.crc, compressed == compressedSize, whole == size {
        return dataEnd + UInt64(bytes.count - reader.remaining)
      }
    }
    throw damage("its data descriptor is missing, or differs from the directory")
  }
}

/// The extra fields of an entry that this library reads.
struct ZipExtraFields {
  /// The 64-bit numbers in the order in which the header refers to them.
  var zip64: [UInt64] = []
  var unixTime: Int32?
  /// The date in steps of 100 ns since 1601.
  var ntfsTime: UInt64?
  /// Another name, with the checksum of the header's name.
  var unicodePath: (checksum: UInt32, name: [UInt8])?
  /// The compression method beneath AES.
  var aesMethod: UInt16?

  init() {}

  /// Reads the fields; returns nil if a field is longer than the rest, or if a number is missing.
  ///
  /// - Parameter zip64Count: how many numbers the header leaves to the zip64 field.
  init?(_ bytes: ArraySlice<UInt8>, isLocal: Bool, zip64Count: Int) {
    var reader = LittleEndianReader(bytes)
    // Some programs pad the fields with a few zeros.
    while reader.remaining >= 4 {
      guard let kind = reader.next(UInt16.self), let size = reader.next(UInt16.self),
        let content = reader.bytes(Int(size))
      else { return nil }
      var field = LittleEndianReader(content)
      switch kind {
      case ZipFormat.zip64Field:
        guard zip64.isEmpty else { return nil }
        while zip64.count < zip64Count, let number = field.next(UInt64.self) { zip64.append(number) }
      case ZipFormat.extendedTimestampField:
        if let flags = field.next(UInt8.self), flags & 1 != 0 { unixTime = field.next(Int32.self) }
      case ZipFormat.ntfsField: ntfsTime = Self.ntfsTime(&field)
      case ZipFormat.unicodePathField:
        guard unicodePath == nil, field.next(UInt8.self) == 1, let checksum = field.next(UInt32.self),
          let name = field.bytes(field.remaining)
        else { return nil }
        unicodePath = (checksum, Array(name))
      case ZipFormat.aesField:
        // The field begins with a version, "AE", and the strength.
        guard aesMethod == nil, field.bytes(5) != nil else { return nil }
        aesMethod = field.next(UInt16.self)
      default: break
      }
    }
    guard zip64.count == zip64Count else { return nil }
  }

  private static func ntfsTime(_ field: inout LittleEndianReader) -> UInt64? {
    guard field.next(UInt32.self) != nil, field.next(UInt16.self) == 1, field.next(UInt16.self) == 24 else {
      return nil
    }
    return field.next(UInt64.self)
  }
}
