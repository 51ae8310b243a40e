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
    case .entry(let entry): write(entry, to: &writer)
    case .branch(let branch):
      write(branch.lastPath, to: &writer)
      writer.write(branch.page.hash)
      writer.write(branch.totals.entries)
      writer.write(branch.totals.bytes)
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

  private mutating func write(_ entry: TreeEntry, to writer: inout ByteWriter) {
    write(entry.path, to: &writer)
    switch entry.kind {
    case .directory:
      writer.write(FileKind.directory.rawValue)
      writer.write(entry.mode)
    case .link(let destination):
      writer.write(FileKind.symbolicLink.rawValue)
      writer.write(entry.mode)
      writer.writeShort(destination)
    case .file(let content):
      writer.write(FileKind.file.rawValue)
      writer.write(entry.mode)
      write(content, to: &writer)
    }
  }

  private func write(_ content: FileContent, to writer: inout ByteWriter) {
    writer.write(content.size)
    writer.write(content.hash)
    writer.write(content.modified)
    switch content.storage {
    case .whole: writer.write(UInt8(0))
    case .pieces(let pieces):
      writer.write(UInt8(pieces.count))
      for piece in pieces {
        writer.write(piece.name.hash)
        writer.write(piece.size)
      }
    case .list(let name):
      writer.write(UInt8(0xFF))
      writer.write(name.hash)
    }
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
    if level == 0 { return .entry(try entry(path)) }
    let branch = TreeBranch(
      lastPath: path, page: try blob(),
      totals: TreeTotals(entries: try reader.read(), bytes: try reader.read()))
    guard branch.totals.entries > 0 else { throw Damage(words: "a page of it is empty") }
    return .branch(branch)
  }

  private mutating func blob() throws(ByteReader.Damage) -> BlobName { BlobName(try hash()) }

  private mutating func hash() throws(ByteReader.Damage) -> ContentHash {
    guard let hash = ContentHash(bytes: try reader.read(count: ContentHash.count)) else {
      throw Damage(words: "it ends too early")
    }
    return hash
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

  private mutating func entry(_ path: PackagePath) throws(ByteReader.Damage) -> TreeEntry {
    let kind = try reader.readKind()
    let mode = try reader.read(UInt16.self)
    guard mode <= 0o777, kind != .symbolicLink || mode == 0o777 else {
      throw Damage(words: "it has invalid permissions")
    }
    switch kind {
    case .directory: return TreeEntry(path, .directory, mode: mode)
    case .symbolicLink:
      let destination = try reader.readShort()
      guard !destination.isEmpty, destination.count <= TreeEntry.maximumDestinationSize,
        !destination.contains(0)
      else { throw Damage(words: "it has an invalid link") }
      return TreeEntry(path, .link(Array(destination)), mode: mode)
    default: return TreeEntry(path, .file(try content()), mode: mode)
    }
  }

  private mutating func content() throws(ByteReader.Damage) -> FileContent {
    let size = try reader.read(UInt64.self)
    guard size <= TreeEntry.maximumFileSize else { throw Damage(words: "its size is not possible") }
    let hash = try hash()
    guard (size == 0) == (hash == .empty) else { throw Damage(words: "its size is not possible") }
    var content = FileContent(size: size, hash: hash, modified: try reader.readTime())
    switch try byte() {
    case 0:
      guard size <= UInt64(BlobStore.maximumSize) else { throw Damage(words: "its size is not possible") }
    case 0xFF where size > 0:
      content.storage = .list(try blob())
    case let count:
      guard (2...TreePage.maximumPieces).contains(Int(count)) else {
        throw Damage(words: "it has a wrong number of pieces")
      }
      var pieces: [FilePiece] = []
      for _ in 0..<count { pieces.append(FilePiece(try blob(), size: try reader.read())) }
      guard FilePiece.sum(pieces) == size, pieces.allSatisfy({ $0.size <= BlobStore.maximumSize }) else {
        throw Damage(words: "its pieces have another size")
      }
      content.storage = .pieces(pieces)
    }
    return content
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
    case .file(let content): return content.size <= Self.maximumFileSize ? nil : "it is too large"
    }
  }
}

extension FilePiece {
  /// Returns the bytes of all pieces; nil if a piece is empty or the sum is too large.
  package static func sum(_ pieces: [FilePiece]) -> UInt64? {
    var sum: UInt64 = 0
    for piece in pieces {
      let (next, overflow) = sum.addingReportingOverflow(piece.size)
      if overflow || piece.size == 0 { return nil }
      sum = next
    }
    return sum
  }
}

extension PackagePath {
  /// Whether files can have all names, and the path is no deeper than packages are.
  package var isValid: Bool {
    (1...Self.maximumDepth).contains(names.count) && names.allSatisfy { $0.problem == nil }
  }
}
