import DurableIO

/// A file, directory or symbolic link of a `CrashDisk`: its state for programs, and its durable state.
struct Node: Sendable {
  typealias Number = UInt64

  struct Attributes: Hashable, Sendable {
    var mode: UInt16
    var user: UInt32 = 0
    var group: UInt32 = 0
    var modified: FileTime
    var changed: FileTime
    var extended: [String: [UInt8]] = [:]
    var isImmutable = false
  }

  let kind: FileKind
  let born: FileTime
  /// The slot of its last name; for a directory, its place in the parent.
  var home: Slot
  var links: UInt32

  var attributes: Attributes
  /// A file's bytes, or a symbolic link's destination.
  var bytes: FileBytes
  var entries: [FileName: Number] = [:]

  var keptAttributes: Attributes
  var keptBytes: FileBytes
  var keptEntries: [FileName: Number] = [:]

  /// The ranges written since the last sync, in order.
  private(set) var writes: [Range<Int>] = []
  /// The smallest size that was set since the last sync; nil if no size was set.
  private(set) var cut: Int?
  /// The bytes without any cut since the last sync; nil if there was no cut.
  private var uncut: FileBytes?
  /// Whether attributes were set since the last sync; a modification time that moves with a write does not count.
  var attributesWereSet = false

  init(_ kind: FileKind, mode: UInt16, home: Slot, at time: FileTime, destination: FileBytes = FileBytes()) {
    self.kind = kind
    born = time
    self.home = home
    links = kind == .directory ? 2 : 1
    attributes = Attributes(mode: mode, modified: time, changed: time)
    keptAttributes = attributes
    bytes = destination
    keptBytes = destination
  }

  mutating func write(_ buffer: UnsafeRawBufferPointer, at offset: Int) {
    bytes.write(buffer, at: offset)
    uncut?.write(buffer, at: offset)
    noteWrite(offset..<(offset + buffer.count))
  }

  mutating func write(_ range: Range<Int>, of other: FileBytes) {
    bytes.write(range, of: other)
    uncut?.write(range, of: other)
    noteWrite(range)
  }

  mutating func resize(to size: Int) {
    guard size != bytes.count else { return }
    cut = min(cut ?? bytes.count, size)
    if size < bytes.count {
      if uncut == nil { uncut = bytes }
      bytes.shrink(to: size)
      writes = writes.map { $0.clamped(to: 0..<size) }.filter { !$0.isEmpty }
    } else {
      bytes.grow(to: size)
      uncut?.grow(to: size)
    }
  }

  private mutating func noteWrite(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    if let last = writes.last, last.upperBound == range.lowerBound {
      writes[writes.count - 1] = last.lowerBound..<range.upperBound
    } else {
      writes.append(range)
    }
  }

  /// Makes the bytes and the attributes durable.
  mutating func keep() {
    keepBytes()
    keptAttributes = attributes
    attributesWereSet = false
  }

  /// Makes the bytes durable; attributes that were set stay as they are in the durable state.
  mutating func keepBytes() {
    keptBytes = bytes
    writes = []
    cut = nil
    uncut = nil
  }
}

/// The place of one name in one directory.
struct Slot: Hashable, Sendable {
  var directory: Node.Number
  var name: FileName
}

// MARK: - After a power cut

extension Node {
  /// The possible state of bytes and attributes without a sync after a power cut.
  enum Remains: String, Sendable, Hashable {
    /// All writes and all attributes.
    case everything = "whole"
    /// The state of the last sync: of a new file, nothing.
    case kept = "as synchronised"
    /// The new size, with zeros in place of the bytes beyond the old one.
    case zeros = "zeros"
    /// The first half of the written bytes, and no more.
    case firstHalf = "the first half"
    /// The second half of the written bytes, without the first.
    case secondHalf = "the second half"
    /// The smallest size that was set, without the later writes.
    case cut = "cut"
    /// All writes, with the bytes that were cut off.
    case uncut = "not cut"
    /// All writes, with the old attributes.
    case bytesOnly = "the bytes only"
    /// The new attributes, with the old bytes.
    case attributesOnly = "the attributes only"
  }

  /// Whether bytes or attributes are not durable.
  var isChanged: Bool { !writes.isEmpty || cut != nil || attributesWereSet }

  /// The different states that may remain; one if everything is durable.
  var possibleRemains: [Remains] {
    if writes.isEmpty, cut == nil { return attributesWereSet ? [.everything, .kept] : [.everything] }
    // The candidates differ only in size and in the ranges that were written or cut off; the rest may be long.
    let changed = writes + (cut.map { [$0..<Int.max] } ?? [])
    var seen: [FileBytes] = []
    var remains: [Remains] = []
    for candidate in [Remains.everything, .kept, .zeros, .firstHalf, .secondHalf, .cut, .uncut] {
      let content = content(of: candidate)
      if seen.contains(where: { $0.isEqual(to: content, in: changed) }) { continue }
      seen.append(content)
      remains.append(candidate)
    }
    if attributesWereSet { remains += [.bytesOnly, .attributesOnly] }
    return remains
  }

  func content(of remains: Remains) -> FileBytes {
    switch remains {
    case .everything, .bytesOnly: return bytes
    case .kept, .attributesOnly: return keptBytes
    case .cut: return keptBytesCut
    case .uncut: return uncut ?? bytes
    case .zeros:
      var content = keptBytesCut
      content.grow(to: bytes.count)
      return content
    case .firstHalf, .secondHalf: return half(first: remains == .firstHalf)
    }
  }

  func attributes(of remains: Remains) -> Attributes {
    switch remains {
    case .kept, .bytesOnly: keptAttributes
    default: attributes
    }
  }

  private var keptBytesCut: FileBytes {
    var content = keptBytes
    if let cut { content.shrink(to: cut) }
    return content
  }

  private func half(first: Bool) -> FileBytes {
    var content = keptBytesCut
    var left = writes.reduce(0) { $0 + $1.count } / 2
    for range in writes {
      let middle = range.lowerBound + min(left, range.count)
      left -= middle - range.lowerBound
      content.write(first ? range.lowerBound..<middle : middle..<range.upperBound, of: bytes)
    }
    if !first { content.grow(to: bytes.count) }
    return content
  }
}
