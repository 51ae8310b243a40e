/// A check of bytes on their way to libarchive, which refuses archives that libarchive accepts.
protocol StreamScan {
  /// Checks the next bytes, before libarchive reads them.
  mutating func consume(_ bytes: UnsafeRawBufferPointer) throws
  /// Checks after the last byte that nothing is missing.
  func finish() throws
}

/// An input of libarchive with a scan of its bytes.
final class ScannedInput<Scan: StreamScan>: LibarchiveInput {
  private let stream: any LibarchiveInput
  var scan: Scan

  init(_ stream: any LibarchiveInput, _ scan: Scan) {
    self.stream = stream
    self.scan = scan
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let count = try stream.read(into: buffer)
    try scan.consume(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    return count
  }

  /// Reads the bytes that libarchive did not ask for.
  func readToEnd() throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: ArchiveInput.chunkSize, alignment: 16)
    defer { buffer.deallocate() }
    while try read(into: buffer) > 0 {}
    try scan.finish()
  }
}

/// A collector of a number of bytes, which also skips bytes.
struct ByteCollector {
  private(set) var bytes: [UInt8] = []
  private var skipping: UInt64 = 0
  private var needed: Int

  /// - Parameter count: the number of bytes to collect first.
  init(_ count: Int) {
    needed = count
  }

  /// Skips `skipped` bytes, then collects `count`, which is 1 or more.
  mutating func start(_ count: Int, skipping skipped: UInt64 = 0) {
    bytes.removeAll(keepingCapacity: true)
    skipping = skipped
    needed = count
  }

  /// Collects more bytes, up to `count` together.
  mutating func extend(to count: Int) {
    needed = count
  }

  var isComplete: Bool { skipping == 0 && bytes.count == needed }
  /// Whether no byte has come since `start`.
  var isUntouched: Bool { skipping == 0 && bytes.isEmpty }

  /// Takes bytes from the front of `rest`.
  mutating func take(_ rest: inout Slice<UnsafeRawBufferPointer>) {
    let skipped = Int(min(skipping, UInt64(rest.count)))
    skipping -= UInt64(skipped)
    rest = rest.dropFirst(skipped)
    let part = rest.prefix(skipping == 0 ? needed - bytes.count : 0)
    bytes.append(contentsOf: part)
    rest = rest.dropFirst(part.count)
  }
}
