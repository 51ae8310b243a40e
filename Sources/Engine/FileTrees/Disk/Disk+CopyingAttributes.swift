package import DurableIO
import SystemPackage

extension Disk {
  /// Gives a new file the attributes that a user may have given the old one: owner, access list, `user.*` attributes.
  ///
  /// Only the superuser may give files away; other users own the files that they save.
  package func copyAttributes(
    of status: FileStatus, from source: borrowing OwnedDescriptor, on file: borrowing OwnedDescriptor
  ) throws(SystemError) {
    let now = try self.status(of: file)
    if now.user != status.user || now.group != status.group {
      do {
        try setOwner(user: status.user, group: status.group, of: file)
      } catch  where error.code == .notPermitted {}
    }
    for (name, value) in try extendedAttributes(of: source) {
      try setExtendedAttribute(name, value, of: file)
    }
  }
}
