import DurableIO
import FilePackages

/// An exporter that makes a tar with Zstandard at its usual level: libarchive writes the tar, several threads compress
/// it, and files that would not become smaller are stored.
///
/// All calls must run within `withUTF8Locale`.
final class TarZstdExporter {
  /// Smaller files are always compressed: a frame of their own would cost more than it saves.
  private static let leastStored: UInt64 = 1 << 18

  private let frames: ZstandardFrames
  private let tar: LibarchiveWriter
  /// The bytes of libarchive go to the frames unless this is set.
  private let sink: Sink
  private let progress: (Int) throws -> Void

  private final class Sink {
    var isClosed = false
  }

  init(
    to output: ArchiveOutput, _ options: ExportOptions, _ progress: @escaping (Int) throws -> Void
  ) throws {
    let frames = try ZstandardFrames(to: output, threads: options.threadCount)
    let sink = Sink()
    do {
      tar = try LibarchiveWriter.open(.tar, options, blockSize: 0) { bytes in
        if !sink.isClosed { try frames.write(bytes) }
      }
    } catch {
      frames.stop()
      throw error
    }
    self.frames = frames
    self.sink = sink
    self.progress = progress
  }

  /// Adds an entry, after all earlier entries.
  func add(_ entry: ExportEntry) throws {
    guard case .file(let contents) = entry.content, let size = contents.size, size >= Self.leastStored,
      try isStored(contents)
    else { return try tar.write(entry, isStored: false, progress) }
    try tar.write(entry) {
      try store(contents, size)
      // libarchive writes what follows the bytes only if it had as many.
      sink.isClosed = true
      defer { sink.isClosed = false }
      try tar.writeBlank(size)
    }
  }

  /// Writes the end of the archive.
  func finish() throws {
    try tar.finish()
    try frames.finish()
  }

  /// Ends the threads. The owner must call this after success and after an error.
  func stop() {
    frames.stop()
  }

  private func isStored(_ contents: FileContents) throws -> Bool {
    let reader = try ContentsReader(contents)
    let sample = try reader.bytes(
      at: CompressionProbe.start(in: reader.size), count: CompressionProbe.size)
    return sample.withUnsafeBytes(ByteFrequencies.areEven)
  }

  private func store(_ contents: FileContents, _ size: UInt64) throws {
    try frames.store { [progress] output in
      let reader = try ContentsReader(contents)
      guard reader.size == size else { throw contents.changed }
      try StoredFrame.write(reader, to: output, progress)
      try reader.finish()
    }
  }
}
