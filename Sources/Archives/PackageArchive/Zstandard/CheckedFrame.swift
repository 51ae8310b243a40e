/// A Zstandard frame that libarchive compresses, with a checksum of its contents (RFC 8878, 3.1.1).
///
/// libarchive writes frames without one. So this type sets the flag in the frame's header and adds the checksum behind
/// the frame.
final class CheckedFrame {
  private let writer: LibarchiveWriter
  private let header: Header
  private var hash = XXHash64()

  /// The output of libarchive, whose first bytes wait for the frame's descriptor.
  private final class Header {
    /// The place of the descriptor, behind the magic number.
    private static let place = 4
    private static let checksumFlag: UInt8 = 0x04

    let sink: LibarchiveWriter.Sink
    private var first: [UInt8]? = []
    /// Whether libarchive adds a checksum itself.
    private(set) var hasChecksum = false

    init(_ sink: @escaping LibarchiveWriter.Sink) { self.sink = sink }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
      guard var start = first else { return try sink(bytes) }
      start.append(contentsOf: bytes)
      guard start.count > Self.place else { return first = start }
      first = nil
      hasChecksum = start[Self.place] & Self.checksumFlag != 0
      start[Self.place] |= Self.checksumFlag
      try start.withUnsafeBytes(sink)
    }
  }

  /// - Parameters:
  ///   - level: the level of Zstandard; nil for the usual one.
  ///   - threads: the number of threads that compress; nil for the caller's.
  init(level: Int? = nil, threads: Int? = nil, to sink: @escaping LibarchiveWriter.Sink) throws {
    let header = Header(sink)
    self.header = header
    writer = try LibarchiveWriter.openZstandard(level: level, threads: threads) { try header.write($0) }
  }

  /// Returns a frame with these bytes, compressed at the usual level. It may run on any thread.
  static func frame(of bytes: UnsafeRawBufferPointer) throws -> [UInt8] {
    final class Output {
      var bytes: [UInt8] = []
    }
    let output = Output()
    output.bytes.reserveCapacity(bytes.count / 2)
    let frame = try CheckedFrame { output.bytes.append(contentsOf: $0) }
    try frame.write(bytes)
    try frame.finish()
    return output.bytes
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    hash.update(bytes)
    try writer.writeRaw(bytes)
  }

  /// Writes the end of the frame.
  func finish() throws {
    try writer.finish()
    if !header.hasChecksum { try hash.frameChecksum.withUnsafeBytes(header.sink) }
  }
}
