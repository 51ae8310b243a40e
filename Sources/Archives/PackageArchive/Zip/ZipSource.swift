import Glibc

/// The entries of a zip. libarchive reads contents, and `ZipScan` reads everything else; both must agree.
final class ZipSource: EntrySource {
  private let reader: LibarchiveReader
  /// The directory, known before any contents.
  let scan: ZipScan
  private var index = -1
  private let readsBackslashes: Bool

  /// - Parameter input: a file.
  init(_ input: ArchiveInput, _ options: ImportOptions) throws {
    readsBackslashes = options.readsBackslashes
    scan = try ZipScan(of: input, limits: options.limits)
    if scan.entries.isEmpty { throw ArchiveError.Finding(.empty, "it has no entries") }
    if options.passphrase == nil, let entry = scan.entries.first(where: \.isEncrypted) {
      throw ArchiveError.Finding(.passphrase, entry: entry.name, "it is encrypted, and needs a passphrase")
    }
    reader = try LibarchiveReader.open(.zip, passphrase: options.passphrase, ZipInput(input, scan.end))
  }

  var isOwn: Bool { scan.end.comment.starts(with: Array("docpkg ".utf8)) }

  var isFlat: Bool { ZipExporter.isFlat(comment: scan.end.comment) }

  func next() throws -> ArchiveEntry? {
    let found = try reader.next()
    index += 1
    guard index < scan.entries.count else {
      if let found { throw Self.ambiguous(found.name) }
      return nil
    }
    let entry = scan.entries[index]
    guard let found, isSame(entry, found), !endsInSeparator(entry) else {
      throw entry.name.contains(Self.backslash) ? Self.separated(entry.name) : Self.ambiguous(entry.name)
    }
    var result = ArchiveEntry(entry)
    if case .link = result.kind { result.kind = .link(try target(of: entry, found)) }
    return result
  }

  private static func ambiguous(_ name: [UInt8]) -> ArchiveError.Finding {
    ArchiveError.Finding(.damaged, entry: name, "it can be read in two ways")
  }

  private static let backslash = UInt8(ascii: "\\")

  private static func separated(_ name: [UInt8]) -> ArchiveError.Finding {
    ArchiveError.Finding(
      .unsafeName, entry: name,
      "its name has a backslash, which some programs read as a separator of folders",
      unless: .backslashes)
  }

  /// Returns whether the options do not say what a backslash at the end of a name from Windows means.
  private func endsInSeparator(_ entry: ZipEntry) -> Bool {
    !readsBackslashes && !entry.isFromUnix && entry.name.last == Self.backslash
  }

  /// Returns whether both names agree. libarchive composes accents, and gives no name at all if it cannot.
  private func isSame(_ entry: ZipEntry, _ found: ArchiveEntry) -> Bool {
    var names = [entry.name, entry.unicodeName ?? entry.name]
    // libarchive takes a backslash for a Windows separator, even in a name from Unix, if the name has no slash.
    if entry.isFromUnix || readsBackslashes, !entry.name.contains(UInt8(ascii: "/")) {
      names.append(entry.name.map { $0 == Self.backslash ? UInt8(ascii: "/") : $0 })
    }
    guard
      names.contains(where: {
        String(decoding: $0, as: UTF8.self) == String(decoding: found.name, as: UTF8.self)
      })
    else { return false }
    if case .link = found.kind { return true }
    return found.size.map { $0 == entry.size } ?? true
  }

  /// Returns the destination of a link, which libarchive reads itself.
  private func target(of entry: ZipEntry, _ found: ArchiveEntry) throws -> [UInt8] {
    guard case .link(let target) = found.kind, target.count == Int(clamping: entry.size), !target.contains(0)
    else {
      throw ArchiveError.Finding(.damaged, entry: entry.name, "its destination can be read in two ways")
    }
    guard entry.isEncrypted || target.withUnsafeBytes({ CRC32(of: $0) }).value == entry.crc else {
      throw ArchiveError.Finding(.damaged, entry: entry.name, "its checksum is wrong")
    }
    return target
  }

  func forEachBlock(_ body: (UnsafeRawBufferPointer, UInt64) throws -> Void) throws {
    let entry = scan.entries[index]
    var crc = CRC32()
    var end: UInt64 = 0
    try reader.forEachBlock(of: entry.name) { bytes, offset in
      guard offset == end else { throw Self.ambiguous(entry.name) }
      crc.update(bytes)
      end += UInt64(bytes.count)
      // This check comes before the write, so that no entry writes more than its size.
      guard end <= entry.size else {
        throw ArchiveError.Finding(.damaged, entry: entry.name, "its size is wrong")
      }
      try body(bytes, offset)
    }
    guard end == entry.size else {
      throw ArchiveError.Finding(.damaged, entry: entry.name, "its size is wrong")
    }
    // Encrypted entries have another checksum, which libarchive compares.
    guard entry.isEncrypted || crc.value == entry.crc else {
      throw ArchiveError.Finding(.damaged, entry: entry.name, "its checksum is wrong")
    }
  }
}

extension ArchiveEntry {
  /// Makes an entry of a zip's directory, without the destination of a link.
  init(_ entry: ZipEntry) {
    let kind: Kind
    switch entry.mode & S_IFMT {
    case S_IFLNK: kind = .link([])
    // Info-ZIP gives this name and mode to bytes that it read from a pipe.
    case S_IFIFO: kind = entry.name == [UInt8(ascii: "-")] ? .file : .other("a FIFO")
    case S_IFSOCK: kind = .other("a socket")
    case S_IFCHR, S_IFBLK: kind = .other("a device")
    default: kind = entry.isDirectory ? .directory : .file
    }
    let hasMode = entry.mode & 0o7777 != 0
    self.init(
      name: entry.unicodeName ?? entry.name, isNameUTF8: entry.isNameUTF8, kind: kind,
      mode: hasMode ? UInt16(entry.mode & 0o7777) : entry.isDirectory ? 0o755 : 0o644,
      modified: entry.modified, size: entry.size, isEncrypted: entry.isEncrypted)
  }
}
