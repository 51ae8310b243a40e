/// A scan of a 7z archive's headers up to the coders of its contents, which checks each coder's memory
/// (7zFormat.txt of the LZMA SDK).
struct SevenZipScan {
  private let limits: ImportLimits

  private static let startSize = 32
  /// The largest header: some hundred bytes for each entry, and its name.
  private static let maximumHeaderSize: UInt64 = 1 << 28

  private enum Property {
    static let end: UInt64 = 0
    static let header: UInt64 = 1
    static let archiveProperties: UInt64 = 2
    static let additionalStreams: UInt64 = 3
    static let mainStreams: UInt64 = 4
    static let packInfo: UInt64 = 6
    static let unpackInfo: UInt64 = 7
    static let size: UInt64 = 9
    static let digests: UInt64 = 10
    static let folders: UInt64 = 11
    static let unpackSizes: UInt64 = 12
    static let encodedHeader: UInt64 = 23
  }

  /// - Throws: a finding for a coder that needs more memory than `limits` allow, and for bytes behind the archive.
  init(of input: ArchiveInput, limits: ImportLimits) throws {
    self.limits = limits
    var start = LittleEndianReader(try input.bytes(at: 0, count: Self.startSize)[...])
    guard start.bytes(12) != nil, let offset = start.next(UInt64.self), let size = start.next(UInt64.self)
    else { throw Self.damage }
    let (place, overflow) = offset.addingReportingOverflow(UInt64(Self.startSize))
    let (end, endOverflow) = place.addingReportingOverflow(size)
    guard !overflow, !endOverflow, end == input.size else {
      throw ArchiveError.Finding(.damaged, "it is cut short, or something follows its end")
    }
    guard size > 0 else { return }
    var header = try Self.header(of: input, at: place, size: size)
    // 7-Zip compresses a header once.
    for _ in 0..<2 {
      var reader = NumberReader(header[...])
      let kind = try reader.number()
      guard kind == Property.encodedHeader else {
        guard kind == Property.header else { throw Self.damage }
        try checkHeader(&reader)
        return
      }
      let streams = try checkStreams(&reader)
      header = try decoded(streams, of: input)
    }
    throw Self.damage
  }

  private static var damage: ArchiveError.Finding { .init(.damaged, "its header is damaged") }

  private static func header(of input: ArchiveInput, at place: UInt64, size: UInt64) throws -> [UInt8] {
    guard size <= maximumHeaderSize else {
      throw ArchiveError.Finding(.limitExceeded, "its header is larger than \(maximumHeaderSize) bytes")
    }
    let header = try input.bytes(at: place, count: Int(size))
    guard header.count == Int(size) else { throw damage }
    return header
  }

  private func checkHeader(_ reader: inout NumberReader) throws {
    while true {
      switch try reader.number() {
      case Property.archiveProperties:
        while try reader.number() != Property.end { try reader.skip(reader.number()) }
      case Property.additionalStreams: throw Self.damage
      case Property.mainStreams:
        _ = try checkStreams(&reader)  // It only checks.
        return
      default: return
      }
    }
  }

  /// The streams of a header, with the facts that the decoding of another header needs.
  private struct Streams {
    var place: UInt64 = 0
    var sizes: [UInt64] = []
    var coders: [Coder] = []
    var unpackedSize: UInt64 = 0
  }

  private struct Coder {
    var id: [UInt8]
    var properties: [UInt8]
    var outputs: UInt64
  }

  /// Reads the places of packed streams and their coders, and nothing after that.
  private func checkStreams(_ reader: inout NumberReader) throws -> Streams {
    var streams = Streams()
    var kind = try reader.number()
    if kind == Property.packInfo {
      streams.place = try reader.number()
      let count = try reader.count()
      kind = try reader.number()
      if kind == Property.size {
        for _ in 0..<count { streams.sizes.append(try reader.number()) }
        kind = try reader.number()
      }
      if kind == Property.digests {
        try reader.skipDigests(count)
        kind = try reader.number()
      }
      guard kind == Property.end else { throw Self.damage }
      kind = try reader.number()
    }
    guard kind == Property.unpackInfo else { return streams }
    guard try reader.number() == Property.folders else { throw Self.damage }
    let count = try reader.count()
    guard try reader.byte() == 0 else { throw Self.damage }
    for _ in 0..<count { streams.coders += try folder(&reader) }
    guard try reader.number() == Property.unpackSizes else { throw Self.damage }
    for coder in streams.coders {
      for _ in 0..<coder.outputs { streams.unpackedSize = try reader.number() }
    }
    return streams
  }

