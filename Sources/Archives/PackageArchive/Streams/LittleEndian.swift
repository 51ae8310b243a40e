/// Numbers in zip's byte order, with the least byte first.
extension [UInt8] {
  /// Appends numbers in their order.
  mutating func append<each Number: FixedWidthInteger>(littleEndian numbers: repeat each Number) {
    for number in repeat each numbers {
      Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
  }
}

/// A reader of numbers, in order, from bytes that may come from any program.
struct LittleEndianReader {
  private let bytes: ArraySlice<UInt8>
  private var position: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  var remaining: Int { bytes.endIndex - position }

  /// Reads the next number; returns nil if the bytes end before.
  mutating func next<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number? {
    let size = MemoryLayout<Number>.size
    guard remaining >= size else { return nil }
    var number: Number = 0
    for offset in (0..<size).reversed() {
      number = (size == 1 ? 0 : number << 8) | Number(truncatingIfNeeded: bytes[position + offset])
    }
    position += size
    return number
  }

  /// Reads the next bytes; returns nil if there are fewer.
  mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, remaining >= count else { return nil }
    defer { position += count }
    return bytes[position..<position + count]
  }
}
