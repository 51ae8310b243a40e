import Glibc

/// The entries of a zip: contents by libarchive, all else by `ZipScan`, which have to agree.
final class ZipSource: EntrySource {
  private let reader: LibarchiveReader
  private let scan: ZipScan
  private var index = -1

  /// - Parameter input: a file.
  init(_ input: ArchiveInput, _ options: ImportOptions) throws {
    scan = try ZipScan(of: input, limits: options.limits)
    if scan.entries.isEmpty { throw ArchiveError.Finding(.empty, "there is nothing in it") }
    if options.passphrase == nil, let entry = scan.entries.first(where: \.isEncrypted) {
      throw ArchiveError.Finding(.passphrase, entry: entry.name, "it is encrypted, which needs a passphrase")
    }
    reader = try LibarchiveReader.open(.zip, passphrase: options.passphrase, ZipInput(input, scan.end))
  }

  var isOwn: Bool { scan.comment.starts(with: Array("docpkg ".utf8)) }

  /// What the archive says that it holds, before anything is read.
  var entries: [ZipEntry] { scan.entries }

  var isFlat: Bool { ZipExporter.isFlat(comment: scan.comment) }

  func next() throws -> ArchiveEntry? {
    let found = try reader.next()
    index += 1
    guard index < scan.entries.count else {
      if let found { throw Self.ambiguous(found.name) }
      return nil
    }
    let entry = scan.entries[index]
    guard let found, isSame(entry, found) else { throw Self.ambiguous(entry.name) }
    var result = ArchiveEntry(entry)
    if case .link = result.kind { result.kind = .link(try target(of: entry, found)) }
    return result
  }

  private static func ambiguous(_ name: [UInt8]) -> ArchiveError.Finding {
    ArchiveError.Finding(.damaged, entry: name, "it can be read in two ways")
  }

  /// libarchive composes accents, and has no name at all where it cannot.
  private func isSame(_ entry: ZipEntry, _ found: ArchiveEntry) -> Bool {
    var names = [entry.name, entry.unicodeName ?? entry.name]
    // It takes a backslash for Windows' separator, also in a name from Unix, where no slash is in it.
    if entry.isFromUnix, !entry.name.contains(UInt8(ascii: "/")) {
      names.append(entry.name.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 })
    }
    guard
      names.contains(where: {
        String(decoding: $0, as: UTF8.self) == String(decoding: found.name, as: UTF8.self)
      })
    else { return false }
    if case .link = found.kind { return true }
    return found.size.map { $0 == entry.size } ?? true
  }

  /// libarchive reads a link's content itself.
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
      // Before anything is written: more than was promised is never taken.
      guard end <= entry.size else {
        throw ArchiveError.Finding(.damaged, entry: entry.name, "it lies about its size")
      }
      try body(bytes, offset)
    }
    guard end == entry.size else {
      throw ArchiveError.Finding(.damaged, entry: entry.name, "it lies about its size")
    }
    // Encrypted entries have another checksum, which libarchive compares.
    guard entry.isEncrypted || crc.value == entry.crc else {
      throw ArchiveError.Finding(.damaged, entry: entry.name, "its checksum is wrong")
    }
  }
}

extension ArchiveEntry {
  /// An entry as the zip's directory has it; a link's destination is not known yet.
  init(_ entry: ZipEntry) {
    let kind: Kind
    switch entry.mode & S_IFMT {
    case S_IFLNK: kind = .link([])
    // Info-ZIP's name and mode for what it read from a pipe.
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
