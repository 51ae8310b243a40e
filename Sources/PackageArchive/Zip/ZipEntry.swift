import DurableIO
import Glibc

/// One entry of a zip as its directory has it.
struct ZipEntry {
  var name: [UInt8] = []
  var flags: UInt16 = 0
  var method: UInt16 = 0
  var dosTime = DOSTime(date: 0x21, time: 0)
  var crc: UInt32 = 0
  var compressedSize: UInt64 = 0
  var size: UInt64 = 0
  var offset: UInt64 = 0
  /// Where the compressed bytes begin; known once the entry's own header was read.
  var dataOffset: UInt64 = 0
  /// Kind and permission bits as stat(2) has them; 0 where the archive comes from a system that has none.
  var mode: UInt32 = 0
  private var fields = ZipExtraFields()
  /// The name in UTF-8 beside one in a code page.
  private(set) var unicodeName: [UInt8]?

  /// Whether the name is known to be in UTF-8.
  var isNameUTF8: Bool { flags & ZipFormat.isUTF8 != 0 || unicodeName != nil }
  /// Whether its attributes are those of Unix.
  private(set) var isFromUnix = false

  var isEncrypted: Bool { flags & ZipFormat.isEncrypted != 0 }
  var hasDescriptor: Bool { flags & ZipFormat.hasDataDescriptor != 0 }
  var isDirectory: Bool { name.last == UInt8(ascii: "/") }

  /// The date in steps of 100 ns since 1970, where the archive has it so finely.
  var modified100ns: Int64? {
    fields.ntfsTime.flatMap { Int64(exactly: $0) }.map { $0 - ZipFormat.secondsFrom1601 * 10_000_000 }
  }

  /// The date, as finely as the archive has it.
  var modified: FileTime {
    if let hundreds = modified100ns {
      let seconds = hundreds >= 0 ? hundreds / 10_000_000 : (hundreds - 9_999_999) / 10_000_000
      return FileTime(seconds: seconds, nanoseconds: UInt32(hundreds - seconds * 10_000_000) * 100)
    }
    if let seconds = fields.unixTime { return FileTime(seconds: Int64(seconds), nanoseconds: 0) }
    return dosTime.fileTime
  }

  /// Reads the next record of the directory; nil where that is damaged.
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
    // Unix and macOS; others have no such mode.
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

  /// Later versions may mean something else by what is read here.
  private func check(version: UInt16) throws {
    guard version & 0xFF <= ZipFormat.version else {
      throw ArchiveError.Finding(.unsupported, entry: name, "it needs a later version of the format")
    }
  }

  /// Sees that all programs take it for the same: they differ in whose attributes they believe.
  private func checkKind(_ attributes: UInt32) throws {
    let kind = attributes >> 16 & S_IFMT
    let isFolder = kind == S_IFDIR || !isFromUnix && attributes & ZipFormat.isDOSDirectory != 0
    guard isDirectory || !isFolder else {
      throw damage("it is a file to some programs, and a folder to others")
    }
    guard isFromUnix || kind != S_IFLNK else {
      throw damage("it is a file to some programs, and a link to others")
    }
  }

  private func damage(_ reason: String) -> ArchiveError.Finding { .init(.damaged, entry: name, reason) }

  private mutating func checkFeatures() throws {
    // Stored, deflate, bzip2, LZMA, Zstandard, xz, and AES around one of them.
    guard [0, 8, 12, 14, 93, 95, ZipFormat.encryptedAES].contains(method) else {
      throw ArchiveError.Finding(
        .unsupported, entry: name, "its method of compression, \(method), is not known")
    }
    try checkEncryptedMethod(fields)
    guard flags & (ZipFormat.isStronglyEncrypted | ZipFormat.hasMaskedHeader) == 0 else {
      throw ArchiveError.Finding(.unsupported, entry: name, "it is encrypted in a way that is not known")
    }
    guard flags & ZipFormat.isPatch == 0 else {
      throw ArchiveError.Finding(.unsupported, entry: name, "it is a change to an earlier file")
    }
    if flags & ZipFormat.isUTF8 != 0, String(validating: name, as: UTF8.self) == nil {
      throw ArchiveError.Finding(.unsafeName, entry: name, "its name says that it is UTF-8, and it is not")
    }
    try takeUnicodePath(of: fields)
    if method == 0, !isEncrypted, size != compressedSize { throw damage("it lies about its size") }
    if isDirectory && size != 0 { throw damage("it is a folder with bytes") }
  }

