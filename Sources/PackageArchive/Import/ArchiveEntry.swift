import DurableIO

/// One entry as an archive has it, not checked yet.
struct ArchiveEntry {
  enum Kind: Equatable {
    case file
    case directory
    case link([UInt8])
    /// A second name for an earlier entry.
    case hardLink([UInt8])
    /// In the words of an error message.
    case other(String)
  }

  var name: [UInt8]
  /// Whether the archive says that its names are UTF-8; otherwise they may be in any code page.
  var isNameUTF8 = false
  var kind: Kind
  /// Permission bits, those beyond 777 included.
  var mode: UInt16
  var modified: FileTime?
  /// Bytes of a file; nil where the archive does not say.
  var size: UInt64?
  var isEncrypted = false
  var attributes: [(name: String, value: [UInt8])] = []
}

/// The entries of an archive, one after the other.
protocol EntrySource: AnyObject {
  /// Whether the archive says that no folder is around the package's children.
  var isFlat: Bool { get }
  /// Whether the archive says that this library made it; anybody can write that.
  var isOwn: Bool { get }
  /// The next entry; nil at the end of the archive, once that is known to be whole.
  func next() throws -> ArchiveEntry?
  /// Calls `body` with the bytes of the entry that `next` gave last, each piece with its place; what lies between is
  /// zeros.
  ///
  /// - Throws: a finding for what is damaged; what `body` throws.
  func forEachBlock(_ body: (UnsafeRawBufferPointer, UInt64) throws -> Void) throws
}

extension EntrySource {
  var isFlat: Bool { false }
  var isOwn: Bool { false }
}
