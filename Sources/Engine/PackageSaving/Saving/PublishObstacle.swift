package import DurableIO
package import PackageFormat

/// A reason why the publisher could not rename a child or set the attributes of a folder, as the statuses show it.
///
/// A save has these statuses anyway, so that the check costs no request.
package enum PublishObstacle: Sendable, Hashable, CaseIterable {
  case otherMount
  case readOnlyFolder
  case immutableFolder
  case appendOnlyFolder
  case stickyFolder
  case immutable
  case appendOnly
  case otherOwner
  /// Not from the statuses: the system knows the lists of rights.
  case otherUsersFolder

  /// Finds the first obstacle to a new node for a name, or to the removal of the old one.
  ///
  /// - Parameters:
  ///   - folder: the folder of the name.
  ///   - old: the node under the name; nil if the name is free.
  ///   - package: the package, whose mount has the staging folder.
  ///   - user: the user of this process.
  package init?(
    changing old: FileStatus?, in folder: FileStatus, of package: FileStatus, by user: UInt32
  ) {
    guard
      let found = Self.ofFolder(folder, package, user, old) ?? old.flatMap({ Self.ofNode($0, package) })
    else { return nil }
    self = found
  }

  /// Finds the obstacle to other attributes of a folder.
  package init?(settingAttributesOf folder: FileStatus, by user: UInt32) {
    switch folder.protection {
    case .immutable: self = .immutable
    case .appendOnly: self = .appendOnly
    case nil:
      if user == Self.superuser || folder.user == user { return nil }
      self = .otherOwner
    }
  }

  private static let superuser: UInt32 = 0
  private static let sticky: UInt16 = 0o1000

  private static func ofFolder(
    _ folder: FileStatus, _ package: FileStatus, _ user: UInt32, _ old: FileStatus?
  ) -> PublishObstacle? {
    if folder.isElsewhere(than: package) { return .otherMount }
    if !folder.isWritable(by: user) { return .readOnlyFolder }
    if folder.protection == .immutable { return .immutableFolder }
    guard let old else { return nil }
    if folder.protection == .appendOnly { return .appendOnlyFolder }
    let isOwner = user == superuser || user == folder.user || user == old.user
    return folder.mode & sticky != 0 && !isOwner ? .stickyFolder : nil
  }

  private static func ofNode(_ node: FileStatus, _ package: FileStatus) -> PublishObstacle? {
    if node.isElsewhere(than: package) { return .otherMount }
    switch node.protection {
    case .immutable: return .immutable
    case .appendOnly: return .appendOnly
    case nil: return nil
    }
  }

  /// The code of the error.
  package var code: FilePackageError.Code { self == .otherMount ? .unsupported : .permissionDenied }

  /// The reason in an error.
  package var words: String {
    switch self {
    case .otherMount: "another file system is mounted there"
    case .readOnlyFolder: "its folder is read-only"
    case .immutableFolder: "its folder is immutable; 'chattr -i' takes the flag away"
    case .appendOnlyFolder: "its folder only takes new children; 'chattr -a' takes the flag away"
    case .stickyFolder: "its folder is sticky, and it belongs to another user"
    case .immutable: "it is immutable; 'chattr -i' takes the flag away"
    case .appendOnly: "it can only grow; 'chattr -a' takes the flag away"
    case .otherOwner: "the folder belongs to another user"
    case .otherUsersFolder: "its folder belongs to another user, and this one may not change it"
    }
  }
}

extension FileStatus {
  /// Returns whether a rename between this node and the package's staging folder is impossible.
  ///
  /// A file of overlayfs may have the device of its layer, and a folder of another btrfs subvolume has the same mount.
  fileprivate func isElsewhere(than package: FileStatus) -> Bool {
    if kind == .directory && identity.device != package.identity.device { return true }
    return !isInMount(of: package)
  }

  /// Whether the mode of a directory lets its owner change its entries; true for a directory of another user.
  fileprivate func isWritable(by user: UInt32) -> Bool {
    user == 0 || self.user != user || mode & 0o300 == 0o300
  }
}