  /// libarchive decrypts what is stored or deflated, and would read anything else without that.
  private func checkEncryptedMethod(_ fields: ZipExtraFields) throws {
    guard isEncrypted || method == ZipFormat.encryptedAES else { return }
    let inner = method == ZipFormat.encryptedAES ? fields.aesMethod : method
    guard isEncrypted, inner == ZipFormat.stored || inner == ZipFormat.deflated else {
      throw ArchiveError.Finding(
        .unsupported, entry: name, "it is encrypted, and compressed with a method that is not read then")
    }
  }

  /// Takes the name of a Unicode Path field, which has to be that of the header in other characters: programs differ in
  /// which of the two they read.
  private mutating func takeUnicodePath(of fields: ZipExtraFields) throws {
    guard let (checksum, other) = fields.unicodePath, other != name else { return }
    guard flags & ZipFormat.isUTF8 == 0, name.withUnsafeBytes({ CRC32(of: $0).value }) == checksum,
      unicodeName == nil || unicodeName == other, String(validating: other, as: UTF8.self) != nil,
      ZipTranscript.is(other, of: name)
    else { throw damage("it has two different names") }
    unicodeName = other
  }

  // MARK: Its own header

  /// Reads the entry's own header and its data descriptor, which have to say what the directory says, and to end before
  /// `end`.
  ///
  /// - Returns: where they end.
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
      throw damage("its header says something else than the directory")
    }
    try checkEncryptedMethod(own)
    try takeUnicodePath(of: own)
    var far = own.zip64[...]
    let ownSize = size == .max ? far.removeFirst() : UInt64(size)
    let ownCompressedSize = compressedSize == .max ? far.removeFirst() : UInt64(compressedSize)
    // What a descriptor follows may have left these out.
    guard crc == self.crc || hasDescriptor && crc == 0,
      ownSize == self.size || hasDescriptor && ownSize == 0,
      ownCompressedSize == self.compressedSize || hasDescriptor && ownCompressedSize == 0
    else { throw damage("its header says something else than the directory") }
    dataOffset = extraStart + UInt64(extraSize)
    return try checkEnd(input, end)
  }

  private func checkEnd(_ input: ArchiveInput, _ end: UInt64) throws -> UInt64 {
    let (dataEnd, overflow) = dataOffset.addingReportingOverflow(compressedSize)
    guard !overflow, dataEnd <= end else { throw damage("it overlaps with what follows it") }
    guard hasDescriptor else { return dataEnd }
    let bytes = try input.bytes(at: dataEnd, count: Int(min(24, end - dataEnd)))
    // With its signature or without, with 32-bit sizes or 64-bit ones.
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
    throw damage("its data descriptor is missing, or says something else than the directory")
  }
}

/// What is read of an entry's extra fields.
struct ZipExtraFields {
  /// The 64-bit numbers, in the order in which the header leaves them out.
  var zip64: [UInt64] = []
  var unixTime: Int32?
  /// In steps of 100 ns since 1601.
  var ntfsTime: UInt64?
  /// Another name, with the checksum of the one that it belongs to.
  var unicodePath: (checksum: UInt32, name: [UInt8])?
  /// The method of compression beneath AES.
  var aesMethod: UInt16?

  init() {}

  /// Nil where a field is longer than what is left, or a number is missing.
  ///
  /// - Parameter zip64Count: how many numbers the header leaves to the zip64 field.
  init?(_ bytes: ArraySlice<UInt8>, isLocal: Bool, zip64Count: Int) {
    var reader = LittleEndianReader(bytes)
    // Some programs fill up with a few zeros.
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
        // A version, "AE", and how strong it is.
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
