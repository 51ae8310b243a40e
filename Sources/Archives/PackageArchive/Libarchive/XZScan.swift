/// A scan of xz streams without decompression (The .xz File Format 1.1.0).
///
/// It checks the dictionary of each block, and finds the end of the last stream. LZMA2's chunks give their own
/// lengths.
struct XZScan: StreamScan {
  private let limits: ImportLimits
  /// The entry that holds the stream, for errors.
  private let entry: [UInt8]?
  private var state = State.streamHeader(isFirst: true)
  private var collector = ByteCollector(headerSize)
  /// The number of bytes of a block's checksum in this stream.
  private var checkSize: UInt64 = 0
  /// Bytes of the part that is padded to a multiple of four: a block's data, or the index.
  private var padded: UInt64 = 0
  /// Numbers of the index that have not come yet.
  private var numbers: UInt64 = 0

  private static let headerSize = 12
  private static let magic: [UInt8] = [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0]

  private enum State {
    /// A stream's header; its first four bytes tell whether they are padding.
    case streamHeader(isFirst: Bool)
    /// The size of a block's header, or the start of the index.
    case block
    case blockHeader
    /// The byte that gives the kind of a chunk.
    case chunk
    /// The sizes of a chunk; whether it is compressed.
    case chunkSizes(isCompressed: Bool, hasProperties: Bool)
    /// The number of records of the index, byte by byte.
    case indexCount(value: UInt64, shift: UInt64)
    case index
    case footer
  }

  init(_ limits: ImportLimits, entry: [UInt8]? = nil) {
    self.limits = limits
    self.entry = entry
  }

  mutating func consume(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      collector.take(&rest)
      if collector.isComplete { try takeCollected(collector.bytes) }
    }
  }

  func finish() throws {
    guard case .streamHeader(isFirst: false) = state, collector.isUntouched else { throw damage }
  }

  private var damage: ArchiveError.Finding {
    .init(.damaged, entry: entry, "its xz stream is damaged, cut short, or something follows it")
  }

  private mutating func enter(_ next: State, _ count: Int, skipping skipped: UInt64 = 0) {
    state = next
    collector.start(count, skipping: skipped)
  }

  private mutating func takeCollected(_ bytes: [UInt8]) throws {
    switch state {
    case .streamHeader(let isFirst): try takeStreamHeader(bytes, isFirst: isFirst)
    case .block:
      guard bytes[0] != 0 else {
        padded = 1
        return enter(.indexCount(value: 0, shift: 0), 1)
      }
      state = .blockHeader
      collector.extend(to: (Int(bytes[0]) + 1) * 4)
    case .blockHeader:
      try limits.check(dictionary: dictionary(ofBlock: bytes), entry: entry)
      padded = 0
      enter(.chunk, 1)
    case .chunk: try takeChunk(bytes[0])
    case .chunkSizes(let isCompressed, let hasProperties):
      let size = UInt64(bytes[bytes.count - 2]) << 8 + UInt64(bytes[bytes.count - 1]) + 1
      let following = size + (isCompressed && hasProperties ? 1 : 0)
      padded += UInt64(bytes.count) + following
      enter(.chunk, 1, skipping: following)
    case .indexCount(let value, let shift): try takeIndexCount(bytes[0], value, shift)
    case .index:
      padded += 1
      if bytes[0] & 0x80 == 0 { numbers -= 1 }
      endIndex()
    case .footer:
      guard bytes.suffix(2).elementsEqual(Array("YZ".utf8)) else { throw damage }
      enter(.streamHeader(isFirst: false), 4)
    }
  }

  private mutating func takeStreamHeader(_ bytes: [UInt8], isFirst: Bool) throws {
    if bytes.count == 4 {
      guard bytes.allSatisfy({ $0 == 0 }) else { return collector.extend(to: Self.headerSize) }
      return enter(.streamHeader(isFirst: isFirst), 4)
    }
    guard bytes.starts(with: Self.magic), bytes[6] == 0, bytes[7] < 16 else { throw damage }
    checkSize = [0, 4, 8, 16, 32, 64][(Int(bytes[7]) + 2) / 3]
    enter(.block, 1)
  }

  /// Returns the dictionary size of LZMA2, which is the last of a block's filters.
  private func dictionary(ofBlock header: [UInt8]) throws -> UInt64 {
    var rest = header[2..<header.count - 4]
    func number() throws -> UInt64 {
      var (value, shift): (UInt64, UInt64) = (0, 0)
      while let byte = rest.popFirst(), shift < 63 {
        value |= UInt64(byte & 0x7F) << shift
        if byte & 0x80 == 0 { return value }
        shift += 7
      }
      throw damage
    }
    let flags = header[1]
    guard flags & 0x3C == 0 else { throw damage }
    for bit in [UInt8(0x40), 0x80] where flags & bit != 0 { _ = try number() }  // They are skipped.
    for filter in 0...(flags & 3) {
      let kind = try number()
      let size = try number()
      guard size <= UInt64(rest.count) else { throw damage }
      let properties = rest.prefix(Int(size))
      rest = rest.dropFirst(Int(size))
      guard filter == flags & 3 else { continue }
      guard kind == 0x21, size == 1, let dictionary = properties.first.flatMap(Self.dictionary) else {
        throw damage
      }
      return dictionary
    }
    throw damage
  }

  /// Returns the dictionary size of LZMA2 that a byte encodes; nil if it encodes none.
  static func dictionary(_ bits: UInt8) -> UInt64? {
    guard bits <= 40 else { return nil }
    return bits == 40 ? UInt64(UInt32.max) : (2 | UInt64(bits & 1)) << (UInt64(bits) / 2 + 11)
  }

  private mutating func takeChunk(_ control: UInt8) throws {
    padded += 1
    switch control {
    case 0: enter(.block, 1, skipping: (4 - padded % 4) % 4 + checkSize)
    case 1, 2: enter(.chunkSizes(isCompressed: false, hasProperties: false), 2)
    case 0x80...: enter(.chunkSizes(isCompressed: true, hasProperties: control >= 0xC0), 4)
    default: throw damage
    }
  }

  private mutating func takeIndexCount(_ byte: UInt8, _ value: UInt64, _ shift: UInt64) throws {
    padded += 1
    let value = value | UInt64(byte & 0x7F) << shift
    if byte & 0x80 != 0 {
      guard shift < 49 else { throw damage }
      return enter(.indexCount(value: value, shift: shift + 7), 1)
    }
    numbers = value * 2
    endIndex()
  }

  private mutating func endIndex() {
    if numbers > 0 { return enter(.index, 1) }
    enter(.footer, Self.headerSize, skipping: (4 - padded % 4) % 4 + 4)
  }
}
