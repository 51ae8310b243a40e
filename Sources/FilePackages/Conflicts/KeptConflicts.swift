import DurableIO
import FoundationEssentials
import SystemPackage

/// The conflict versions that a package keeps in its hidden folder.
///
/// The docs of `PackageStore` say what each call guarantees.
struct KeptConflicts {
  private let package: OpenPackage

  init(_ package: OpenPackage) { self.package = package }

  private var path: FilePath {
    package.location.path.appending(PackageLayout.hidden.string).appending(PackageLayout.conflicts.string)
  }

  /// Returns the folders of the conflict versions, each with the children under their paths.
  func folders() throws(FilePackageError) -> [URL] {
    let (location, disk) = (package.location, package.location.disk)
    do {
      guard let hidden = try location.openHiddenFolder() else { return [] }
      guard try disk.exists(PackageLayout.conflicts, in: hidden) else { return [] }
      let listing = try disk.list(disk.openDirectory(PackageLayout.conflicts, in: hidden))
      return listing.sortedPositions().map { position in
        URL(filePath: path.appending(listing.name(at: position).string).string, directoryHint: .isDirectory)
      }
    } catch {
      throw FilePackageError(error, .read, package.node, activity: "looking for conflict versions")
    }
  }

  /// Copies children on disk, which another program wrote, into a new conflict version.
  func add(_ paths: [String], by writer: PackageWriter) throws(FilePackageError) {
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
  /// The folder of the version has them in a `Metadata.plist` whose revision is the version's identifier. Another plist
  /// there was a child of the document.
  struct Mark {
    var id: UUID
    var computer: String
    var date: Date
    var program: String

    init(id: UUID, computer: String, date: Date, program: String) {
      (self.id, self.computer, self.date, self.program) = (id, computer, date, program)
    }

    /// Reads the mark of a version from the plist in its folder; nil if that plist is no mark.
    init?(of id: UUID, _ metadata: PackageMetadata?) {
      guard let metadata, metadata.revision == id else { return nil }
      self.init(
        id: id, computer: metadata.savingComputer, date: metadata.modificationDate,
        program: metadata.generator)
    }
  }

  /// Writes children and the mark into a new conflict version.
  func add(
    _ kept: FileWrapper, marked mark: Mark, by writer: PackageWriter
  ) throws(FilePackageError) {
    var metadata = PackageMetadata()
    (metadata.revision, metadata.savingComputer) = (mark.id, mark.computer)
    (metadata.modificationDate, metadata.generator) = (mark.date, mark.program)
    do {
      let plist = FileWrapper(regularFileWithContents: try metadata.encoded())
      try kept.setDescendant(plist, at: PackageLayout.metadata.string)
    } catch {
      throw FilePackageError(any: error, .save, package.node, activity: "adding a conflict version")
    }
    try add(kept, as: mark.id.uuidString, by: writer)
  }

  /// Writes children into a new conflict version of that name.
  func add(_ kept: FileWrapper, as name: String, by writer: PackageWriter) throws(FilePackageError) {
    let disk = package.location.disk
    let session = try writer.openSession()
    defer { writer.endFailedSession() }
    do {
      _ = try disk.makeDirectoryIfAbsent(PackageLayout.conflicts, in: session.hidden.folder)
      // The folder may exist without being durable yet.
      try disk.synchronize(session.hidden.folder)
      try disk.synchronize(session.hidden.root.descriptor)
    } catch {
      throw FilePackageError(
        error, .save, package.node, activity: "moving the changes of another program to its conflict versions"
      )
    }
    try kept.write(to: path.appending(name), options: [], original: nil, on: disk)
  }

  /// Gives a conflict version another name, if it is there.
  func rename(_ name: String, to new: String, by writer: PackageWriter) throws(FilePackageError) {
    guard try folders().contains(where: { $0.lastPathComponent == name }) else { return }
    let session = try writer.openSession()
    defer { writer.endFailedSession() }
    let disk = package.location.disk
    do {
      let folder = try disk.openDirectory(PackageLayout.conflicts, in: session.hidden.folder)
      try disk.rename(FileName(name), in: folder, to: FileName(new), in: folder, .noReplace)
      try disk.synchronize(folder)
    } catch {
      throw FilePackageError(error, .save, package.node, activity: "renaming a conflict version")
    }
  }

  /// Removes one conflict version, if it is there.
  func remove(_ name: String, by writer: PackageWriter) throws(FilePackageError) {
    guard try folders().contains(where: { $0.lastPathComponent == name }) else { return }
    let session = try writer.openSession()
    defer { writer.endFailedSession() }
    let disk = package.location.disk
    do {
      let folder = try disk.openDirectory(PackageLayout.conflicts, in: session.hidden.folder)
      guard disk.removeEverything(FileName(name), from: folder) else {
        throw FilePackageError(
          .inputOutput, .save, package.node, reason: "the conflict version '\(name)' could not be removed")
      }
      try disk.synchronize(folder)
      if try disk.list(folder).count == 0 {
        try disk.removeDirectory(PackageLayout.conflicts, in: session.hidden.folder)
      }
    } catch {
      throw FilePackageError(any: error, .save, package.node, activity: "removing a conflict version")
    }
  }

  /// Removes all conflict versions.
  func removeAll(by writer: PackageWriter) throws(FilePackageError) {
    if try folders().isEmpty { return }
    let session = try writer.openSession()
    defer { writer.endFailedSession() }
    guard package.location.disk.removeEverything(PackageLayout.conflicts, from: session.hidden.folder) else {
      throw FilePackageError(
        .inputOutput, .save, package.node, reason: "a conflict version could not be removed")
    }
  }
}
