package import DurableIO
import SystemPackage

extension Disk {
  /// Gives a new file the attributes that a user may have given the old one: owner, access list, `user.*` attributes.
  ///
  /// - Returns: the new file's status after that.
  @discardableResult
  package func copyAttributes(
    of status: FileStatus, from source: borrowing OwnedDescriptor, on file: borrowing OwnedDescriptor
  ) throws(SystemError) -> FileStatus {
    let now = try copyOwner(of: status, on: file)
    for (name, value) in try extendedAttributes(of: source) {
      try setExtendedAttribute(name, value, of: file)
    }
    return now
  }

  /// Gives a new file the owner and the group of the old one, if this user may.
  ///
  /// Only the superuser may give files away; other users own the files that they save.
  ///
  /// - Returns: the new file's status after that.
  @discardableResult
  package func copyOwner(of status: FileStatus, on file: borrowing OwnedDescriptor) throws(SystemError)
    -> FileStatus
  {
    let now = try self.status(of: file)
    guard now.user != status.user || now.group != status.group else { return now }
    do {
      try setOwner(user: status.user, group: status.group, of: file)
    } catch  where error.code == .notPermitted {
      return now
    }
    // Giving a file away may take bits of its mode.
    return try self.status(of: file)
  }
}
