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
  var writes: [Range<Int>] = []
  /// Whether attributes were set since then; a modification time that moves with every write does not count.
  var attributesWereSet = false

  init(_ kind: FileKind, mode: UInt16, home: Slot, at time: FileTime, destination: FileBytes = FileBytes()) {
    self.kind = kind
    self.home = home
    links = kind == .directory ? 2 : 1
    attributes = Attributes(mode: mode, modified: time, changed: time)
    keptAttributes = attributes
    bytes = destination
    keptBytes = destination
  }

  mutating func noteWrite(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    if let last = writes.last, last.upperBound == range.lowerBound {
      writes[writes.count - 1] = last.lowerBound..<range.upperBound
    } else {
      writes.append(range)
    }
  }

  /// Puts the bytes and the attributes on the medium.
  mutating func keep() {
    keptBytes = bytes
    keptAttributes = attributes
    writes = []
    attributesWereSet = false
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
    /// All that was written, with the attributes of before.
    case bytesOnly = "the bytes only"
    /// The attributes that were set, with the bytes of before.
    case attributesOnly = "the attributes only"
  }

  /// Whether bytes or attributes are not on the medium.
  var isChanged: Bool { !writes.isEmpty || attributesWereSet }

  /// The different things that may remain; one when everything is on the medium.
  var possibleRemains: [Remains] {
    if writes.isEmpty { return attributesWereSet ? [.everything, .kept] : [.everything] }
    // Different where something was written, or in size; the rest is the same, and may be long.
    var seen: [FileBytes] = []
    var remains: [Remains] = []
    for candidate in [Remains.everything, .kept, .zeros, .firstHalf, .secondHalf] {
      let content = content(of: candidate)
      if seen.contains(where: { $0.isEqual(to: content, in: writes) }) { continue }
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
    case .zeros:
      var content = keptBytes
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

  private func half(first: Bool) -> FileBytes {
    var content = keptBytes
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
