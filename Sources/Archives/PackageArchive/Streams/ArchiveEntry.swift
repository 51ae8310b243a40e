import DurableIO

/// One entry as an archive has it, before any check.
struct ArchiveEntry {
  enum Kind: Equatable {
    case file
    case directory
    case link([UInt8])
    /// A second name for an earlier entry.
    case hardLink([UInt8])
    /// Another kind, in the words of an error message.
    case other(String)
  }

  var name: [UInt8]
  /// Whether the archive says that its names are UTF-8; otherwise they may be in any code page.
  var isNameUTF8 = false
  var kind: Kind
  /// Permission bits, including those beyond 777.
  var mode: UInt16
  var modified: FileTime?
  /// The bytes of a file; nil if the archive does not say.
  var size: UInt64?
  var isEncrypted = false
  var attributes: [(name: String, value: [UInt8])] = []
}

extension ArchiveEntry {
  /// Whether the entry becomes a file.
  var isFile: Bool {
    if case .hardLink = kind { true } else { kind == .file }
  }

  /// Reads backslashes as separators of folders. An empty file whose name ends in one is a folder.
  mutating func separateAtBackslashes() {
    let slash = UInt8(ascii: "/")
    if kind == .file, size == 0, name.last == UInt8(ascii: "\\") {
      kind = .directory
      mode |= mode >> 2 & 0o111
    }
    name = name.map { $0 == UInt8(ascii: "\\") ? slash : $0 }
  }
}

/// The entries of an archive, one after the other.
protocol EntrySource: AnyObject {
  /// Whether the archive says that no folder is around the package's children.
  var isFlat: Bool { get }
  /// Whether the archive says that this library made it. Any program can write that.
  var isOwn: Bool { get }
  /// Returns the next entry; nil at the end of the archive, after a check that the archive is whole.
  func next() throws -> ArchiveEntry?
  /// Calls `body` with the bytes of the entry that `next` gave last, each piece with its offset; gaps between
  /// pieces are zeros.
  ///
  /// - Throws: a finding for damage; the errors of `body`.
  func forEachBlock(_ body: (UnsafeRawBufferPointer, UInt64) throws -> Void) throws
}

extension EntrySource {
  var isFlat: Bool { false }
  var isOwn: Bool { false }
}
