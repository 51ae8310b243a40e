package import DurableIO
package import FoundationEssentials

/// Collects little-endian numbers and bytes in one piece of memory.
///
/// A save writes hundreds of numbers. An array would look for another owner at each of them.
package struct ByteWriter: ~Copyable {
  private var start: UnsafeMutableRawPointer
  private var capacity: Int
  /// The number of bytes so far.
  package private(set) var count = 0

  /// - Parameter capacity: the number of bytes for which there is room at first.
  package init(capacity: Int = 256) {
    self.capacity = max(capacity, 16)
    start = .allocate(byteCount: self.capacity, alignment: 16)
  }

  deinit { start.deallocate() }

  /// A copy of all bytes.
  package var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

  package borrowing func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// Returns the hash of all bytes from an offset on.
  package func hash(from offset: Int) -> ContentHash {
    withUnsafeBytes { ContentHash(of: UnsafeRawBufferPointer(rebasing: $0[offset...])) }
  }

  /// Makes room for more bytes in advance.
  package mutating func reserve(_ more: Int) {
    guard count + more > capacity else { return }
    capacity = max(count + more, capacity * 2)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    larger.copyMemory(from: start, byteCount: count)
    start.deallocate()
    start = larger
  }

  /// Returns the place of the next bytes, which the caller fills.
  private mutating func place(for size: Int) -> UnsafeMutableRawPointer {
    reserve(size)
    defer { count += size }
    return start + count
  }

  package mutating func write(_ value: some FixedWidthInteger) {
    place(for: MemoryLayout.size(ofValue: value)).storeBytes(of: value.littleEndian, as: type(of: value))
  }

  package mutating func write(_ value: UnsafeRawBufferPointer) {
    guard let source = value.baseAddress else { return }
    place(for: value.count).copyMemory(from: source, byteCount: value.count)
  }

  package mutating func write(_ value: some ContiguousBytes) { value.withUnsafeBytes { write($0) } }

  package mutating func write(_ text: StaticString) {
    write(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Writes the UTF-8 of a text.
  package mutating func write(_ text: String) {
    var text = text
    text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
  }

  package mutating func write(_ hash: ContentHash) { hash.withUnsafeBytes { write($0) } }

  package mutating func write(_ identifier: UUID) {
    Swift.withUnsafeBytes(of: identifier.uuid) { write($0) }
  }

  package mutating func write(_ time: FileTime) {
    write(time.seconds)
    write(time.nanoseconds)
  }

  /// Writes a length in two bytes, then the bytes. The callers check that names and paths are shorter than that.
  package mutating func writeShort(_ value: [UInt8]) {
    write(UInt16(truncatingIfNeeded: value.count))
    write(value)
  }

  /// Writes this many zeros.
  package mutating func writeZeros(_ zeros: Int) {
    place(for: zeros).initializeMemory(as: UInt8.self, repeating: 0, count: zeros)
  }

  /// Writes zeros up to a multiple of `alignment`.
  package mutating func pad(to alignment: Int) {
    let rest = count % alignment
    if rest != 0 { writeZeros(alignment - rest) }
  }

  /// Writes a number over earlier bytes.
  ///
  /// - Precondition: there are as many bytes at that place.
  package mutating func overwrite(at offset: Int, _ value: some FixedWidthInteger) {
    precondition(offset >= 0 && offset + MemoryLayout.size(ofValue: value) <= count)
    (start + offset).storeBytes(of: value.littleEndian, as: type(of: value))
  }

  /// Writes a hash over earlier bytes.
  ///
  /// - Precondition: there are as many bytes at that place.
  package mutating func overwrite(at offset: Int, _ hash: ContentHash) {
    precondition(offset >= 0 && offset + ContentHash.count <= count)
    hash.withUnsafeBytes { hash in
      UnsafeMutableRawBufferPointer(start: start + offset, count: hash.count).copyMemory(from: hash)
    }
  }
}

extension Disk {
  /// Writes all bytes of `writer`.
  package func write(
    _ writer: borrowing ByteWriter, to file: borrowing OwnedDescriptor, at offset: UInt64
  ) throws(SystemError) {
    try writer.withUnsafeBytes { (bytes) throws(SystemError) in try write(bytes, to: file, at: offset) }
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
    defer { position += size }
    return bytes.withUnsafeBytes {
      Number(littleEndian: $0.loadUnaligned(fromByteOffset: position - bytes.startIndex, as: type))
    }
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

  package mutating func readUUID() throws(Damage) -> UUID { UUID(bytes: try read(count: 16)) }

  /// Reads a path of valid names, not deeper than packages are.
  package mutating func readPath() throws(Damage) -> PackagePath {
    let bytes = try readShort()
    if bytes.isEmpty { return .root }
    let names =
      bytes.contains(UInt8(ascii: "/"))
      ? bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        .map { FileName(bytes: Array($0)) }
      : [FileName(bytes: Array(bytes))]
    guard names.count <= PackagePath.maximumDepth + 1, names.allSatisfy({ $0.problem == nil }) else {
      throw Damage(words: "it has an invalid path")
    }
    return PackagePath(names)
  }
}
