/// A scan of LZ4's frames without decompression, which finds the end of the last one (LZ4 Frame Format 1.6.4).
struct LZ4Scan: StreamScan {
  private var state = State.magic
  private var collector = ByteCollector(4)
  private var flags: UInt8 = 0

  private enum State {
    case magic
    case skippableSize
    case descriptor
    case blockSize
  }

  static let magic: UInt32 = 0x184D_2204
  /// Frames without content; Zstandard has the same.
  static let skippable: ClosedRange<UInt32> = 0x184D_2A50...0x184D_2A5F

  mutating func consume(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      collector.take(&rest)
      if collector.isComplete { try takeCollected(LittleEndianReader(collector.bytes[...])) }
    }
  }

  func finish() throws {
    guard case .magic = state, collector.isUntouched else { throw Self.damage }
  }

  private static var damage: ArchiveError.Finding {
    .init(.damaged, "its LZ4 stream is damaged, cut short, or something follows it")
  }

  private mutating func enter(_ next: State, _ count: Int, skipping skipped: UInt64 = 0) {
    state = next
    collector.start(count, skipping: skipped)
  }

  private mutating func takeCollected(_ reader: LittleEndianReader) throws {
    var reader = reader
    switch state {
    case .magic:
      guard let magic = reader.next(UInt32.self) else { throw Self.damage }
      if Self.skippable.contains(magic) { return enter(.skippableSize, 4) }
      guard magic == Self.magic else { throw Self.damage }
      enter(.descriptor, 2)
    case .skippableSize: enter(.magic, 4, skipping: UInt64(reader.next(UInt32.self) ?? 0))
    case .descriptor:
      flags = reader.next() ?? 0
      // A content size, the number of a dictionary, and a checksum of the header may follow.
      let more: UInt64 = (flags & 8 != 0 ? 8 : 0) + (flags & 1 != 0 ? 4 : 0) + 1
      enter(.blockSize, 4, skipping: more)
    case .blockSize:
      let size = reader.next(UInt32.self) ?? 0
      if size == 0 { return enter(.magic, 4, skipping: flags & 4 != 0 ? 4 : 0) }
      // The highest bit marks an uncompressed block.
      enter(.blockSize, 4, skipping: UInt64(size & 0x7FFF_FFFF) + (flags & 16 != 0 ? 4 : 0))
    }
  }
}
