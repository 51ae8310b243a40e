package import DurableIO
package import FileTrees
package import SystemPackage

/// The place of a new state: a name in an open folder, with the hidden name beside it.
///
/// A replacement cleans the place up, makes a node under the hidden name, fills and syncs the node, and gives it the
/// name. It then syncs the folder, and removes the old state last.
package struct StagingLocation {
  package let name: FileName
  /// The name of the new state while it is made; after an exchange, of the old one on its way out.
  package let staged: FileName
  package let siblings: TemporarySiblings
  package let disk: any Disk
  let opened: OpenNode

  /// The folder that holds both names.
  package var folder: OwnedDescriptor { _read { yield opened.descriptor } }

  package init(_ name: FileName, in folder: OpenNode, on disk: any Disk) {
    (self.name, opened, self.disk) = (name, folder, disk)
    siblings = TemporarySiblings(of: name, on: disk)
    staged = siblings.name(.staged)
  }

  /// Opens the folder of a path; nil if the path ends with no name.
  package init?(at path: FilePath, on disk: any Disk) throws(SystemError) {
    guard let last = path.lastComponent, last.kind == .regular else { return nil }
    self.init(FileName(last), in: OpenNode(try disk.openDirectory(at: path.folder)), on: disk)
  }

  /// Removes the leftover of a crash.
  package func cleanUp() throws(SystemError) { try siblings.cleanUp(in: folder) }

  /// Removes the leftover of a crash, and what killed programs left of other documents in the folder.
  package func cleanUpAll() throws(SystemError) {
    try cleanUp()
    siblings.sweep(folder)
  }

  /// Returns the status of the node under the name; nil if the name is free.
  package func status() throws(SystemError) -> FileStatus? { try disk.statusIfPresent(of: name, in: folder) }

  /// Makes an empty folder or file under the hidden name, and takes its lock; nil if another program is making one.
  package func stage(_ kind: FileKind, mode: UInt16) throws(SystemError) -> OwnedDescriptor? {
    try siblings.stage(kind, in: folder, mode: mode)
  }

  /// Gives the name, which must be free, to a node; by default to the new state.
  package func take(_ old: FileName? = nil, from parent: OpenNode? = nil) throws(SystemError) {
    let (old, parent) = (old ?? staged, parent ?? opened)
    do {
      try disk.rename(old, in: parent.descriptor, to: name, in: folder, .noReplace)
    } catch  where error.isLackOfRule {
      if try disk.exists(name, in: folder) { throw SystemError("renameat", name, code: .fileExists) }
      try disk.rename(old, in: parent.descriptor, to: name, in: folder, .replace)
    }
  }

  /// Renames within the folder.
  package func rename(_ old: FileName, to new: FileName, _ rule: RenameRule) throws(SystemError) {
    try disk.rename(old, in: opened.descriptor, to: new, in: opened.descriptor, rule)
  }

  /// Removes the node under the hidden name; returns false if something is left.
  @discardableResult
  package func removeStaged() -> Bool { siblings.remove(staged, from: folder) }

  package func synchronize() throws(SystemError) { try disk.synchronize(folder) }

  /// Prevents sweeps of the folder until `allowSweeps()`, while a node under the hidden name has no lock.
  package func holdOffSweeps() { siblings.holdOffSweeps(in: folder) }
  package func allowSweeps() { siblings.allowSweeps(in: folder) }
}
