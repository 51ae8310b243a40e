package import DurableIO
package import PackageFormat

/// A reason why the publisher could not rename a child or set the attributes of a folder, as the statuses show it.
///
/// A save has these statuses anyway, so that the check costs no request.
package enum PublishObstacle: Sendable, Hashable, CaseIterable {
  case otherMount
  case readOnlyFolder
  case immutableFolder
  case immutable
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
    if folder.isElsewhere(than: package) || old?.isElsewhere(than: package) == true {
      self = .otherMount
    } else if !folder.isWritable(by: user) {
      self = .readOnlyFolder
    } else if folder.isImmutable {
      self = .immutableFolder
    } else {
      if old?.isImmutable != true { return nil }
      self = .immutable
    }
  }

  /// Finds the obstacle to other attributes of a folder.
  package init?(settingAttributesOf folder: FileStatus, by user: UInt32) {
    if folder.isImmutable {
      self = .immutable
    } else {
      if user == 0 || folder.user == user { return nil }
      self = .otherOwner
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
    case .immutable: "it is immutable; 'chattr -i' takes the flag away"
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
