package import DurableIO

/// The changes of one save to a package, as the journal has them: enough to do them again.
package struct JournalRecord: Sendable, Hashable {
  /// The number of the record in its journal.
  package var sequence: UInt64 = 0
  /// Each may be repeated after it is done. A place has at most one that puts or removes a file or link, one that makes
  /// or removes a folder, and one that sets attributes.
  package var operations: [Operation] = []
  /// The save's notes about the children; nil for a package without metadata.
  package var state: SavedState?
  /// The version that the save replaces; nil if it is not kept.
  package var version: VersionRecord?

  package init() {}

  package struct Operation: Sendable, Hashable {
    package var path: PackagePath
    package var action: Action
    /// The file or link that stood at the path; nil if there was none.
    package var old: Known?

    package init(path: PackagePath, action: Action, old: Known? = nil) {
      (self.path, self.action, self.old) = (path, action, old)
    }
  }

  package enum Action: Sendable, Hashable {
    /// Puts a file or a link at the path.
    case put(Staged)
    /// Removes the file or link at the path, through this name among the staged files.
    case remove(FileName)
    /// Makes a folder at the path, unless there is one.
    case makeFolder(mode: UInt16)
    /// Removes the folder at the path if it is empty. A program that holds it may put it back with this mode.
    case removeFolder(mode: UInt16)
    /// Gives other attributes to a folder, or to the package's own.
    case setAttributes(mode: UInt16?, modified: FileTime?)
  }

  /// A file or link as it was when a save looked at it.
  package struct Known: Sendable, Hashable {
    package var kind: FileKind
    package var inode: UInt64
    package var size: UInt64
    package var modified: FileTime
    /// The hash of its content, if it is known.
    package var content: ContentHash?

    package init(kind: FileKind, inode: UInt64, size: UInt64, modified: FileTime, content: ContentHash?) {
      (self.kind, self.inode, self.size) = (kind, inode, size)
      (self.modified, self.content) = (modified, content)
    }
  }

  /// A file or link on its way from the staging folder to its visible name.
  package struct Staged: Sendable, Hashable {
    package var name: FileName
    /// The node; without an inode if the publisher makes it.
    package var node: Known
    package var mode: UInt16
    /// False for a file with the mode of any new one; then only the owner's right to execute it counts.
    package var modeIsExact: Bool
    /// A file's bytes or a link's destination, if the record holds them. Otherwise the node was made and synchronised
    /// before the record was written.
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
  /// The inode number of a node that is not made yet.
  package static let noInode: UInt64 = 0
  /// The date of a link that gets no other date than that of its making.
  package static let noDate = FileTime(seconds: 0, nanoseconds: 0)

  package init(_ status: FileStatus, content: ContentHash? = nil) {
    self.init(
      kind: status.kind, inode: status.identity.inode, size: status.size, modified: status.modified,
      content: content)
  }

  /// Returns whether the status is of that node, unchanged.
  package func isSame(as status: FileStatus) -> Bool {
    kind == status.kind && inode == status.identity.inode && size == status.size
      && modified == status.modified
  }
}

extension JournalRecord.Staged {
  /// Set-user-ID and set-group-ID.
  package static let rights: UInt16 = 0o6000

  /// Returns whether a node has the mode and the date that this one should have.
  ///
  /// True for every link: a link is its destination, and its date cannot be synchronised.
  package func hasAttributes(of status: FileStatus) -> Bool {
    if status.kind == .symbolicLink { return true }
    guard node.modified == status.modified else { return false }
    let counted = modeIsExact ? ~Self.rights : 0o100
    return mode & counted == status.mode & counted
  }
}

extension JournalRecord.Operation {
  /// Whether it puts a file or a link at its place.
  package var isPut: Bool {
    if case .put = action { true } else { false }
  }

  /// Whether it makes a folder at its place.
  package var makesFolder: Bool {
    if case .makeFolder = action { true } else { false }
  }

  /// Whether it removes the file or link at its place.
  package var isRemoval: Bool {
    if case .remove = action { true } else { false }
  }

  /// Whether it removes the folder at its place.
  package var removesFolder: Bool {
    if case .removeFolder = action { true } else { false }
  }

  /// Whether the record relies on a node in the staging folder.
  package var needsStaged: Bool {
    if case .put(let staged) = action { staged.bytes == nil } else { false }
  }

  /// The name, among the kept files, of the node that it takes out of the package; nil if that node is no part of the
  /// version.
  package var keptName: FileName? {
    guard !PackageLayout.isOurs(path), takenName != nil, let old else { return nil }
    return old.content.map { FileName(keeping: $0, old.kind) }
  }

  /// The name among the staged files of the node that it takes out of the package.
  package var takenName: FileName? {
    if old == nil { return nil }
    return switch action {
    case .put(let staged): staged.name
    case .remove(let name): name
    case .makeFolder, .removeFolder, .setAttributes: nil
    }
  }
}