  /// Reads one chain of coders, and checks each coder.
  private func folder(_ reader: inout NumberReader) throws -> [Coder] {
    let count = try reader.number()
    guard (1...32).contains(count) else { throw Self.damage }
    var coders: [Coder] = []
    var (inputs, outputs): (UInt64, UInt64) = (0, 0)
    for _ in 0..<count {
      let flags = try reader.byte()
      var coder = Coder(id: try reader.bytes(UInt64(flags & 15)), properties: [], outputs: 1)
      var coderInputs: UInt64 = 1
      if flags & 0x10 != 0 { (coderInputs, coder.outputs) = (try reader.number(), try reader.number()) }
      if flags & 0x20 != 0 { coder.properties = try reader.bytes(reader.number()) }
      guard flags & 0xC0 == 0, (1...32).contains(coderInputs), (1...32).contains(coder.outputs) else {
        throw Self.damage
      }
      inputs += coderInputs
      outputs += coder.outputs
      try check(coder)
      coders.append(coder)
    }
    let pairs = outputs - 1
    guard inputs >= pairs else { throw Self.damage }
    for _ in 0..<pairs * 2 { _ = try reader.number() }  // They are skipped.
    if inputs - pairs > 1 { for _ in 0..<inputs - pairs { _ = try reader.number() } }  // The same.
    return coders
  }

  private static let lzma: [UInt8] = [3, 1, 1]
  private static let lzma2: [UInt8] = [0x21]
  private static let ppmd: [UInt8] = [3, 4, 1]

  private func check(_ coder: Coder) throws {
    var properties = LittleEndianReader(coder.properties[...])
    switch coder.id {
    case Self.lzma, Self.ppmd:
      guard properties.next(UInt8.self) != nil, let size = properties.next(UInt32.self) else {
        throw Self.damage
      }
      try limits.check(dictionary: UInt64(size))
    case Self.lzma2:
      guard let bits = properties.next(UInt8.self), let size = XZScan.dictionary(bits) else {
        throw Self.damage
      }
      try limits.check(dictionary: size)
    default: break
    }
  }

  /// Decodes a compressed header. 7-Zip and libarchive compress it with LZMA alone.
  private func decoded(_ streams: Streams, of input: ArchiveInput) throws -> [UInt8] {
    guard streams.sizes.count == 1, streams.coders.count == 1, streams.coders[0].id == Self.lzma,
      streams.coders[0].properties.count == 5
    else {
      throw ArchiveError.Finding(
        .unsupported, "the compression or encryption of its header is not supported")
    }
    guard streams.unpackedSize <= Self.maximumHeaderSize else {
      throw ArchiveError.Finding(
        .limitExceeded, "its header is larger than \(Self.maximumHeaderSize) bytes")
    }
    let (place, overflow) = streams.place.addingReportingOverflow(UInt64(Self.startSize))
    guard !overflow else { throw Self.damage }
    let packed = try Self.header(of: input, at: place, size: streams.sizes[0])
    // The header of an LZMA file holds the properties and the size.
    var file = streams.coders[0].properties
    file.append(littleEndian: streams.unpackedSize)
    let reader = try LibarchiveReader.openLZMA(ByteInput(file + packed))
    guard try reader.next() != nil else { throw Self.damage }
    var header = [UInt8](repeating: 0, count: Int(streams.unpackedSize))
    var count = 0
    while count < header.count {
      let got = try header.withUnsafeMutableBytes {
        try reader.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[count...]))
      }
      guard got > 0 else { throw Self.damage }
      count += got
    }
    return header
  }

  /// Bytes in memory, read in order.
  private final class ByteInput: LibarchiveInput {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
      rest = bytes[...]
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
      let part = rest.prefix(buffer.count)
      buffer.copyBytes(from: part)
      rest = rest.dropFirst(part.count)
      return part.count
    }
  }

  /// A reader of 7z's numbers: the highest bits of the first byte give the number of the following bytes.
  private struct NumberReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
      rest = bytes
    }

    mutating func byte() throws -> UInt8 {
      guard let byte = rest.popFirst() else { throw damage }
      return byte
    }

    mutating func bytes(_ count: UInt64) throws -> [UInt8] {
      guard count <= UInt64(rest.count) else { throw damage }
      defer { rest = rest.dropFirst(Int(count)) }
      return Array(rest.prefix(Int(count)))
    }

    mutating func skip(_ count: UInt64) throws {
      _ = try bytes(count)  // They are skipped.
    }

    mutating func number() throws -> UInt64 {
      let first = try byte()
      let following = (~first).leadingZeroBitCount
      var value: UInt64 = 0
      for index in 0..<following { value |= UInt64(try byte()) << UInt64(8 * index) }
      if following < 7 { value |= (UInt64(first) & (0x7F >> UInt64(following))) << UInt64(8 * following) }
      return value
    }

    /// Reads the number of items that take at least a byte each.
    mutating func count() throws -> UInt64 {
      let count = try number()
      guard count <= UInt64(rest.count) else { throw damage }
      return count
    }

    mutating func skipDigests(_ count: UInt64) throws {
      var defined = count
      if try byte() == 0 {
        let bits = try bytes((count + 7) / 8)
        defined = UInt64(bits.reduce(0) { $0 + $1.nonzeroBitCount })
      }
      try skip(defined * 4)
    }
  }
}
