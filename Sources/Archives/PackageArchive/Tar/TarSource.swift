/// The entries of a tar. libarchive reads contents and attributes; `TarScan` reads names and the archive's end.
/// Both must agree on the entries.
final class TarSource: EntrySource {
  private let reader: LibarchiveReader
  private let scanned: ScannedTar
  private var name: [UInt8] = []

  /// - Parameter stream: the decompressed tar.
  init(_ stream: any LibarchiveInput) throws {
    scanned = ScannedTar(stream)
    reader = try LibarchiveReader.open(.tar, scanned)
  }

  func next() throws -> ArchiveEntry? {
    guard var entry = try reader.next() else {
      try readToEnd()
      return nil
    }
    guard let own = scanned.scan.next(), Self.isSame(own.name, entry.name) else {
      throw ArchiveError.Finding(.damaged, entry: entry.name, "it can be read in two ways")
    }
    entry.name = own.name
    entry.isNameUTF8 = own.isNameUTF8
    switch entry.kind {
    case .link(let target): entry.kind = .link(try agreed(own.link, target, own.name))
    case .hardLink(let target): entry.kind = .hardLink(try agreed(own.link, target, own.name))
    default: break
    }
    name = own.name
    return entry
  }

  private func agreed(_ own: [UInt8], _ other: [UInt8], _ name: [UInt8]) throws -> [UInt8] {
    guard Self.isSame(own, other) else {
      throw ArchiveError.Finding(.damaged, entry: name, "its destination can be read in two ways")
    }
    return own
  }

  /// Returns whether two names are equal apart from accents, which libarchive composes, and from the slash at the
  /// end of a folder's name.
  private static func isSame(_ own: [UInt8], _ other: [UInt8]) -> Bool {
    func trimmed(_ name: [UInt8]) -> [UInt8] {
      name.last == UInt8(ascii: "/") ? Array(name.dropLast()) : name
    }
    let (own, other) = (trimmed(own), trimmed(other))
    return own == other || String(decoding: own, as: UTF8.self) == String(decoding: other, as: UTF8.self)
  }

  /// Reads the bytes behind the end that libarchive has found, which must be zeros.
  private func readToEnd() throws {
    try scanned.readToEnd()
    if let entry = scanned.scan.next() {
      throw ArchiveError.Finding(.damaged, entry: entry.name, "it can be read in two ways")
    }
  }

  func forEachBlock(_ body: (UnsafeRawBufferPointer, UInt64) throws -> Void) throws {
    try reader.forEachBlock(of: name, body)
  }
}

/// A tar on its way to libarchive, with a scan of its bytes.
private final class ScannedTar: LibarchiveInput {
  private let stream: any LibarchiveInput
  var scan = TarScan()

  init(_ stream: any LibarchiveInput) {
    self.stream = stream
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let count = try stream.read(into: buffer)
    try scan.consume(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    return count
  }

  /// Reads the bytes that libarchive did not ask for.
  func readToEnd() throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: ArchiveInput.chunkSize, alignment: 16)
    defer { buffer.deallocate() }
    while try read(into: buffer) > 0 {}
    try scan.finish()
  }
}
