import DurableIO

/// One file, directory or symbolic link of a `CrashDisk`: as programs see it, and as it is on the medium.
struct Node: Sendable {
  typealias Number = UInt64

  struct Attributes: Hashable, Sendable {
    var mode: UInt16
    var user: UInt32 = 0
    var group: UInt32 = 0
    var modified: FileTime
    var changed: FileTime
    var extended: [String: [UInt8]] = [:]
  }

  let kind: FileKind
  let born: FileTime
  /// Where it was last given a name; a directory's parent.
  var home: Slot
  var links: UInt32

  var attributes: Attributes
  /// A file's bytes, or a symbolic link's destination.
  var bytes: FileBytes
  var entries: [FileName: Number] = [:]

  var keptAttributes: Attributes
  var keptBytes: FileBytes
  var keptEntries: [FileName: Number] = [:]

  /// What was written since the last synchronisation, in order.
  private(set) var writes: [Range<Int>] = []
  /// The smallest size it was given since then, or nil when its size was never set.
  private(set) var cut: Int?
  /// What the bytes would be if nothing had been cut off since then, or nil when nothing was.
  private var uncut: FileBytes?
  /// Whether attributes were set since then; a modification time that moves with every write does not count.
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

  /// Puts the bytes and the attributes on the medium.
  mutating func keep() {
    keepBytes()
    keptAttributes = attributes
    attributesWereSet = false
  }

  /// Puts the bytes on the medium; attributes that were set stay as they are there.
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

// MARK: - What a power cut may leave of it

extension Node {
  /// What a power cut may leave of bytes and attributes that were not synchronised.
  enum Remains: String, Sendable, Hashable {
    /// All that was written and set.
    case everything = "whole"
    /// What was synchronised last: of a new file, nothing.
    case kept = "as synchronised"
    /// The new size, with zeros instead of what was written beyond the old one.
    case zeros = "zeros"
    /// The first half of the bytes written, and no more.
    case firstHalf = "the first half"
    /// The second half of the bytes written, without the first.
    case secondHalf = "the second half"
    /// The smallest size it was given, and nothing of what was written.
    case cut = "cut"
    /// All that was written, with everything that was cut off.
    case uncut = "not cut"
    /// All that was written, with the attributes of before.
    case bytesOnly = "the bytes only"
    /// The attributes that were set, with the bytes of before.
    case attributesOnly = "the attributes only"
  }

  /// Whether bytes or attributes are not on the medium.
  var isChanged: Bool { !writes.isEmpty || cut != nil || attributesWereSet }

  /// The different things that may remain; one when everything is on the medium.
  var possibleRemains: [Remains] {
    if writes.isEmpty, cut == nil { return attributesWereSet ? [.everything, .kept] : [.everything] }
    // Different where something was written or cut off, or in size; the rest is the same, and may be long.
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
