import DurableIO
import FileTrees
import PackageFormat

/// The bytes of a log: a file, or a copy of one in memory.
final class LogBytes {
  enum Source {
    case file(OpenNode, any Disk)
    case memory([UInt8])
  }

  private var source: Source
  /// The number of bytes.
  let size: Int

  init(_ source: Source, size: Int) { (self.source, self.size) = (source, size) }

  /// From now on the bytes come from a file that has the same ones.
  func read(from file: OpenNode, on disk: any Disk) { source = .file(file, disk) }

  /// Returns the bytes of a range, as far as there are any.
  func read(_ range: Range<Int>) throws(SystemError) -> ArraySlice<UInt8> {
    let range = range.clamped(to: 0..<size)
    switch source {
    case .memory(let bytes): return bytes[range]
    case .file(let file, let disk):
      return try disk.read(file.descriptor, at: UInt64(range.lowerBound), atMost: range.count)[...]
    }
  }
}

/// Items of different lengths in a log, each found by its number without reading the others.
///
/// The items stand one after the other, each with a check of its bytes; then the place of each, in four bytes.
struct LogRun {
  static let checkLength = 8

  let count: Int
  /// The place of the items in the log.
  let items: Range<Int>
  private let bytes: LogBytes

  /// The length of the items and of their places.
  static func length(_ count: Int, _ items: Int) -> Int { items + 4 * count }

  init(_ count: Int, _ items: Range<Int>, in bytes: LogBytes) {
    (self.count, self.items, self.bytes) = (count, items, bytes)
  }

  /// A run without items.
  static var empty: LogRun { LogRun(0, 0..<0, in: LogBytes(.memory([]), size: 0)) }

  /// Returns an item; nil if it is damaged.
  func item(_ index: Int) throws(SystemError) -> ArraySlice<UInt8>? {
    let place = items.upperBound + 4 * index
    let places = try bytes.read(place..<(place + (index + 1 < count ? 8 : 4)))
    guard let range = range(places, isLast: index + 1 == count) else { return nil }
    return Self.checked(try bytes.read(range))
  }

  /// Returns all items, with one read; nil for those that are damaged.
  func all() throws(SystemError) -> [ArraySlice<UInt8>?] {
    if count == 0 { return [] }
    let whole = try bytes.read(items.lowerBound..<(items.upperBound + 4 * count))
    guard whole.count == Self.length(count, items.count) else { return [nil] }
    // No byte is a part of two items.
    var end = items.lowerBound
    return (0..<count).map { index in
      let place = whole.startIndex + items.count + 4 * index
      let places = whole[place..<(place + (index + 1 < count ? 8 : 4))]
      guard let range = range(places, isLast: index + 1 == count), range.lowerBound >= end else { return nil }
      end = range.upperBound
      let start = whole.startIndex + range.lowerBound - items.lowerBound
      return Self.checked(whole[start..<(start + range.count)])
    }
  }

  /// Returns the items and their places as they are; nil if some are missing at the end of the file.
  func copied() throws(SystemError) -> ArraySlice<UInt8>? {
    let copied = try bytes.read(items.lowerBound..<(items.upperBound + 4 * count))
    return copied.count == Self.length(count, items.count) ? copied : nil
  }

  private func range(_ places: ArraySlice<UInt8>, isLast: Bool) -> Range<Int>? {
    var reader = ByteReader(places)
    do throws(ByteReader.Damage) {
      let start = Int(try reader.read(UInt32.self))
      let end = isLast ? items.count : Int(try reader.read(UInt32.self))
      guard start + Self.checkLength <= end, end <= items.count else { return nil }
      return (items.lowerBound + start)..<(items.lowerBound + end)
    } catch {
      return nil
    }
  }

  private static func checked(_ item: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard item.count >= checkLength else { return nil }
    let body = item.dropLast(checkLength)
    return item.suffix(checkLength).elementsEqual(check(body)) ? body : nil
  }

  fileprivate static func check(_ item: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    item.withUnsafeBytes { ContentHash(of: $0) }.bytes.prefix(checkLength)
  }
}

/// Writes a run.
struct LogRunWriter: ~Copyable {
  private var items = ByteWriter()
  private var places = ByteWriter()
  private(set) var count = 0

  mutating func add(_ encode: (inout ByteWriter) throws -> Void) rethrows {
    let start = items.count
    try encode(&items)
    let check = items.withUnsafeBytes { bytes in
      ContentHash(of: UnsafeRawBufferPointer(rebasing: bytes[start...])).bytes.prefix(LogRun.checkLength)
    }
    items.write(check)
    places.write(UInt32(truncatingIfNeeded: start))
    count += 1
  }

  /// The length of the items, without their places.
  var length: Int { items.count }

  borrowing func write(to writer: inout ByteWriter) {
    items.withUnsafeBytes { writer.write($0) }
    places.withUnsafeBytes { writer.write($0) }
  }
}
