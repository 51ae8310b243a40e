import CArchive
import DurableIO
import FilePackages
import Glibc

/// A writer of an archive through libarchive. All calls must run within `withUTF8Locale`.
struct LibarchiveWriter: ~Copyable {
  private let archive: OpaquePointer
  private let entry: OpaquePointer
  private let format: ArchiveFormat
  private let destination: Destination

  /// A place for bytes of an archive.
  typealias Sink = (UnsafeRawBufferPointer) throws -> Void

  /// The output of libarchive's callback. It holds the first error, because C cannot pass it on.
  private final class Destination {
    let sink: Sink
    var error: (any Error)?

    init(_ sink: @escaping Sink) {
      self.sink = sink
    }
  }

  private init(_ format: ArchiveFormat, _ sink: @escaping Sink) throws {
    try loadLibarchive()
    guard let archive = carchive_write_new() else { throw ArchiveError.Finding.outOfMemory }
    guard let entry = carchive_entry_new() else {
      carchive_write_free(archive)
      throw ArchiveError.Finding.outOfMemory
    }
    self.archive = archive
    self.entry = entry
    self.format = format
    destination = Destination(sink)
  }

  deinit {
    // Without this call, freeing an unclosed archive would write the rest of it.
    carchive_write_fail(archive)
    carchive_write_free(archive)
    carchive_entry_free(entry)
  }

  /// - Throws: a finding for an option that the format does not support.
  static func open(
    _ format: ArchiveFormat, _ options: ExportOptions, to sink: @escaping Sink
  ) throws -> LibarchiveWriter {
    let writer = try LibarchiveWriter(format, sink)
    try writer.configure(options)
    try writer.open()
    return writer
  }

  private func open() throws {
    let client = Unmanaged.passUnretained(destination).toOpaque()
    try check(
      carchive_write_open(
        archive, client, nil,
        { _, client, bytes, count in
          guard let client, let bytes else { return -1 }
          let destination = Unmanaged<Destination>.fromOpaque(client).takeUnretainedValue()
          do {
            try destination.sink(UnsafeRawBufferPointer(start: bytes, count: count))
            return count
          } catch {
            destination.error = error
            return -1
          }
        }, nil))
  }

  private func configure(_ options: ExportOptions) throws {
    switch format {
    case .zip:
      try check(carchive_write_set_format_zip(archive))
      try check(carchive_write_set_options(archive, "zip:encryption=aes256"))
      if let passphrase = options.passphrase {
        try check(carchive_write_set_passphrase(archive, passphrase))
      }
    case .sevenZip: try check(carchive_write_set_format_7zip(archive))
    default:
      try check(carchive_write_set_format_pax(archive))
      try check(carchive_write_set_options(archive, "pax:xattrheader=SCHILY"))
    }
    // These options prevent padding at the end, and give a pipe the same bytes as a file.
    try check(carchive_write_set_bytes_per_block(archive, 1 << 16))
    try check(carchive_write_set_bytes_in_last_block(archive, 1))
    if format == .tarGzip {
      try check(carchive_write_add_filter_gzip(archive))
      try check(carchive_write_set_options(archive, "gzip:!timestamp"))
    } else if format == .tarXZ {
      try check(carchive_write_add_filter_xz(archive))
      // From two threads on, the bytes do not depend on their number.
      try set("threads", "\(max(2, options.threadCount))")
    }
    if format != .tarZstd, let level = options.level { try set("compression-level", "\(level)") }
  }

  private func set(_ option: String, _ value: String) throws {
    let module =
      switch format {
      case .zip: "zip"
      case .sevenZip: "7zip"
      case .tarGzip: "gzip"
      default: "xz"
      }
    guard carchive_write_set_options(archive, "\(module):\(option)=\(value)") == ARCHIVE_OK else {
      throw ArchiveError.Finding(.unsupported, "\(format.rawValue) has no \(option) \(value)")
    }
  }

  // MARK: Entries

