/// A strict scan of a tar stream's headers: each entry's name byte by byte, and the end of the archive.
///
/// libarchive reads the contents. It cuts names at a NUL and composes accents. It accepts an archive that is cut
/// short between two entries.
struct TarScan {
  /// The header of one entry.
  struct Entry: Equatable {
    var name: [UInt8]
    var link: [UInt8]
    var type: UInt8
    /// Whether the header marks its names as UTF-8.
    var isNameUTF8 = false
  }

  /// The entries that have passed and that `next` has not returned.
  private var entries: [Entry] = []
  private var first = 0
  private var state = State.header
  private var block: [UInt8] = []
  /// The values of headers that belong to the next entry.
  private var pending = Pending()
  /// Whether the end of the archive has passed.
  private var hasEnded = false
  /// The number of zeros after the end.
  private var padding: UInt64 = 0

  private enum State {
    case header
    /// Further headers of an old GNU sparse file, then `content` bytes.
    case sparseHeader(content: UInt64)
    case content(UInt64)
    /// The content of a header that belongs to the next entry.
    case extended(type: UInt8, size: Int, padded: Int)
    case end
  }

  private struct Pending {
    /// A name or a destination, from GNU's headers and from pax's.
    var names = Names()
    var links = Names()
    /// GNU's name of a sparse file, whose header holds an invented name.
    var sparseName: [UInt8]?
    var size: UInt64?
    var isBinary = false
    /// The number of headers with these values.
    var count = 0

    struct Names {
      var gnu: [UInt8]?
      var pax: [UInt8]?
    }
  }

  /// The largest header that belongs to another entry. Names and attributes take a few kilobytes.
  private static let maximumExtended: UInt64 = 1 << 20
  /// The most headers before one entry: a global one, pax's, and GNU's two. More would only waste time.
  private static let maximumHeaders = 8

  /// Returns the next entry that has passed.
  mutating func next() -> Entry? {
    guard first < entries.count else { return nil }
    defer {
      first += 1
      if first >= 512 {
        entries.removeFirst(first)
        first = 0
      }
    }
    return entries[first]
  }

