import DurableIO
package import FileTrees
package import FoundationEssentials
package import PackageFormat
import SystemPackage

/// The conflict versions that a package keeps in its hidden folder.
///
/// The docs of `PackageStore` say what each call guarantees.
package struct KeptConflicts {
  private let package: OpenPackage

  package init(_ package: OpenPackage) { self.package = package }

  private var path: FilePath {
    package.location.path.appending(PackageLayout.hidden.string).appending(PackageLayout.conflicts.string)
  }

  /// Returns the folders of the conflict versions, each with the children under their paths.
  package func folders() throws(FilePackageError) -> [URL] {
    try package.location.keptConflicts().map { folder in
      URL(filePath: FileName(folder.filePath).string, directoryHint: .isDirectory)
    }
  }

  /// Copies children on disk, which another program wrote, into a new conflict version.
  package func add(_ paths: [String], by writer: PackageWriter) throws(FilePackageError) {
    let kept: FileWrapper
    do {
      let tree = package.newTree()
      kept = try tree.selection(of: paths.contains("") ? tree.childNames() : paths)
      if try kept.childCount() == 0 { return }
    } catch {
      throw (FilePackageError(any: error, .save, package.node)).during(.save)
    }
    try add(kept, as: UUID.new.uuidString, by: writer)
  }

  /// The facts of a version that a program brought from another computer.
  ///
  /// The folder of the version has them in a `Metadata.plist` with the nil UUID as its revision. No save makes that
  /// revision, so a plist with another one was a child of the document.
  package struct Mark {
    private static let revision = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    var computer: String
    var date: Date
    var program: String

    package init(computer: String, date: Date, program: String) {
      (self.computer, self.date, self.program) = (computer, date, program)
    }

    /// Reads a mark from the plist in a version's folder; nil if that plist is no mark.
    package init?(_ metadata: PackageMetadata?) {
      guard let metadata, metadata.revision == Self.revision else { return nil }
      self.init(
        computer: metadata.savingComputer, date: metadata.modificationDate, program: metadata.generator)
    }

    /// The plist.
    var metadata: PackageMetadata {
      var metadata = PackageMetadata()
      (metadata.revision, metadata.savingComputer) = (Self.revision, computer)
      (metadata.modificationDate, metadata.generator) = (date, program)
      return metadata
    }
  }

  /// Writes children and the mark into a new conflict version of that name.
  package func add(
    _ kept: FileWrapper, as name: String, marked mark: Mark, by writer: PackageWriter
  ) throws(FilePackageError) {
    try package.node.attempt(.save, "adding a conflict version") {
      let plist = FileWrapper(regularFileWithContents: try mark.metadata.encoded())
      try kept.setDescendant(plist, at: PackageLayout.metadata.string)
    }
    try add(kept, as: name, by: writer)
  }

  /// Writes children into a new conflict version of that name.
  package func add(_ kept: FileWrapper, as name: String, by writer: PackageWriter) throws(FilePackageError) {
    let disk = package.location.disk
    try writer.withPackageLock { session throws(FilePackageError) in
      do throws(SystemError) {
        try disk.makeDirectoryIfAbsent(PackageLayout.conflicts, in: session.hidden.folder)
        // The folder may exist without being durable yet.
        try disk.synchronize(session.hidden.folder)
        try disk.synchronize(session.hidden.root.descriptor)
      } catch {
        throw FilePackageError(
          error, .save, package.node,
          activity: "moving the changes of another program to its conflict versions")
      }
      try kept.write(to: path.appending(name), options: [], original: nil, on: disk)
    }
  }

  /// Gives a conflict version another name, if it is there.
  package func rename(_ name: String, to new: String, by writer: PackageWriter) throws(FilePackageError) {
    guard try package.location.keptConflicts().contains(where: { $0.path.name == FileName(name) }) else {
      return
    }
    try change(by: writer, "renaming a conflict version") { disk, folder, _ in
      try disk.rename(FileName(name), in: folder, to: FileName(new), in: folder, .noReplace)
      try disk.synchronize(folder)
    }
  }

  /// Removes one conflict version, if it is there.
  package func remove(_ name: String, by writer: PackageWriter) throws(FilePackageError) {
    try remove(by: writer) { $0.path.name == FileName(name) }
  }

  /// Removes the versions whose files are all among those of a decision.
  package func remove(_ decided: Set<ConflictFile>, by writer: PackageWriter) throws(FilePackageError) {
    try remove(by: writer) { try ConflictSet.files(ofKept: $0).isSubset(of: decided) }
  }

  private func remove(
    by writer: PackageWriter, where isRight: (StoredNode) throws -> Bool
  ) throws(FilePackageError) {
    if try package.location.keptConflicts().isEmpty { return }
    try change(by: writer, "removing its conflict versions") { disk, folder, hidden in
      for kept in try package.location.keptConflicts() where try isRight(kept) {
        guard let name = kept.path.name else { continue }
        guard disk.removeEverything(name, from: folder) else {
          throw FilePackageError(
            .inputOutput, .save, package.node,
            reason: "'\(name.display)' among its conflict versions could not be removed")
        }
      }
      try disk.synchronize(folder)
      if try disk.list(folder).count == 0 { try disk.removeDirectory(PackageLayout.conflicts, in: hidden) }
    }
  }

  /// Calls `body` with the folder of the conflict versions and the hidden folder.
  ///
  /// The lock is held, so that no store adds a file meanwhile.
  private func change(
    by writer: PackageWriter, _ activity: String,
    _ body: (_ disk: any Disk, borrowing OwnedDescriptor, _ hidden: borrowing OwnedDescriptor) throws -> Void
  ) throws(FilePackageError) {
    let disk = package.location.disk
    try writer.withPackageLock { session throws(FilePackageError) in
      try package.node.attempt(.save, activity) {
        let folder = try disk.openDirectory(PackageLayout.conflicts, in: session.hidden.folder)
        try body(disk, folder, session.hidden.folder)
      }
    }
  }
}
