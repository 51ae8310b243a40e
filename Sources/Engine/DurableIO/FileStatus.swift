/// The kind of a directory entry.
package enum FileKind: UInt8, Sendable, Hashable {
  case file = 1
  case directory
  case symbolicLink
  case fifo
  case socket
  case device

  /// The kind in the words of an error message.
  package var words: String {
    switch self {
    case .file: "a file"
    case .directory: "a directory"
    case .symbolicLink: "a symbolic link"
    case .fifo: "a FIFO"
    case .socket: "a socket"
    case .device: "a device"
    }
  }

  /// Whether a document can have it as a child. A store leaves all other kinds alone and never opens them.
  package var isSupported: Bool {
    switch self {
    case .file, .directory, .symbolicLink: true
    case .fifo, .socket, .device: false
    }
  }
}

/// A time of a file, to the nanosecond.
package struct FileTime: Hashable, Sendable, Comparable {
  /// Seconds since 1970-01-01 UTC.
  package var seconds: Int64
  /// 0 to 999,999,999.
  package var nanoseconds: UInt32

  package init(seconds: Int64, nanoseconds: UInt32) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  package static func < (left: FileTime, right: FileTime) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }
}

/// A file in one state.
///
/// Two equal identities mean the same bytes, unless a program changed the file twice within one tick of the file
/// system's clock.
package struct FileIdentity: Hashable, Sendable {
  package var device: UInt64
  package var inode: UInt64
  /// Bytes.
  package var size: UInt64
  package var modified: FileTime
  /// The time of the last change to the node, including its attributes and links.
  package var changed: FileTime

  package init(device: UInt64, inode: UInt64, size: UInt64, modified: FileTime, changed: FileTime) {
    self.device = device
    self.inode = inode
    self.size = size
    self.modified = modified
    self.changed = changed
  }

  /// Returns whether both are states of the same node, after any changes.
  package func isSameNode(as other: FileIdentity) -> Bool {
    device == other.device && inode == other.inode
  }

  /// Returns whether both have the same contents, if only the number of links may have changed in between.
  ///
  /// A new or removed hard link moves `changed` and nothing else.
  package func hasSameContents(as other: FileIdentity) -> Bool {
    isSameNode(as: other) && size == other.size && modified == other.modified
  }
}

/// The status of one node in the file system.
package struct FileStatus: Hashable, Sendable {
  package var kind: FileKind
  /// The permission bits with the set-user-ID, set-group-ID and sticky bits.
  package var mode: UInt16
  package var identity: FileIdentity
  package var links: UInt32
  package var user: UInt32
  package var group: UInt32
  /// The time when the node was made; nil if the file system does not record it. No program can set it.
  package var born: FileTime?
  /// The mount that holds the node; nil if the system does not tell. A bind mount has the device of its file system.
  package var mount: UInt64?
  /// Whether no program can change the node, or the entries of a directory: the superuser sets this flag with chattr(1).
  package var isImmutable = false

  package init(
    kind: FileKind, mode: UInt16, identity: FileIdentity, links: UInt32, user: UInt32, group: UInt32,
    born: FileTime? = nil
  ) {
    self.kind = kind
    self.mode = mode
    self.identity = identity
    self.links = links
    self.user = user
    self.group = group
    self.born = born
  }

  /// Returns whether a node can be renamed to the place of the other one: both are in one mount.
  package func isInMount(of other: FileStatus) -> Bool {
    guard let mount, let others = other.mount else { return identity.device == other.identity.device }
    return mount == others
  }

  package var size: UInt64 { identity.size }
  package var modified: FileTime { identity.modified }
}
