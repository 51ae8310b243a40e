/// A Zstandard stream of independent frames, which several threads compress.
///
/// The frames depend on the bytes alone, not on the number of threads. Unfinished work never takes more than `budget`
/// bytes.
final class ZstandardFrames {
  /// The bytes of one frame.
  private static let pieceSize = 4 << 20
  /// Fewer bytes before a stored file are stored like it.
  private static let leastCompressed = 1 << 12
  private static let budget = 64 << 20

  private let output: ArchiveOutput
  private let work: OrderedWork
  private var piece: [UInt8] = []

  init(to output: ArchiveOutput, threads: Int) throws {
    self.output = output
    // No job uses the deflater.
    work = try OrderedWork(threads: threads, level: 1, budget: Self.budget)
  }

  /// Writes bytes for a frame that is compressed.
  func write(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      if piece.isEmpty { piece.reserveCapacity(Self.pieceSize) }
      let part = rest.prefix(Self.pieceSize - piece.count)
      piece.append(contentsOf: UnsafeRawBufferPointer(rebasing: part))
      rest = rest.dropFirst(part.count)
      if piece.count == Self.pieceSize { try compressPiece() }
    }
  }

  /// Writes a file's bytes in a frame of their own, without compression. The file is read when all frames before it are
  /// written, so that other threads compress what comes after it meanwhile.
  func store(_ write: @escaping (ArchiveOutput) throws -> Void) throws {
    try endPiece()
    try work.submit { [output] in try write(output) }
  }

  /// Writes the last frame, and waits for all.
  func finish() throws {
    try endPiece()
    try work.finish()
  }

  /// Ends the threads. The owner must call this after success and after an error.
  func stop() {
    work.stop()
  }

  private func endPiece() throws {
    if piece.isEmpty { return }
    guard piece.count < Self.leastCompressed else { return try compressPiece() }
    let frame = StoredFrame.frame(of: piece)
    piece.removeAll(keepingCapacity: true)
    try work.submit { [output] in try output.write(frame) }
  }

  private func compressPiece() throws {
    let bytes = piece
    piece = []
    try work.submit(cost: bytes.count * 2) { _ in
      try bytes.withUnsafeBytes { try CheckedFrame.frame(of: $0) }
    } take: { [output] frame in
      try output.write(frame)
    }
  }
}
