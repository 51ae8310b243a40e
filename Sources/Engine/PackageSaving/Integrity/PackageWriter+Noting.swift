import DurableIO
package import FileTrees
package import PackageFormat

extension PackageWriter {
  /// Notes every child of a package that came without a hidden folder and is not in its place yet.
  ///
  /// Later saves and verifications can then tell another program's edit of one child. Does nothing for a package without
  /// metadata, and for one whose children are not those of its last save. When it returns, the notes are durable, except
  /// for the name of the hidden folder. Cost: reads every byte.
  ///
  /// - Parameter isCancelled: whether to stop before the next child.
  /// - Returns: whether the package got a log.
  /// - Throws: `cancelled`; the system's reason.
  package static func noteChildren(
    at location: Location, unless isCancelled: () -> Bool
  ) throws(FilePackageError) -> Bool {
    let (node, disk) = (StoredNode(location: location, path: .root), location.disk)
    let (folder, status, hasHidden) = try node.attempt(.save) {
      let folder = OpenNode(try location.openDirectory(.root))
      let hasHidden = try disk.exists(PackageLayout.hidden, in: folder.descriptor)
      return (folder, try disk.status(of: folder.descriptor), hasHidden)
    }
    if hasHidden { return false }
    let writer = PackageWriter(node, status: status)
    try writer.recover()
    guard let metadata = writer.baseline.metadata.known else { return false }
    let verified = try writer.package.verifyChildren(unless: isCancelled)
    guard verified.report.isWhole else { return false }
    try node.attempt(.save, "writing its log") {
      try SaveLog.make(noting: verified.rows, at: metadata.revision, in: folder.descriptor, on: disk)
      try disk.synchronize(disk.openDirectory(PackageLayout.hidden, in: folder.descriptor))
    }
    return true
  }
}
