import DurableIO
import SystemPackage

/// A whole disk as one value: the state for programs, and the durable state.
///
/// A copy costs nothing until one of the two changes, and then still shares the pages of all files.
struct Volume: Sendable {
  static let root: Node.Number = 2

  var nodes: [Node.Number: Node]
  /// The changes of names that no sync has made durable yet, in order.
  var pending: [NameChange] = []
  /// The nodes without a name, which may still be open or come back after a power cut.
  var nameless: Set<Node.Number> = []
  var nextNumber: Node.Number = Volume.root + 1
  /// Whether names are like those of FAT: see `Volume+Limits.swift`.
  var limitsNames = false
  /// Nanoseconds since 1970; it advances at every look.
  private var clock: UInt64 = 1_700_000_000_000_000_000
  private let granularity: UInt64

  init(granularity: UInt64 = 1) {
    self.granularity = max(1, granularity)
    nodes = [:]
    let home = Slot(directory: Self.root, name: "/")
    nodes[Self.root] = Node(.directory, mode: 0o755, home: home, at: now())
  }

  mutating func now() -> FileTime {
    clock += 1
    let time = clock - clock % granularity
    return FileTime(seconds: Int64(time / 1_000_000_000), nanoseconds: UInt32(time % 1_000_000_000))
  }

  func node(_ number: Node.Number) throws(Errno) -> Node {
    guard let node = nodes[number] else { throw .badFileDescriptor }
    return node
  }

  func directory(_ number: Node.Number) throws(Errno) -> Node {
    let node = try node(number)
    guard node.kind == .directory else { throw .notDirectory }
    return node
  }

  /// Returns the node with a name, or nil if the name is free.
  func holder(of slot: Slot) throws(Errno) -> Node.Number? {
    let directory = try directory(slot.directory)
    switch slot.name.problem {
    case nil: return directory.entries[slot.name]
    case .empty: throw .noSuchFileOrDirectory
    case .tooLong: throw .fileNameTooLong
    case .dots, .slash, .nul: throw .invalidArgument
    }
  }

  func existing(_ slot: Slot) throws(Errno) -> Node.Number {
    guard let number = try holder(of: slot) else { throw .noSuchFileOrDirectory }
    return number
  }

  func status(of number: Node.Number, device: UInt64) throws(Errno) -> FileStatus {
    let node = try node(number)
    let size = node.kind == .directory ? 4096 : UInt64(node.bytes.count)
    var status = FileStatus(
      kind: node.kind, mode: node.attributes.mode,
      identity: FileIdentity(
        device: device, inode: number, size: size,
        modified: node.attributes.modified, changed: node.attributes.changed),
      links: node.links, user: node.attributes.user, group: node.attributes.group, born: node.born)
    status.isImmutable = node.attributes.isImmutable
    return status
  }

  /// Returns the last path to a node.
  func path(of number: Node.Number) -> String {
    var names: [String] = []
    var number = number
    while number != Self.root, let home = nodes[number]?.home, names.count < 256 {
      names.append(home.name.display)
      number = home.directory
    }
    return "/" + names.reversed().joined(separator: "/")
  }

  /// Returns the directory at a path; follows symbolic links.
  func directory(at path: FilePath) throws(Errno) -> Node.Number {
    var rest = path.withPlatformString { text in
      UnsafeBufferPointer(start: text, count: path.length).map { UInt8(bitPattern: $0) }
    }[...]
    guard !rest.isEmpty else { throw .noSuchFileOrDirectory }
    var trail = [Self.root]
    var linksFollowed = 0
    while let slash = rest.firstIndex(where: { $0 != UInt8(ascii: "/") }) {
      let component = rest[slash...].prefix { $0 != UInt8(ascii: "/") }
      rest = rest[component.endIndex...]
      let current = trail[trail.count - 1]
      _ = try directory(current)
      if component.elementsEqual(".".utf8) { continue }
      if component.elementsEqual("..".utf8) {
        if trail.count > 1 { trail.removeLast() }
        continue
      }
      let number = try existing(Slot(directory: current, name: FileName(bytes: Array(component))))
      guard try node(number).kind == .symbolicLink else {
        trail.append(number)
        continue
      }
      linksFollowed += 1
      guard linksFollowed <= 40 else { throw .tooManySymbolicLinkLevels }
      let destination = try node(number).bytes.bytes
      if destination.first == UInt8(ascii: "/") { trail = [Self.root] }
      rest = (destination + rest)[...]
    }
    let number = trail[trail.count - 1]
    _ = try directory(number)
    return number
  }
}

// MARK: - Bytes and attributes

extension Volume {
  mutating func write(_ buffer: UnsafeRawBufferPointer, to number: Node.Number, at offset: UInt64)
    throws(Errno)
  {
    guard !buffer.isEmpty else { return }
    guard let start = Int(exactly: offset), start <= FileBytes.maximumCount - buffer.count else {
      throw offset > UInt64(Int64.max) ? .invalidArgument : .fileTooLarge
    }
    let time = now()
    nodes[number]?.write(buffer, at: start)
    nodes[number]?.attributes.modified = time
    nodes[number]?.attributes.changed = time
  }

  mutating func resize(_ number: Node.Number, to size: UInt64) throws(Errno) {
    guard let size = Int(exactly: size) else { throw .invalidArgument }
    guard size <= FileBytes.maximumCount else { throw .fileTooLarge }
    let time = now()
    nodes[number]?.resize(to: size)
    nodes[number]?.attributes.modified = time
    nodes[number]?.attributes.changed = time
  }

  mutating func clone(_ source: Node.Number, to destination: Node.Number) throws(Errno) {
    let bytes = try node(source).bytes
    let time = now()
    nodes[destination]?.write(0..<bytes.count, of: bytes)
    nodes[destination]?.attributes.modified = time
    nodes[destination]?.attributes.changed = time
  }

  mutating func setAttributes(of number: Node.Number, _ body: (inout Node.Attributes) -> Void) {
    let time = now()
    guard var attributes = nodes[number]?.attributes else { return }
    body(&attributes)
    attributes.changed = time
    nodes[number]?.attributes = attributes
    nodes[number]?.attributesWereSet = true
  }
}
