package import DurableIO
package import SystemPackage

extension Disk {
  /// Returns the status of an entry; nil if there is none.
  package func statusIfPresent(
    of name: FileName, in folder: borrowing OwnedDescriptor
  ) throws(SystemError) -> FileStatus? {
    do {
      return try status(of: name, in: folder)
    } catch  where error.code == .noSuchFileOrDirectory {
      return nil
    }
  }

  package func exists(_ name: FileName, in folder: borrowing OwnedDescriptor) throws(SystemError) -> Bool {
    try statusIfPresent(of: name, in: folder) != nil
  }

  /// Returns whether a folder is the one with the identity `outer`, or in it.
  ///
  /// Cost: two requests for each folder above it, up to the root of the file system.
  package func isFolder(
    at path: FilePath, within outer: FileIdentity
  ) throws(SystemError) -> Bool {
    var path = path
    var above = try status(of: try openDirectory(at: path)).identity
    while !above.isSameNode(as: outer) {
      path = FilePath(path.string + "/..")
      let next = try status(of: try openDirectory(at: path)).identity
      if next.isSameNode(as: above) { return false }
      above = next
    }
    return true
  }

  /// Returns whether a name still leads to the node that was opened.
  package func isName(
    _ name: FileName, in folder: borrowing OwnedDescriptor, of node: borrowing OwnedDescriptor
  ) throws(SystemError) -> Bool {
    guard let named = try statusIfPresent(of: name, in: folder) else { return false }
    return named.identity.isSameNode(as: try status(of: node).identity)
  }
}
