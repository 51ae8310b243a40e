import DurableIO
import FilePackages
import Glibc

/// An exporter that makes a zip of entries in the order in which they come, and compresses on several threads.
///
/// The bytes depend on the entries and the level alone. The pieces of a file, and the bytes that a piece may refer to,
/// are the same for any number of threads. Unfinished work never takes more than `budget` bytes of children, whatever
/// their sizes.
final class ZipExporter {
  /// The largest file that is compressed in one piece; larger files are compressed piece by piece.
  static let wholeLimit: UInt64 = 8 << 20
  private static let pieceSize = 1 << 20
  private static let budget = 64 << 20

  private let output: ArchiveOutput
  private var writer: ZipWriter
  private let work: OrderedWork
  private let level: Int
  private let earlier: EarlierZip?
  private let progress: (Int) throws -> Void
  /// The number of files whose compressed bytes came from the earlier archive.
  private(set) var reused = 0

  /// - Parameter earlier: an archive of the same package, whose compressed bytes serve for unchanged files.
  init(
    to output: ArchiveOutput, _ options: ExportOptions, earlier: EarlierZip? = nil,
    _ progress: @escaping (Int) throws -> Void
  ) throws {
    level = options.level ?? Self.usualLevel
    guard (0...9).contains(level) else {
      throw ArchiveError.Finding(.unsupported, "zip has the levels 0 to 9, not \(level)")
    }
    self.output = output
    self.progress = progress
    let comment = Self.comment(options)
    self.earlier = earlier?.comment == comment ? earlier : nil
    writer = ZipWriter(to: output, comment: comment)
    work = try OrderedWork(
      threads: options.threadCount, level: level, budget: Self.budget)
  }

  /// Returns the comment, which names everything but the file that the compressed bytes depend on. Two archives
  /// with equal comments have equal bytes for equal files. The comment also says whether the package's children are
  /// at the top.
  static func comment(_ options: ExportOptions) -> [UInt8] {
    let start = options.topFolder == .none ? flatComment : "docpkg 1,"
    return Array("\(start) level \(options.level ?? usualLevel), \(Deflater.version)".utf8)
  }

  /// Returns whether a zip's comment says that no folder is around the package's children.
  static func isFlat(comment: [UInt8]) -> Bool { comment.starts(with: flatComment.utf8) }

  private static let flatComment = "docpkg 1, flat,"
  private static let usualLevel = 6

  /// Adds an entry, and writes it after all earlier entries.
  func add(_ entry: ExportEntry) throws {
    var record = ZipRecord(name: entry.name, mode: UInt32(entry.mode), modified: entry.modified)
    switch entry.content {
    case .directory:
      record.mode |= S_IFDIR
      try write(record, [])
    case .link(let target):
      record.mode |= S_IFLNK
      record.crc = target.withUnsafeBytes { CRC32(of: $0) }.value
      record.size = UInt64(target.count)
      record.compressedSize = record.size
      try write(record, target)
    case .file(let contents):
      record.mode |= S_IFREG
      record.size = contents.size ?? 0
      if entry.isMimetype {
        try addMimetype(record, contents)
      } else if let earlier, let old = try earlier.unchanged(record, contents) {
        try copy(old, from: earlier)
      } else if record.size <= Self.wholeLimit {
        try addWhole(record, contents)
      } else {
        try addInPieces(record, contents)
      }
    }
  }

  /// Writes the unfinished entries and the directory.
  func finish() throws {
    try work.finish()
    try writer.finish()
  }

  /// Ends the threads. The owner must call this after success and after an error.
  func stop() {
    work.stop()
  }

  private func write(_ record: ZipRecord, _ bytes: [UInt8]) throws {
    try work.submit { try self.writeNow(record, bytes) }
  }

  private func writeNow(_ record: ZipRecord, _ bytes: [UInt8]) throws {
    try writer.write(record) { _ in try output.write(bytes) }
    try progress(Int(record.size))
  }

  private func copy(_ old: EarlierZip.Unchanged, from earlier: EarlierZip) throws {
    reused += 1
    try work.submit {
      try self.writer.write(old.record) { _ in try earlier.read(old.entry, self.output.write) }
      try self.progress(Int(old.record.size))
    }
  }

  /// Adds a media type. Readers of such documents expect its bytes at a fixed offset, so it is stored, without
  /// extra fields or a descriptor.
  private func addMimetype(_ record: ZipRecord, _ contents: FileContents) throws {
    let reader = try ContentsReader(contents)
    let bytes = try reader.bytes(at: 0, count: Int(reader.size))
    try reader.finish()
    var record = record
    record.isPlain = true
    record.crc = bytes.withUnsafeBytes { CRC32(of: $0) }.value
    record.size = UInt64(bytes.count)
    record.compressedSize = record.size
    try write(record, bytes)
  }

  // MARK: Files in one piece

