import DurableIO
package import FileTrees
package import FoundationEssentials
package import PackageFormat
import SystemPackage

extension PackageMetadata {
  /// Makes the mark of a version that a program brought from another computer: the plist in the folder of the version.
  ///
  /// It has the nil UUID as its revision. No save makes that revision, so a plist with another one was a child of the
  /// document.
  package init(markOfVersionBy computer: String, on date: Date, broughtBy program: String) {
    self.init()
    (revision, savingComputer) = (.none, computer)
    (modificationDate, generator) = (date, program)
  }

  var isMarkOfVersion: Bool { revision == .none }
}

extension OpenPackage {
  /// Returns the folders of the conflict versions, each with the children under their paths.
  package func keptConflictURLs() throws(FilePackageError) -> [URL] {
    try location.keptConflicts().map { folder in
      URL(filePath: FileName(folder.filePath).string, directoryHint: .isDirectory)
    }
  }
}

// The conflict versions that a package keeps in its hidden folder. The docs of `PackageStore` say what each call
// guarantees.
extension PackageWriter {
  /// Copies children on disk, which another program wrote, into a new conflict version.
  package func keepConflict(_ paths: [String]) throws(FilePackageError) {
    let kept: FileWrapper
    do {
      let tree = package.newTree()
      kept = try tree.selection(of: paths.contains("") ? tree.childNames() : paths)
      if try kept.childCount() == 0 { return }
    } catch {
      throw (FilePackageError(any: error, .save, node)).during(.save)
    }
    try addKeptConflict(kept, as: UUID.new.uuidString)
  }

  /// Writes children and a mark into a new conflict version of that name.
  package func addKeptConflict(
    _ kept: FileWrapper, as name: String, marked mark: PackageMetadata? = nil
  ) throws(FilePackageError) {
    if let mark {
      try node.attempt(.save, "adding a conflict version") {
        let plist = FileWrapper(regularFileWithContents: try mark.encoded())
        try kept.setDescendant(plist, at: PackageLayout.metadata.string)
      }
    }
    let disk = location.disk
    try withPackageLock { session throws(FilePackageError) in
      try node.attempt(.save, "moving the changes of another program to its conflict versions") {
        try disk.makeDirectoryIfAbsent(PackageLayout.conflicts, in: session.hidden.folder)
        // The folder may exist without being durable yet.
        try disk.synchronize(session.hidden.folder)
        try disk.synchronize(session.hidden.root.descriptor)
      }
      let place = StoredNode(location: location, path: PackageLayout.conflictsPath.appending(FileName(name)))
      try kept.write(to: place.filePath, options: [], original: nil, on: disk)
    }
  }

  /// Gives a conflict version another name, if it is there.
  package func renameKeptConflict(_ name: String, to new: String) throws(FilePackageError) {
    guard try location.keptConflicts().contains(where: { $0.path.name == FileName(name) }) else {
      return
    }
    try changeKeptConflicts("renaming a conflict version") { disk, folder, _ in
      try disk.rename(FileName(name), in: folder, to: FileName(new), in: folder, .noReplace)
      try disk.synchronize(folder)
    }
  }

  /// Removes one conflict version, if it is there.
  package func removeKeptConflicts(_ name: String) throws(FilePackageError) {
    try removeKeptConflicts { $0.path.name == FileName(name) }
  }

  /// Removes the versions whose files are all among those of a decision.
  package func removeKeptConflicts(_ decided: Set<ConflictFile>) throws(FilePackageError) {
    try removeKeptConflicts { try ConflictSet.files(ofKept: $0).isSubset(of: decided) }
  }

  private func removeKeptConflicts(
    where isRight: (StoredNode) throws -> Bool
  ) throws(FilePackageError) {
    if try location.keptConflicts().isEmpty { return }
    try changeKeptConflicts("removing its conflict versions") { disk, folder, hidden in
      for kept in try location.keptConflicts() where try isRight(kept) {
        guard let name = kept.path.name else { continue }
        guard disk.removeEverything(name, from: folder) else {
          throw FilePackageError(
            .inputOutput, .save, node,
            reason: "'\(name.display)' among its conflict versions could not be removed")
        }
      }
      _ = NewPlace.sweep(folder, on: disk)
      try disk.synchronize(folder)
      if try disk.list(folder).count == 0 { try disk.removeDirectory(PackageLayout.conflicts, in: hidden) }
    }
  }

  /// Calls `body` with the folder of the conflict versions and the hidden folder.
  ///
  /// The lock is held, so that no store adds a file meanwhile.
  private func changeKeptConflicts(
    _ activity: String,
    _ body: (_ disk: any Disk, borrowing OwnedDescriptor, _ hidden: borrowing OwnedDescriptor) throws -> Void
  ) throws(FilePackageError) {
    let disk = location.disk
    try withPackageLock { session throws(FilePackageError) in
      try node.attempt(.save, activity) {
        let folder = try disk.openDirectory(PackageLayout.conflicts, in: session.hidden.folder)
        try body(disk, folder, session.hidden.folder)
      }
    }
  }
}
