// IH1 The reader calls the closure at most `maximumReads` times, each for at most `maximumReadSize` bytes in the file.
//     Every parser advances by at least a byte a step, so this also bounds its steps.
// IH2 Sums of positions cannot overflow: they saturate, and are then past every end.

/// Reads the bytes that a header needs from anywhere in a file, and only so many of them.
struct ImageHeaderReader: ~Copyable {
  /// The size of the file in bytes.
  let size: UInt64

  /// The format that errors name.
  var format = ImageHeader.Format.png

  /// The first error of the closure; the reader reads nothing after it.
  private(set) var failure: (any Error)?

  private let read: (UInt64, Int) throws -> [UInt8]
  private var reads = 0
  private var window: [UInt8] = []
  private var windowStart: UInt64 = 0

  init(size: UInt64, read: @escaping (UInt64, Int) throws -> [UInt8]) {
    self.size = size
    self.read = read
  }

  /// Returns the first bytes of the file, as many as one read gives.
  mutating func beginning() -> [UInt8] {
    load(at: 0, atLeast: 0)
    return window
  }

  /// Returns bytes at a position; `part` names them in the error if they are missing.
  mutating func bytes(
    at offset: UInt64, count: Int, _ part: @autoclosure () -> String
  ) throws(ImageHeaderError) -> ArraySlice<UInt8> {
    guard offset <= size, UInt64(count) <= size - offset else {
      throw .truncated(format, missing: part())
    }
    if !windowHolds(offset, count) {
      // IH1
      guard reads < ImageHeader.maximumReads else { throw .tooFarAway(format) }
      load(at: offset, atLeast: count)
      guard windowHolds(offset, count) else { throw .truncated(format, missing: part()) }
    }
    let start = Int(offset - windowStart)
    return window[start..<start + count]
  }

  /// Returns an unsigned number of one to eight bytes.
  mutating func number(
    at offset: UInt64, bytes count: Int, _ order: ByteOrder, _ part: @autoclosure () -> String
  ) throws(ImageHeaderError) -> UInt64 {
    let bytes = try bytes(at: offset, count: count, part())
    return switch order {
    case .bigEndian: bytes.reduce(0) { $0 << 8 | UInt64($1) }
    case .littleEndian: bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
  }

  /// Returns four bytes as text, for the four-character codes of RIFF and PNG.
  mutating func code(
    at offset: UInt64, _ part: @autoclosure () -> String
  ) throws(ImageHeaderError) -> String {
    String(decoding: try bytes(at: offset, count: 4, part()), as: UTF8.self)
  }

  /// The order of a number's bytes.
  enum ByteOrder {
    case bigEndian, littleEndian
  }

  private func windowHolds(_ offset: UInt64, _ count: Int) -> Bool {
    guard offset >= windowStart, offset - windowStart <= UInt64(window.count) else { return false }
    return count <= window.count - Int(offset - windowStart)
  }

  private mutating func load(at offset: UInt64, atLeast count: Int) {
    let available = Int(min(size - offset, UInt64(ImageHeader.maximumReadSize)))
    window = []
    windowStart = offset
    guard failure == nil, available > 0, count <= available else { return }
    reads += 1
    do {
      window = Array(try read(offset, available).prefix(available))
    } catch {
      failure = error
    }
  }
}

extension UInt64 {
  /// Returns the sum, or the greatest number if the sum does not fit (IH2).
  func adding(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
