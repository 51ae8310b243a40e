package import DurableIO

/// Collects little-endian numbers and bytes.
package struct ByteWriter {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func write(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  package mutating func write(_ value: some Sequence<UInt8>) { bytes.append(contentsOf: value) }

  package mutating func write(_ time: FileTime) {
    write(time.seconds)
    write(time.nanoseconds)
  }

  /// Writes a length in two bytes, then the bytes. The callers check that names and paths are shorter than that.
  package mutating func writeShort(_ value: [UInt8]) {
    write(UInt16(truncatingIfNeeded: value.count))
    write(value)
  }

  /// Writes zeros up to a multiple of `alignment`.
  package mutating func pad(to alignment: Int) {
    let rest = bytes.count % alignment
    if rest != 0 { bytes.append(contentsOf: repeatElement(0, count: alignment - rest)) }
  }
}

/// Reads the output of a `ByteWriter` from bytes of any origin.
///
/// Checks every length against the bytes that are left before it makes anything of them.
package struct ByteReader {
  /// A difference between the bytes and the format.
  package struct Damage: Error, Equatable {
    package var words: String

    package init(words: String) { self.words = words }
  }

  private let bytes: ArraySlice<UInt8>
  private var position: Int

  package init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  package var remaining: Int { bytes.endIndex - position }

  package mutating func read<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) throws(Damage)
    -> Number
  {
    let size = MemoryLayout<Number>.size
    guard remaining >= size else { throw Damage(words: "it ends too early") }
    var value = Number.zero
    for offset in (0..<size).reversed() {
      value =
        size == 1
        ? Number(truncatingIfNeeded: bytes[position])
        : value << 8 | Number(truncatingIfNeeded: bytes[position + offset])
    }
    position += size
    return value
  }

  package mutating func read(count: Int) throws(Damage) -> ArraySlice<UInt8> {
    guard count >= 0, remaining >= count else { throw Damage(words: "it ends too early") }
    defer { position += count }
    return bytes[position..<(position + count)]
  }

  package mutating func readTime() throws(Damage) -> FileTime {
    let time = FileTime(seconds: try read(), nanoseconds: try read())
    guard time.nanoseconds < 1_000_000_000 else { throw Damage(words: "it has an invalid time") }
    return time
  }

  package mutating func readShort() throws(Damage) -> ArraySlice<UInt8> {
    let count = try read(UInt16.self)
    return try read(count: Int(count))
  }

  package mutating func readKind() throws(Damage) -> FileKind {
    guard let kind = FileKind(rawValue: try read()), kind.isSupported else {
      throw Damage(words: "it has a node of an unknown kind")
    }
    return kind
  }

  /// Reads a path of valid names, not deeper than packages are.
  package mutating func readPath() throws(Damage) -> PackagePath {
    let bytes = try readShort()
    if bytes.isEmpty { return .root }
    let names = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { FileName(bytes: Array($0)) }
    guard names.count <= PackagePath.maximumDepth + 1, names.allSatisfy({ $0.problem == nil }) else {
      throw Damage(words: "it has an invalid path")
    }
    return PackagePath(names)
  }
}
