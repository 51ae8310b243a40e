import DurableIO
public import FoundationEssentials
import PackageFormat
import Synchronization

// The format: eight bytes that name it, then one node. A node is its kind (1 byte), permissions (2), flags (1),
// modification time (8 + 4), preferred filename and content. The content is a file's bytes, a link's destination, or
// the number of children and then the name and node of each child. Names and bytes are a length (8) and the bytes;
// numbers are little-endian.
private let signature = Array("FPWrap1\n".utf8)

extension FileWrapper {
  /// The whole tree with all its bytes as one piece of data, for a pasteboard or a message.
  ///
  /// Nil if a node cannot be read. The format is this library's own, not Apple's. It holds kinds, keys, preferred
  /// filenames, permissions, dates to the nanosecond, bytes and destinations. All of it is in memory at once.
  public var serializedRepresentation: Data? {
    var writer = SerialWriter()
    // Nil for every failure is Apple's contract.
    guard (try? writer.write(snapshot().root, at: .root)) != nil else { return nil }
    return Data(writer.bytes)
  }
}

extension FileWrapper.State {
  package init?(serializedRepresentation data: Data) {
    var reader = SerialReader(bytes: Array(data))
    guard reader.take(signature.count).map(Array.init) == signature,
      let state = reader.node(depth: 0), reader.isAtEnd
    else { return nil }
    self = state
  }
}

private struct SerialWriter {
  package var bytes = signature

  private mutating func number<Number: FixedWidthInteger>(_ number: Number) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  private mutating func string(_ string: some Collection<UInt8>) {
    number(UInt64(string.count))
    bytes.append(contentsOf: string)
  }

  package mutating func write(_ node: PackageSnapshot.Node, at path: PackagePath) throws {
    guard path.names.count <= PackagePath.maximumDepth else {
      throw FilePackageError(.tooDeep, .copy, document: path.display)
    }
    bytes.append(node.kind.rawValue)
    number(node.attributes.mode)
    bytes.append((node.attributes.modeIsExact ? 1 : 0) | (node.attributes.modified == nil ? 0 : 2))
    number(node.attributes.modified?.seconds ?? 0)
    number(node.attributes.modified?.nanoseconds ?? 0)
    let name = node.wrapper.map { $0.preferredFilename.map { FileName($0).bytes } } ?? node.filename?.bytes
    string(name ?? [])
    switch node.content {
    case .file(let contents): string(try contents.data())
    case .link: string(try node.destination())
    case .directory:
      let children = try node.children(at: path, looking: true)
      number(UInt64(children.count))
      for (name, child) in children {
        string(name.bytes)
        try write(child, at: path.appending(name))
      }
    }
  }
}

private struct SerialReader {
  package let bytes: [UInt8]
  var position = 0

  var isAtEnd: Bool { position == bytes.count }

  mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, count <= bytes.count - position else { return nil }
    defer { position += count }
    return bytes[position..<(position + count)]
  }

  private mutating func number<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
    take(MemoryLayout<Number>.size)?.reversed().reduce(Number(0)) { $0 << 8 | Number(truncatingIfNeeded: $1) }
  }

  private mutating func string() -> [UInt8]? {
    number(UInt64.self).flatMap { Int(exactly: $0) }.flatMap { take($0) }.map(Array.init)
  }

  package mutating func node(depth: Int) -> FileWrapper.State? {
    guard depth <= PackagePath.maximumDepth,
      let kind = take(1)?.first.flatMap(FileKind.init), kind.isSupported,
      let mode = number(UInt16.self), let flags = take(1)?.first, flags < 4,
      let seconds = number(Int64.self), let nanoseconds = number(UInt32.self), nanoseconds < 1_000_000_000,
      let name = string()
    else { return nil }
    let attributes = NodeAttributes(
      mode: mode & 0o7777, modeIsExact: flags & 1 != 0,
      modified: flags & 2 == 0 ? nil : FileTime(seconds: seconds, nanoseconds: nanoseconds))
    guard let content = content(kind, depth: depth) else { return nil }
    return FileWrapper.State(
      node: content, attributes: attributes,
      preferredFilename: name.isEmpty ? nil : FileName(bytes: name).string)
  }

  private mutating func content(_ kind: FileKind, depth: Int) -> FileWrapper.Node? {
    switch kind {
    case .symbolicLink: return string().map { .link(.known($0)) }
    case .directory:
      guard let count = number(UInt64.self) else { return nil }
      var directory = DirectoryNode()
      // If the count is too large, the loop ends with the bytes.
      for _ in 0..<count {
        guard let name = string().map(FileName.init(bytes:)), directory.children[name] == nil,
          let child = node(depth: depth + 1)
        else { return nil }
        directory.children[name] = FileWrapper(state: child)
        directory.markChanged(name, was: .absent)
      }
      return .directory(directory)
    default: return string().map { .file(.data(Data($0))) }
    }
  }
}
