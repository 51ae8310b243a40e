import Crypto
package import DurableIO

/// What one save does to a package, as it is written to the journal: enough to do it again.
package struct JournalRecord: Sendable, Hashable {
  /// Counts the records of one journal.
  package var sequence: UInt64 = 0
  /// Operations on disjoint places; each may be done again when it is done already.
  package var operations: [Operation] = []
  /// What the save adds to the manifest; nil for a package without metadata.
  package var batch: ManifestBatch?
  /// The version that the save replaces, where it is kept.
  package var version: VersionRecord?
  /// Whether names may lead to new files before these are on the medium.
  package var isRelaxed = false

  package init() {}

  package struct Operation: Sendable, Hashable {
    package var path: PackagePath
    package var action: Action
    /// What stood at the path; nil where nothing did.
    package var old: Known?

    package init(path: PackagePath, action: Action, old: Known? = nil) {
      (self.path, self.action, self.old) = (path, action, old)
    }
  }

  package enum Action: Sendable, Hashable {
    /// A file, a link or a folder with all that is in it comes to the path.
    case put(Staged)
    /// What is at the path goes, through this name among the staged files.
    case remove(FileName)
    /// A folder that stays, or the package's own, gets other attributes.
    case setAttributes(mode: UInt16?, modified: FileTime?)
  }

  /// What a node was when it was looked at.
  package struct Known: Sendable, Hashable {
    package var kind: FileKind
    package var inode: UInt64
    package var size: UInt64
    package var modified: FileTime
    /// The hash of its content, where that is known.
    package var content: ContentHash?

    package init(kind: FileKind, inode: UInt64, size: UInt64, modified: FileTime, content: ContentHash?) {
      (self.kind, self.inode, self.size) = (kind, inode, size)
      (self.modified, self.content) = (modified, content)
    }
  }

  /// A node on its way from the folder for staged files to its place.
  package struct Staged: Sendable, Hashable {
    package var name: FileName
    /// Without an inode where the node is made only when it is published.
    package var node: Known
    package var mode: UInt16
    /// False for a file that gets the mode of any new one; then only the owner's right to execute it counts.
    package var modeIsExact: Bool
    /// A file's bytes or a link's destination, where the record itself holds them. Where it does not, the node
    /// was made and synchronised before the record was written.
    package var bytes: [UInt8]?

    package init(
      name: FileName, node: Known, mode: UInt16, modeIsExact: Bool = true, bytes: [UInt8]? = nil
    ) {
      (self.name, self.node, self.mode) = (name, node, mode)
      (self.modeIsExact, self.bytes) = (modeIsExact, bytes)
    }
  }
}

extension JournalRecord.Known {
  /// The number of a node that is not made yet.
  static let noInode: UInt64 = 0
  /// The date of a link that gets none but that of its making.
  static let noDate = FileTime(seconds: 0, nanoseconds: 0)

  init(_ status: FileStatus, content: ContentHash? = nil) {
    self.init(
      kind: status.kind, inode: status.identity.inode, size: status.size, modified: status.modified,
      content: content)
  }

  /// Whether that node stands there, as it was.
  func isSame(as status: FileStatus) -> Bool {
    guard kind == status.kind, inode == status.identity.inode else { return false }
    return kind == .directory || (size == status.size && modified == status.modified)
  }
}

extension JournalRecord.Staged {
  /// Set-user-ID and set-group-ID.
  static let rights: UInt16 = 0o6000

  /// Whether a node has the mode and the date that this is to have. A link is what it leads to: its date cannot be put
  /// on the medium.
  func hasAttributes(of status: FileStatus) -> Bool {
    if status.kind == .symbolicLink { return true }
    guard node.modified == status.modified else { return false }
    let counted = modeIsExact ? ~Self.rights : 0o100
    return mode & counted == status.mode & counted
  }
}