  private struct Whole: Sendable {
    var bytes: [UInt8]
    var crc: CRC32
    var isDeflated: Bool
  }

  private func addWhole(_ record: ZipRecord, _ contents: FileContents) throws {
    let level = level
    try work.submit(cost: Int(record.size) * 2 + 4096) { deflater in
      let reader = try ContentsReader(contents)
      let bytes = try reader.bytes(at: 0, count: Int(reader.size))
      try reader.finish()
      return try Self.compress(bytes, level: level, with: deflater)
    } take: { whole in
      var record = record
      record.crc = whole.crc.value
      record.method = whole.isDeflated ? ZipFormat.deflated : ZipFormat.stored
      record.compressedSize = UInt64(whole.bytes.count)
      try self.writeNow(record, whole.bytes)
    }
  }

  private static func compress(
    _ bytes: [UInt8], level: Int, with deflater: borrowing Deflater
  ) throws -> Whole {
    try bytes.withUnsafeBytes { all in
      let crc = CRC32(of: all)
      let start = Int(CompressionProbe.start(in: UInt64(all.count)))
      let probe = UnsafeRawBufferPointer(rebasing: all[start..<min(all.count, start + CompressionProbe.size)])
      guard level > 0, !all.isEmpty,
        try all.count <= CompressionProbe.size || CompressionProbe.isCompressible(probe, with: deflater)
      else { return Whole(bytes: bytes, crc: crc, isDeflated: false) }
      let compressed = try deflater.compress(all)
      let isSmaller = compressed.count < bytes.count
      return Whole(bytes: isSmaller ? compressed : bytes, crc: crc, isDeflated: isSmaller)
    }
  }

  // MARK: Files in pieces

  private func addInPieces(_ record: ZipRecord, _ contents: FileContents) throws {
    let reader = try ContentsReader(contents)
    guard reader.size == record.size else { throw contents.changed }
    var record = record
    let probe = try reader.bytes(at: CompressionProbe.start(in: record.size), count: CompressionProbe.size)
    let deflater = try Deflater(level: max(1, level))
    let isDeflated =
      try level > 0 && probe.withUnsafeBytes { try CompressionProbe.isCompressible($0, with: deflater) }
    // The header of a stored file must hold the checksum, because a program that reads from a pipe could not find
    // the file's end otherwise. So the export reads the file twice.
    if !isDeflated {
      record.crc = try checksum(reader).value
      record.compressedSize = record.size
    } else {
      record.method = ZipFormat.deflated
      record.hasDescriptor = true
    }
    try work.finish()
    try writer.write(record) { record in
      let (crc, count) = try writePieces(of: reader, isDeflated: isDeflated)
      try reader.finish()
      guard isDeflated || crc.value == record.crc else { throw contents.changed }
      record.crc = crc.value
      record.compressedSize = count
    }
  }

  private func checksum(_ reader: borrowing ContentsReader) throws -> CRC32 {
    var whole = CRC32()
    try forEachPiece(of: reader) { piece, _, _ in
      try work.submit(cost: piece.count) { _ in
        piece.withUnsafeBytes { CRC32(of: $0) }
      } take: {
        whole.append($0, count: piece.count)
        try self.progress(0)
      }
    }
    try work.finish()
    return whole
  }

  private func writePieces(
    of reader: borrowing ContentsReader, isDeflated: Bool
  ) throws -> (crc: CRC32, count: UInt64) {
    var crc = CRC32()
    var count: UInt64 = 0
    try forEachPiece(of: reader) { piece, window, isLast in
      try work.submit(cost: piece.count * 2) { deflater in
        try piece.withUnsafeBytes { bytes in
          let bytesOut = isDeflated ? try deflater.compress(bytes, after: window, isLast: isLast) : piece
          return Whole(bytes: bytesOut, crc: CRC32(of: bytes), isDeflated: isDeflated)
        }
      } take: { whole in
        crc.append(whole.crc, count: piece.count)
        count += UInt64(whole.bytes.count)
        try self.output.write(whole.bytes)
        try self.progress(piece.count)
      }
    }
    try work.finish()
    return (crc, count)
  }

  /// Calls `body` with each piece, the end of the previous piece, and whether it is the last piece.
  private func forEachPiece(
    of reader: borrowing ContentsReader,
    _ body: (_ piece: [UInt8], _ window: ArraySlice<UInt8>, _ isLast: Bool) throws -> Void
  ) throws {
    var window: ArraySlice<UInt8> = []
    var offset: UInt64 = 0
    while offset < reader.size {
      let piece = try reader.bytes(at: offset, count: Self.pieceSize)
      offset += UInt64(piece.count)
      try body(piece, window, offset >= reader.size)
      // This copy lets the rest of the piece go.
      window = ArraySlice(Array(piece.suffix(Deflater.windowSize)))
    }
  }
}
