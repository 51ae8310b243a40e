import DurableIO
public import FoundationEssentials
import PackageFormat
import Synchronization

// The format: eight bytes that name it, then one node. A node is its kind (1 byte), permissions (2), flags (1),
// modification time (8 + 4), preferred filename and content. The content is a file's bytes, a link's destination, or
// the number of children and then the name and node of each child. Names and bytes are a length (8) and the bytes;
// numbers are little-endian.
private let signature: StaticString = "FPWrap1\n"

extension FileWrapper {
  /// The whole tree with all its bytes as one piece of data, for a pasteboard or a message.
  ///
  /// Nil if a node cannot be read. The format is this library's own, not Apple's. It holds kinds, keys, preferred
  /// filenames, permissions, dates to the nanosecond, bytes and destinations. All of it is in memory at once.
  public var serializedRepresentation: Data? {
    var writer = ByteWriter()
    writer.write(signature)
    // Nil for every failure is Apple's contract.
    guard (try? writer.write(snapshot().root, at: .root)) != nil else { return nil }
    return writer.withUnsafeBytes { Data($0) }
  }
}

extension FileWrapper.State {
  package init?(serializedRepresentation data: Data) {
    var reader = ByteReader(Array(data)[...])
    // Nil for every failure is Apple's contract.
    guard let start = try? reader.read(count: signature.utf8CodeUnitCount),
      signature.withUTF8Buffer({ $0.elementsEqual(start) }),
      let state = try? reader.readNode(depth: 0), reader.remaining == 0
    else { return nil }
    self = state
  }
}

extension ByteWriter {
  private mutating func writeLong(_ bytes: some Collection<UInt8>) {
    write(UInt64(bytes.count))
    write(Data(bytes))
  }

  fileprivate mutating func write(_ node: PackageSnapshot.Node, at path: PackagePath) throws {
    guard path.names.count <= PackagePath.maximumDepth else {
      throw FilePackageError(.tooDeep, .copy, document: path.display)
    }
    let attributes = node.attributes
    write(node.kind.rawValue)
    write(attributes.mode)
    let flags: UInt8 = (attributes.modeIsExact ? 1 : 0) | (attributes.modified == nil ? 0 : 2)
    write(flags)
    write(attributes.modified ?? FileTime(seconds: 0, nanoseconds: 0))
    let name = node.wrapper.map { $0.preferredFilename.map { FileName($0).bytes } } ?? node.filename?.bytes
    writeLong(name ?? [])
    switch node.content {
    case .file(let contents): writeLong(try contents.data())
    case .link: writeLong(try node.destination())
    case .directory:
      let children = try node.children(at: path, looking: true)
      write(UInt64(children.count))
      for (name, child) in children {
        writeLong(name.bytes)
        try write(child, at: path.appending(name))
      }
    }
  }
}

extension ByteReader {
  private mutating func readLong() throws(Damage) -> [UInt8] {
    Array(try read(count: Int(clamping: try read(UInt64.self))))
  }

  fileprivate mutating func readNode(depth: Int) throws(Damage) -> FileWrapper.State {
    guard depth <= PackagePath.maximumDepth else { throw Damage(words: "it is too deep") }
    let kind = try readKind()
    let (mode, flags) = (try read(UInt16.self), try read(UInt8.self))
    guard flags < 4 else { throw Damage(words: "it has unknown flags") }
    let modified = try readTime()
    let attributes = NodeAttributes(
      mode: mode & 0o7777, modeIsExact: flags & 1 != 0, modified: flags & 2 == 0 ? nil : modified)
    let name = try readLong()
    return FileWrapper.State(
      node: try readContent(kind, depth: depth), attributes: attributes,
      preferredFilename: name.isEmpty ? nil : FileName(bytes: name).string)
  }

  private mutating func readContent(_ kind: FileKind, depth: Int) throws(Damage) -> FileWrapper.Node {
    switch kind {
    case .symbolicLink: return .link(.known(try readLong()))
    case .directory:
      var directory = DirectoryNode()
      let count = try read(UInt64.self)
      // If the count is too large, the loop ends with the bytes.
      for _ in 0..<count {
        let name = FileName(bytes: try readLong())
        guard directory.children[name] == nil else { throw Damage(words: "it has two children of one name") }
        directory.children[name] = FileWrapper(state: try readNode(depth: depth + 1))
        directory.markChanged(name, was: .absent)
      }
      return .directory(directory)
    default: return .file(.data(Data(try readLong())))
    }
  }
}
