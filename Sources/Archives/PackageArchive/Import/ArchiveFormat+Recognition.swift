import FilePackages
public import FoundationEssentials
import SystemPackage

/// The recognition of a format by an archive's first bytes.
extension ArchiveFormat {
  /// The number of bytes that recognition needs.
  static let recognitionSize = 512

  /// Recognises the format of a file by its first bytes; nil for other bytes, or if the file cannot be read.
  public init?(recognizingFileAt url: URL) {
    // `nonBlocking` keeps this call from waiting for a FIFO's writer.
    guard let path = try? FilePath(of: url, for: .open),  // Any error gives nil.
      let file = try? FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: Self.recognitionSize)
    defer { try? file.close() }  // A failed close loses nothing after mere reading.
    guard let count = try? bytes.withUnsafeMutableBytes({ try file.read(fromAbsoluteOffset: 0, into: $0) }),
      let format = try? ArchiveFormat(recognizing: Array(bytes[..<count]))
    else { return nil }
    self = format
  }

  /// - Throws: a finding for an unknown format.
  init(recognizing bytes: [UInt8]) throws {
    if bytes.isEmpty { throw ArchiveError.Finding(.empty, "it is empty") }
    for (magic, format) in Self.magics where bytes.starts(with: magic) {
      self = format
      return
    }
    if Self.skippingFrames(bytes).starts(with: Self.zstd) {
      self = .tarZstd
      return
    }
    guard bytes.count >= 512, bytes[..<512].allSatisfy({ $0 == 0 }) || TarHeader.hasChecksum(bytes[..<512])
    else { throw Self.unrecognized(bytes) }
    self = .tar
  }

  /// Returns the bytes after leading frames without content, which pzstd, for example, writes.
  private static func skippingFrames(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    var rest = bytes[...]
    while true {
      var reader = LittleEndianReader(rest)
      guard let magic = reader.next(UInt32.self), skippable.contains(magic),
        let size = reader.next(UInt32.self), reader.bytes(Int(size)) != nil
      else { return rest }
      rest = rest.dropFirst(8 + Int(size))
    }
  }

  /// The marks of frames without content.
  private static let skippable: ClosedRange<UInt32> = 0x184D_2A50...0x184D_2A5F
  private static let zstd: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
  private static let magics: [([UInt8], ArchiveFormat)] = [
    (Array("PK\u{3}\u{4}".utf8), .zip), (Array("PK\u{5}\u{6}".utf8), .zip),
    (Array("PK\u{6}\u{6}".utf8), .zip),
    // Some writers begin so if they prepared a split archive and made one part.
    (Array("PK00PK\u{3}\u{4}".utf8), .zip), (Array("PK\u{7}\u{8}PK\u{3}\u{4}".utf8), .zip),
    ([0x1F, 0x8B], .tarGzip), ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], .tarXZ), (zstd, .tarZstd),
  ]

  /// The first bytes of other formats, their names, and the commands that unpack them.
  private static let others: [(magic: [UInt8], name: String, command: String)] = [
    ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "7z", "7z x FILE"), (Array("Rar!".utf8), "RAR", "unrar x FILE"),
    (Array("07070".utf8), "cpio", "cpio -id < FILE"), (Array("BZh".utf8), "bzip2", "tar xjf FILE"),
    ([0x04, 0x22, 0x4D, 0x18], "LZ4", "bsdtar xf FILE"),
  ]

  private static func unrecognized(_ bytes: [UInt8]) -> ArchiveError.Finding {
    if let other = others.first(where: { bytes.starts(with: $0.magic) }) {
      return unread(other.name, other.command)
    }
    return .init(.notAnArchive, "it is neither a zip nor a tar")
  }

  /// Returns the finding for a format that an import does not read.
  static func unread(_ name: String, _ command: String) -> ArchiveError.Finding {
    .init(.unsupported, "\(name) is not read; unpack it with '\(command)'")
  }
}
