import FilePackages
public import FoundationEssentials
import SystemPackage

/// What an archive is, by its first bytes.
extension ArchiveFormat {
  /// How many bytes tell.
  static let recognitionSize = 512

  /// The format of the archive that a file is, by its first bytes; nil where they tell none, or cannot be read.
  public init?(recognizingFileAt url: URL) {
    // A FIFO is not waited for.
    guard let path = try? FilePath(of: url, for: .open),
      let file = try? FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: Self.recognitionSize)
    // What is closed was only read.
    defer { try? file.close() }
    guard let count = try? bytes.withUnsafeMutableBytes({ try file.read(fromAbsoluteOffset: 0, into: $0) }),
      let format = try? ArchiveFormat(recognizing: Array(bytes[..<count]))
    else { return nil }
    self = format
  }

  /// - Throws: a finding for what is not recognised.
  init(recognizing bytes: [UInt8]) throws {
    if bytes.isEmpty { throw ArchiveError.Finding(.empty, "it is empty") }
    for (magic, format) in Self.magics where bytes.starts(with: magic) {
      self = format
      return
    }
    guard bytes.count >= 512, bytes[..<512].allSatisfy({ $0 == 0 }) || TarHeader.hasChecksum(bytes[..<512])
    else {
      throw ArchiveError.Finding(
        .notAnArchive,
        Self.known(bytes) ?? "it is neither a zip nor a tar; name another format with --format")
    }
    self = .tar
  }

  private static let magics: [([UInt8], ArchiveFormat)] = [
    (Array("PK\u{3}\u{4}".utf8), .zip), (Array("PK\u{5}\u{6}".utf8), .zip),
    (Array("PK\u{6}\u{6}".utf8), .zip),
    ([0x1F, 0x8B], .tarGzip), (Array("BZh".utf8), .tarBzip2), ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], .tarXZ),
    ([0x28, 0xB5, 0x2F, 0xFD], .tarZstd), ([0x04, 0x22, 0x4D, 0x18], .tarLZ4),
  ]

  /// What to say of formats that have to be asked for.
  private static func known(_ bytes: [UInt8]) -> String? {
    let others: [([UInt8], String)] = [
      ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "it is a 7z archive, which is read only with --format 7z"),
      (Array("070701".utf8), "it is a cpio archive, which is read only with --format cpio"),
      (Array("070707".utf8), "it is a cpio archive, which is read only with --format cpio"),
      (Array("Rar!".utf8), "it is a RAR archive, which is not read"),
    ]
    return others.first { bytes.starts(with: $0.0) }?.1
  }
}