  /// Checks the next bytes of the stream, before libarchive reads them.
  mutating func consume(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      switch state {
      case .content(let left):
        let count = Int(min(left, UInt64(rest.count)))
        rest = rest.dropFirst(count)
        state = left == UInt64(count) ? .header : .content(left - UInt64(count))
      case .extended(let type, let size, let padded):
        take(&rest, upTo: padded)
        guard block.count == padded else { return }
        try takeExtended(type, block[..<size])
        startBlock(.header)
      case .header, .sparseHeader, .end:
        take(&rest, upTo: TarHeader.size)
        guard block.count == TarHeader.size else { return }
        try takeBlock()
      }
    }
  }

  private mutating func take(_ rest: inout Slice<UnsafeRawBufferPointer>, upTo size: Int) {
    let part = rest.prefix(size - block.count)
    block.append(contentsOf: part)
    rest = rest.dropFirst(part.count)
  }

  private mutating func startBlock(_ next: State) {
    block.removeAll(keepingCapacity: true)
    if case .content(0) = next { state = .header } else { state = next }
  }

  private mutating func takeBlock() throws {
    switch state {
    case .sparseHeader(let content):
      startBlock(block[504] == 0 ? .content(content) : .sparseHeader(content: content))
    case .end:
      try checkPadding()
      startBlock(.end)
    default:
      guard !block.allSatisfy({ $0 == 0 }) else {
        hasEnded = true
        return startBlock(.end)
      }
      startBlock(try takeHeader(TarHeader(block[...])))
    }
  }

  private mutating func checkPadding() throws {
    guard block.allSatisfy({ $0 == 0 }) else {
      throw ArchiveError.Finding(.damaged, "something follows the archive's end")
    }
    padding += UInt64(block.count)
    guard padding <= ImportLimits.maximumPadding else {
      throw ArchiveError.Finding(
        .limitExceeded, "more than \(ImportLimits.maximumPadding) zeros follow its end")
    }
  }

  /// Checks after the last byte that nothing is missing.
  func finish() throws {
    guard hasEnded else { throw ArchiveError.Finding(.damaged, "it is cut short") }
    var last = self
    try last.checkPadding()
  }

  private mutating func takeHeader(_ header: TarHeader) throws -> State {
    guard let ownSize = header.contentSize else {
      throw ArchiveError.Finding(.damaged, "a header is damaged")
    }
    switch header.type {
    case UInt8(ascii: "x"), UInt8(ascii: "g"), UInt8(ascii: "L"), UInt8(ascii: "K"):
      guard ownSize <= Self.maximumExtended else {
        throw ArchiveError.Finding(.limitExceeded, "a header is larger than \(Self.maximumExtended) bytes")
      }
      pending.count += 1
      guard pending.count <= Self.maximumHeaders else {
        throw ArchiveError.Finding(.damaged, "more than \(Self.maximumHeaders) headers are about one entry")
      }
      let padded = (Int(ownSize) + TarHeader.size - 1) / TarHeader.size * TarHeader.size
      if padded == 0 { try takeExtended(header.type, []) }
      return padded == 0 ? .header : .extended(type: header.type, size: Int(ownSize), padded: padded)
    case UInt8(ascii: "V"):
      // The label of a volume is no entry.
      guard ownSize == 0, pending.count == 0 else {
        throw ArchiveError.Finding(.damaged, "the label of a volume has more than a name")
      }
      return .header
    default: break
    }
    let entry = Entry(
      name: try pending.sparseName ?? agreed(pending.names) ?? header.name(),
      link: try agreed(pending.links) ?? header.linkName(), type: header.type,
      isNameUTF8: !pending.isBinary && (pending.names.pax ?? pending.links.pax ?? pending.sparseName) != nil)
    let size = pending.size ?? ownSize
    pending = Pending()
    try check(entry, size: size)
    entries.append(entry)
    guard size <= UInt64(Int64.max) else { throw ArchiveError.Finding(.damaged, "a header is damaged") }
    let padded = (size + UInt64(TarHeader.size) - 1) / UInt64(TarHeader.size) * UInt64(TarHeader.size)
    let isSparse = header.type == UInt8(ascii: "S") && header.isExtended
    return isSparse ? .sparseHeader(content: padded) : .content(padded)
  }

  /// Refuses a size for entries without contents. Programs differ in whether they believe such a size.
  private func check(_ entry: Entry, size: UInt64) throws {
    switch entry.type {
    case UInt8(ascii: "1"), UInt8(ascii: "2"), UInt8(ascii: "5"):
      guard size == 0 else {
        throw ArchiveError.Finding(.damaged, entry: entry.name, "it is a link or a folder with bytes")
      }
    case 0, UInt8(ascii: "0"), UInt8(ascii: "7"), UInt8(ascii: "S"), UInt8(ascii: "3"), UInt8(ascii: "4"),
      UInt8(ascii: "6"):
      break
    default:
      throw ArchiveError.Finding(
        .unsafeKind, entry: entry.name, "it is of the kind \(entry.type), which is not known")
    }
  }

  // MARK: Headers about the next entry

  /// Returns the name from GNU's header and pax's, which must agree. Programs differ in which of them they take.
  private func agreed(_ names: Pending.Names) throws -> [UInt8]? {
    guard let gnu = names.gnu, let pax = names.pax, gnu != pax else { return names.gnu ?? names.pax }
    throw Self.twoNames(gnu)
  }

  private static func twoNames(_ name: [UInt8]) -> ArchiveError.Finding {
    .init(.damaged, entry: name, "two headers give it different names")
  }

  /// Stores a name. A second header must not give it again.
  private static func set(_ name: inout [UInt8]?, _ new: [UInt8]) throws {
    if let old = name { throw twoNames(old) }
    name = new
  }

  private mutating func takeExtended(_ type: UInt8, _ content: ArraySlice<UInt8>) throws {
    switch type {
    case UInt8(ascii: "L"): try Self.set(&pending.names.gnu, TarHeader.text(content))
    case UInt8(ascii: "K"): try Self.set(&pending.links.gnu, TarHeader.text(content))
    default: try takeRecords(content, isGlobal: type == UInt8(ascii: "g"))
    }
  }

  /// Reads pax's records: a length in decimal digits, a space, a key, `=`, a value, a line feed.
  private mutating func takeRecords(_ content: ArraySlice<UInt8>, isGlobal: Bool) throws {
    var rest = content
    while let first = rest.first, first != 0 {
      let digits = rest.prefix { (0x30...0x39).contains($0) }
      guard (1...7).contains(digits.count), rest.dropFirst(digits.count).first == 0x20 else {
        throw Self.badRecord
      }
      let length = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
      guard length > digits.count + 3, length <= rest.count else { throw Self.badRecord }
      let record = rest.prefix(length)
      guard record.last == 0x0A, let equals = record.firstIndex(of: UInt8(ascii: "=")) else {
        throw Self.badRecord
      }
      let key = String(decoding: record[(record.startIndex + digits.count + 1)..<equals], as: UTF8.self)
      try take(key, Array(record[(equals + 1)...].dropLast()), isGlobal: isGlobal)
      rest = rest.dropFirst(length)
    }
    guard rest.allSatisfy({ $0 == 0 }) else { throw Self.badRecord }
    for name in [pending.names.pax, pending.links.pax, pending.sparseName] {
      if let name, !pending.isBinary, String(validating: name, as: UTF8.self) == nil {
        throw ArchiveError.Finding(.unsafeName, entry: name, "its name must be UTF-8, but is not")
      }
    }
  }

  private static var badRecord: ArchiveError.Finding { .init(.damaged, "an extended header is damaged") }

  private mutating func take(_ key: String, _ value: [UInt8], isGlobal: Bool) throws {
    switch key {
    case "path", "linkpath", "size", "GNU.sparse.name", "hdrcharset":
      guard !isGlobal else {
        throw ArchiveError.Finding(.damaged, "a header gives all entries the same \(key)")
      }
    default: return
    }
    if value.contains(0) {
      throw ArchiveError.Finding(.unsafeName, entry: value, "its name has a NUL character in it")
    }
    switch key {
    case "path": try Self.set(&pending.names.pax, value)
    case "GNU.sparse.name": try Self.set(&pending.sparseName, value)
    case "linkpath": try Self.set(&pending.links.pax, value)
    case "hdrcharset": pending.isBinary = String(decoding: value, as: UTF8.self) == "BINARY"
    default:
      guard let size = UInt64(String(decoding: value, as: UTF8.self)) else { throw Self.badRecord }
      pending.size = size
    }
  }
}
