import CArchive
import DurableIO
import Glibc

/// A reader of a zip or a tar through libarchive. All calls must run within `withUTF8Locale`.
struct LibarchiveReader: ~Copyable {
  private let archive: OpaquePointer
  private let source: Source

  /// The input of libarchive's callbacks. It holds the first error, because C cannot pass it on.
  private final class Source {
    let input: any LibarchiveInput
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: ArchiveInput.chunkSize, alignment: 16)
    var error: (any Error)?

    init(_ input: any LibarchiveInput) {
      self.input = input
    }

    deinit {
      buffer.deallocate()
    }

    /// Runs `body`; an error becomes -30 for C.
    func attempt<Number: FixedWidthInteger & SignedInteger>(_ body: () throws -> Number) -> Number {
      do {
        return try body()
      } catch {
        self.error = error
        return Number(ARCHIVE_FATAL)
      }
    }
  }

  private init(_ archive: OpaquePointer, _ source: Source) {
    self.archive = archive
    self.source = source
  }

  deinit {
    carchive_read_free(archive)
  }

  /// - Parameter passphrase: the passphrase for encrypted entries.
  static func open(
    _ format: ArchiveFormat, passphrase: String? = nil, _ input: any LibarchiveInput
  ) throws -> LibarchiveReader {
    try loadLibarchive()
    guard let archive = carchive_read_new() else { throw ArchiveError.Finding.outOfMemory }
    let reader = LibarchiveReader(archive, Source(input))
    // One format is enabled, so that libarchive never guesses.
    try reader.check(
      format == .zip
        ? carchive_read_support_format_zip_seekable(archive) : carchive_read_support_format_tar(archive))
    if let passphrase { try reader.check(carchive_read_add_passphrase(archive, passphrase)) }
    try reader.setCallbacks()
    try reader.check(carchive_read_open1(archive))
    return reader
  }

  private func setCallbacks() throws {
    try check(carchive_read_set_callback_data(archive, Unmanaged.passUnretained(source).toOpaque()))
    try check(
      carchive_read_set_read_callback(archive) { _, client, result in
        guard let client else { return -1 }
        let source = Unmanaged<Source>.fromOpaque(client).takeUnretainedValue()
        result?.pointee = UnsafeRawPointer(source.buffer.baseAddress)
        return source.attempt { try source.input.read(into: source.buffer) }
      })
    guard source.input.isSeekable else { return }
    try check(
      carchive_read_set_seek_callback(archive) { _, client, offset, whence in
        guard let client else { return -1 }
        let source = Unmanaged<Source>.fromOpaque(client).takeUnretainedValue()
        return source.attempt { try source.input.seek(to: offset, from: whence) }
      })
    try check(
      carchive_read_set_skip_callback(archive) { _, client, count in
        guard let client else { return -1 }
        let source = Unmanaged<Source>.fromOpaque(client).takeUnretainedValue()
        return source.attempt {
          _ = try source.input.seek(to: count, from: SEEK_CUR)  // The new place is no result.
          return count
        }
      })
  }

  // MARK: Entries

  /// Returns the next entry; nil at the end.
  func next() throws -> ArchiveEntry? {
    var pointer: OpaquePointer?
    let result = carchive_read_next_header(archive, &pointer)
    if let error = source.error { throw error }
    if result == ARCHIVE_EOF { return nil }
    // A warning concerns a name that libarchive cannot convert. The scans check the name's raw bytes.
    guard result == ARCHIVE_OK || result == ARCHIVE_WARN, let pointer else { throw failure(nil) }
    return entry(pointer)
  }

  private func entry(_ pointer: OpaquePointer) -> ArchiveEntry {
    let name = carchive_entry_pathname(pointer) ?? carchive_entry_pathname_utf8(pointer)
    var entry = ArchiveEntry(
      name: Self.bytes(name), kind: kind(pointer), mode: UInt16(carchive_entry_perm(pointer) & 0o7777),
      modified: nil)
    if carchive_entry_mtime_is_set(pointer) != 0 {
      let nanoseconds = carchive_entry_mtime_nsec(pointer)
      entry.modified = FileTime(
        seconds: Int64(carchive_entry_mtime(pointer)),
        nanoseconds: (0..<1_000_000_000).contains(nanoseconds) ? UInt32(nanoseconds) : 0)
    }
    if carchive_entry_size_is_set(pointer) != 0 { entry.size = UInt64(exactly: carchive_entry_size(pointer)) }
    entry.isEncrypted = carchive_entry_is_encrypted(pointer) != 0
    entry.attributes = attributes(pointer)
    return entry
  }

  private func kind(_ pointer: OpaquePointer) -> ArchiveEntry.Kind {
    if let target = carchive_entry_hardlink(pointer) ?? carchive_entry_hardlink_utf8(pointer) {
      return .hardLink(Self.bytes(target))
    }
    switch carchive_entry_filetype(pointer) {
    case S_IFREG: return .file
    case S_IFDIR: return .directory
    case S_IFLNK:
      return .link(Self.bytes(carchive_entry_symlink(pointer) ?? carchive_entry_symlink_utf8(pointer)))
    case S_IFIFO: return .other("a FIFO")
    case S_IFSOCK: return .other("a socket")
    case S_IFCHR, S_IFBLK: return .other("a device")
    default: return .other("of an unknown kind")
    }
  }

  private func attributes(_ pointer: OpaquePointer) -> [(name: String, value: [UInt8])] {
    var attributes: [(name: String, value: [UInt8])] = []
    carchive_entry_xattr_reset(pointer)
    var (name, value, size): (UnsafePointer<CChar>?, UnsafeRawPointer?, Int) = (nil, nil, 0)
    while carchive_entry_xattr_next(pointer, &name, &value, &size) == ARCHIVE_OK, let name {
      let bytes = UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : size)
      attributes.append((String(cString: name), Array(bytes)))
    }
    return attributes
  }

  private static func bytes(_ text: UnsafePointer<CChar>?) -> [UInt8] {
    guard let text else { return [] }
    return Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
  }

  /// Calls `body` with the bytes of the entry, each piece with its offset.
  func forEachBlock(of name: [UInt8], _ body: (UnsafeRawBufferPointer, UInt64) throws -> Void) throws {
    while true {
      var (pointer, count, offset): (UnsafeRawPointer?, Int, Int64) = (nil, 0, 0)
      let result = carchive_read_data_block(archive, &pointer, &count, &offset)
      if let error = source.error { throw error }
      if result == ARCHIVE_EOF { return }
      // A warning here concerns bytes, such as a wrong checksum or size.
      guard result == ARCHIVE_OK, offset >= 0 else { throw failure(name) }
      try body(UnsafeRawBufferPointer(start: pointer, count: count), UInt64(offset))
    }
  }

  // MARK: Calling C

  private func check(_ result: Int32) throws {
    if let error = source.error { throw error }
    if result != ARCHIVE_OK { throw failure(nil) }
  }

  private func failure(_ name: [UInt8]?) -> ArchiveError.Finding {
    let text = carchive_error_string(archive).map { String(cString: $0) } ?? "it is damaged"
    let isAboutPassphrase = text.lowercased().contains("passphrase")
    return ArchiveError.Finding(isAboutPassphrase ? .passphrase : .damaged, entry: name, text)
  }
}

/// An input of libarchive.
protocol LibarchiveInput: AnyObject {
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
  var isSeekable: Bool { get }
  /// Moves to an offset, and returns the new position.
  func seek(to offset: Int64, from whence: Int32) throws -> Int64
}

extension LibarchiveInput {
  var isSeekable: Bool { false }

  func seek(to offset: Int64, from whence: Int32) throws -> Int64 {
    throw ArchiveError.Finding(.inputOutput, "a stream cannot be read from another place")
  }
}
