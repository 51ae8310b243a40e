/// The bytes of a file in pages, so that a copy of a whole disk shares all unchanged pages.
struct FileBytes: Hashable, Sendable {
  private static let pageSize = 4096
  private static let zeros = [UInt8](repeating: 0, count: pageSize)
  /// The maximum size of a file on this disk.
  static let maximumCount = 1 << 32

  private var pages: [[UInt8]] = []
  private(set) var count = 0

  init() {}

  init(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { write($0, at: 0) }
  }

  var bytes: [UInt8] { Array(pages.joined()) }

  /// Makes the file longer, with zeros.
  mutating func grow(to size: Int) {
    guard size > count else { return }
    if let last = pages.indices.last {
      let length = min(Self.pageSize, size - last * Self.pageSize)
      pages[last].append(contentsOf: repeatElement(0, count: length - pages[last].count))
    }
    while pages.count * Self.pageSize < size {
      let length = min(Self.pageSize, size - pages.count * Self.pageSize)
      pages.append(length == Self.pageSize ? Self.zeros : [UInt8](repeating: 0, count: length))
    }
    count = size
  }

  /// Makes the file shorter.
  mutating func shrink(to size: Int) {
    guard size < count else { return }
    pages.removeSubrange(((size + Self.pageSize - 1) / Self.pageSize)...)
    if let last = pages.indices.last { pages[last].removeSubrange((size - last * Self.pageSize)...) }
    count = size
  }

  mutating func write(_ buffer: UnsafeRawBufferPointer, at offset: Int) {
    guard !buffer.isEmpty else { return }
    grow(to: offset + buffer.count)
    var done = 0
    while done < buffer.count {
      let (page, start) = (offset + done).quotientAndRemainder(dividingBy: Self.pageSize)
      let length = min(Self.pageSize - start, buffer.count - done)
      let part = UnsafeRawBufferPointer(rebasing: buffer[done..<(done + length)])
      pages[page].replaceSubrange(start..<(start + length), with: part)
      done += length
    }
  }

  /// Copies one range of another file.
  mutating func write(_ range: Range<Int>, of other: FileBytes) {
    guard !range.isEmpty else { return }
    grow(to: range.upperBound)
    var position = range.lowerBound
    while position < range.upperBound {
      let (page, start) = position.quotientAndRemainder(dividingBy: Self.pageSize)
      let end = min(Self.pageSize, start + range.upperBound - position)
      pages[page].replaceSubrange(start..<end, with: other.pages[page][start..<end])
      position += end - start
    }
  }

  /// Returns whether two files have the same size and the same bytes in some ranges.
  ///
  /// O(pages of the ranges).
  func isEqual(to other: FileBytes, in ranges: [Range<Int>]) -> Bool {
    count == other.count
      && ranges.allSatisfy { range in
        let last = min(range.upperBound, count) - 1
        guard range.lowerBound <= last else { return true }
        return (range.lowerBound / Self.pageSize...last / Self.pageSize)
          .allSatisfy { pages[$0] == other.pages[$0] }
      }
  }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let length = min(buffer.count, max(0, count - offset))
    var done = 0
    while done < length {
      let (page, start) = (offset + done).quotientAndRemainder(dividingBy: Self.pageSize)
      let part = pages[page][start..<min(pages[page].count, start + length - done)]
      UnsafeMutableRawBufferPointer(rebasing: buffer[done..<(done + part.count)]).copyBytes(from: part)
      done += part.count
    }
    return length
  }
}
