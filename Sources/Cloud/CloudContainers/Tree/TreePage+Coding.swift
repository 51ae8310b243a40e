package import FilePackages
import DurableIO
package import FoundationEssentials

/// Encodes the items of one page, one after the other.
struct TreePageWriter {
  private var page: [UInt8]
  private var previous: [UInt8] = []

  init(level: UInt8) {
    page = [TreePage.format, level]
  }

  /// The number of bytes so far.
  var count: Int { page.count }
  /// The page.
  var bytes: Data { Data(page) }

  mutating func write(_ item: TreeItem) {
    var writer = ByteWriter()
    switch item {
    case .entry(let entry):
      write(entry.path, to: &writer)
      entry.write(to: &writer)
    case .branch(let branch):
      write(branch.lastPath, to: &writer)
      writer.write(branch.root.bytes)
    }
    writer.withUnsafeBytes { page.append(contentsOf: $0) }
  }

  /// Writes the number of bytes that the path shares with the one before, and the rest.
  private mutating func write(_ path: PackagePath, to writer: inout ByteWriter) {
    let bytes = path.bytes
    var shared = 0
    while shared < min(bytes.count, previous.count), bytes[shared] == previous[shared] { shared += 1 }
    writer.write(UInt16(shared))
    writer.writeShort(Array(bytes[shared...]))
    previous = bytes
  }
}

extension TreeEntry {
  /// Writes all but the path.
  func write(to writer: inout ByteWriter) {
    writer.write(fileKind.rawValue)
    writer.write(mode)
    switch kind {
    case .directory: break
    case .link(let destination): writer.writeShort(destination)
    case .file(let content):
      writer.write(content.size)
      writer.write(content.hash)
      writer.write(content.modified)
      writer.write(UInt8(content.list == nil ? 0 : 1))
      if let list = content.list { writer.write(list.hash) }
    }
  }

  /// Reads all but the path.
  init(_ path: PackagePath, from reader: inout ByteReader) throws(ByteReader.Damage) {
    let fileKind = try reader.readKind()
    let mode = try reader.read(UInt16.self)
    let kind: Kind
    switch fileKind {
    case .directory: kind = .directory
    case .symbolicLink: kind = .link(Array(try reader.readShort()))
    default:
      var content = FileContent(
        size: try reader.read(), hash: try reader.readHash(), modified: try reader.readTime())
      switch try reader.read(UInt8.self) {
      case 0: break
      case 1: content.list = BlobName(try reader.readHash())
      default: throw ByteReader.Damage(words: "it has pieces of an unknown kind")
      }
      kind = .file(content)
    }
    self.init(path, kind, mode: mode)
    guard self.mode == mode else { throw ByteReader.Damage(words: "it has invalid permissions") }
  }
}

extension ByteReader {
  mutating func readHash() throws(Damage) -> ContentHash {
    guard let hash = ContentHash(bytes: try read(count: ContentHash.count)) else {
      throw Damage(words: "it ends too early")
    }
    return hash
  }
}

extension TreePage {
  /// The page as a blob.
  package var bytes: Data {
    var writer = TreePageWriter(level: level)
    for item in items { writer.write(item) }
    return writer.bytes
  }

  /// The reason why bytes are not a page.
  package enum Problem: Error, Equatable {
    case newerFormat(Int)
    case damaged(String)
  }

  /// Reads a page from bytes of any origin.
  ///
  /// It takes only bytes that a writer of this format gives: paths in order, no byte too many, and no value that two
  /// encodings could have.
  package init(decoding bytes: Data) throws(Problem) {
    // Later versions count on; other bytes are no page of any version.
    guard let format = bytes.first, (1..<16).contains(format) else {
      throw .damaged("a page of it has no valid format")
    }
    if format > Self.format { throw .newerFormat(Int(format)) }
    var reader = TreePageReader(Array(bytes.dropFirst()))
    do throws(ByteReader.Damage) {
      self.init(level: try reader.byte(), items: [])
      guard level <= 1 else { throw .init(words: "it has too many levels of pages") }
      guard bytes.count <= (level == 0 ? Self.maximumSize : Self.maximumListSize) else {
        throw .init(words: "a page of it is too large")
      }
      while !reader.isAtEnd { items.append(try reader.item(level: level)) }
    } catch {
      throw .damaged(error.words)
    }
    guard level == 0 || !items.isEmpty else { throw .damaged("a page of it is empty") }
    guard totals != nil else { throw .damaged("its size is not possible") }
  }
}

/// Reads the items of a page from bytes of any origin.
private struct TreePageReader {
  private typealias Damage = ByteReader.Damage
  private var reader: ByteReader
  private var previous: [UInt8] = []
  private var previousPath = PackagePath.root

  init(_ bytes: [UInt8]) { reader = ByteReader(bytes[...]) }

  var isAtEnd: Bool { reader.remaining == 0 }

  mutating func byte() throws(ByteReader.Damage) -> UInt8 { try reader.read() }

  mutating func item(level: UInt8) throws(ByteReader.Damage) -> TreeItem {
    let path = try path()
    if level == 0 {
      let entry = try TreeEntry(path, from: &reader)
      if let problem = entry.problem { throw Damage(words: problem) }
      return .entry(entry)
    }
    guard let root = TreeRoot(bytes: try reader.read(count: TreeRoot.byteCount)), root.totals.entries > 0
    else { throw Damage(words: "a page of it is empty") }
    return .branch(TreeBranch(lastPath: path, root: root))
  }

  private mutating func path() throws(ByteReader.Damage) -> PackagePath {
    let shared = Int(try reader.read(UInt16.self))
    let rest = try reader.readShort()
    guard shared <= previous.count, shared + rest.count <= TreePage.maximumPathSize else {
      throw Damage(words: "it has an invalid path")
    }
    // Another encoding of the same path would make another page.
    if shared < previous.count, rest.first == previous[shared] {
      throw Damage(words: "it has an invalid path")
    }
    let bytes = previous[..<shared] + rest
    let names = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { FileName(bytes: Array($0)) }
    let path = PackagePath(names)
    guard path.isValid else { throw Damage(words: "it has an invalid path") }
    guard previousPath < path else { throw Damage(words: "its paths are out of order") }
    (previous, previousPath) = (Array(bytes), path)
    return path
  }
}

extension TreeEntry {
  /// The longest destination of a link, in bytes: one that Linux takes.
  package static let maximumDestinationSize = 4095
  /// The largest file, in bytes: 128 GiB.
  package static let maximumFileSize: UInt64 = 1 << 37

  /// The reason why no tree can have the entry, in words; nil if one can.
  package var problem: String? {
    if !path.isValid { return "no file can have its name" }
    if path.bytes.count > TreePage.maximumPathSize {
      return "its path is longer than \(TreePage.maximumPathSize) bytes"
    }
    switch kind {
    case .directory: return nil
    case .link(let destination):
      let isValid = (1...Self.maximumDestinationSize).contains(destination.count) && !destination.contains(0)
      return isValid ? nil : "it has no valid destination"
    case .file(let content):
      if content.size > Self.maximumFileSize { return "it is too large" }
      let isPossible = content.list == nil ? content.size <= BlobStore.maximumSize : content.size > 0
      return isPossible && (content.size == 0) == (content.hash == .empty) ? nil : "its size is not possible"
    }
  }
}

extension PackagePath {
  /// Whether files can have all names, and the path is no deeper than packages are.
  package var isValid: Bool {
    (1...Self.maximumDepth).contains(names.count) && names.allSatisfy { $0.problem == nil }
  }
}