  /// Writes one entry with a file's bytes.
  ///
  /// - Parameter isStored: whether compression would not make the file smaller.
  func write(_ item: ExportEntry, isStored: Bool, _ progress: (Int) throws -> Void) throws {
    let name = item.name
    carchive_entry_clear(entry)
    set(name) { carchive_entry_copy_pathname(entry, $0) }
    carchive_entry_set_perm(entry, mode_t(item.mode))
    // Formats that must have an owner get number 0 and no name. Programs of the superuser then give such files to
    // the superuser.
    carchive_entry_set_uid(entry, 0)
    carchive_entry_set_gid(entry, 0)
    carchive_entry_set_mtime(entry, time_t(item.modified.seconds), Int(item.modified.nanoseconds))
    var isPlain = isUTF8(name)
    switch item.content {
    case .directory:
      carchive_entry_set_filetype(entry, S_IFDIR)
      carchive_entry_set_size(entry, 0)
    case .link(let target):
      carchive_entry_set_filetype(entry, S_IFLNK)
      carchive_entry_set_size(entry, 0)
      set(target) { carchive_entry_copy_symlink(entry, $0) }
      isPlain = isPlain && isUTF8(target)
    case .file(let bytes):
      carchive_entry_set_filetype(entry, S_IFREG)
      carchive_entry_set_size(entry, Int64(clamping: bytes.size ?? 0))
    }
    guard isPlain || format.isTar else {
      throw ArchiveError.Finding(
        .notRepresentable, entry: name, "its name is not UTF-8, which \(format.rawValue) cannot hold")
    }
    if format.isTar { try setExtendedAttributes(of: item) }
    if format == .zip {
      try check(
        isStored
          ? carchive_write_zip_set_compression_store(archive)
          : carchive_write_zip_set_compression_deflate(archive))
    }
    // If an earlier call left `ENOMEM`, libarchive takes a failed conversion for a lack of memory.
    errno = 0
    // pax marks a name that is not UTF-8 as binary, with a warning.
    try check(carchive_write_header(archive, entry), of: name, allowsWarning: !isPlain)
    if case .file(let contents) = item.content {
      try contents.forEachChunk { chunk in
        try write(chunk, of: name)
        try progress(chunk.count)
      }
    }
    try check(carchive_write_finish_entry(archive), of: name)
  }

  private func setExtendedAttributes(of item: ExportEntry) throws {
    for (name, value) in try item.extendedAttributes() {
      value.withUnsafeBytes { carchive_entry_xattr_add_entry(entry, name, $0.baseAddress, $0.count) }
    }
  }

  private func write(_ chunk: UnsafeRawBufferPointer, of name: [UInt8]) throws {
    var rest = chunk
    while !rest.isEmpty {
      let count = carchive_write_data(archive, rest.baseAddress, rest.count)
      if count < 0 { try check(Int32(truncatingIfNeeded: count), of: name) }
      // The file has more bytes than at the time of the snapshot.
      guard count > 0 else {
        throw ArchiveError.Finding(.inputOutput, entry: name, "it became larger while it was read")
      }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  /// Writes the end of the archive.
  func finish() throws {
    try check(carchive_write_close(archive))
  }

  // MARK: Calling C

  private func check(_ result: Int32, of name: [UInt8]? = nil, allowsWarning: Bool = false) throws {
    if let error = destination.error { throw error }
    if result == ARCHIVE_OK || (result == ARCHIVE_WARN && allowsWarning) { return }
    let text = carchive_error_string(archive).map { String(cString: $0) } ?? "libarchive failed"
    throw ArchiveError.Finding(result == ARCHIVE_WARN ? .notRepresentable : .inputOutput, entry: name, text)
  }

  private func set(_ bytes: [UInt8], _ body: (UnsafePointer<CChar>) -> Void) {
    body(bytes.map { CChar(bitPattern: $0) } + [0])
  }

  private func isUTF8(_ bytes: [UInt8]) -> Bool {
    String(validating: bytes, as: UTF8.self) != nil
  }
}
