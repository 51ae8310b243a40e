import DurableIO
import FileTrees
import FoundationEssentials
import PackageFormat
import SystemPackage

// How the publisher makes conflict versions of another program's content, and of nodes that it cannot put.
extension Publisher {
  /// Makes a conflict version of a node that the record puts, since something else stands at its place.
  mutating func moveOursToConflicts(_ change: Change) throws(FilePackageError) {
    guard change.puts else { return }
    // A node that the record does not hold is missing only after it was published.
    let isLost = try attempt(change.path, "looking at") { try problem(change) != nil }
    if isLost { return }
    var own = change
    try moveToConflicts(try prepare(&own), of: change.path, isOurs: true)
  }

  /// The folder, in the hidden one, for the next conflict version of this publishing.
  ///
  /// Its name follows from the record. So a publishing that was cut short and is repeated makes no second version.
  var conflictFolder: PackagePath {
    let identifier = UUID(hashing: "\(record.token)-\(conflictFolders)")
    return PackagePath([PackageLayout.conflicts, FileName(identifier.uuidString)])
  }

  /// Moves a staged node to the conflict versions, under the path that it has or had in the package (P8).
  ///
  /// - Parameter isOurs: whether the save puts the node: an attempt that was cut short may have moved it there, and it
  ///   was made anew.
  mutating func moveToConflicts(
    _ source: FileName, of path: PackagePath, isOurs: Bool = false
  ) throws(FilePackageError) {
    let isTaken = try attempt(path, "moving the changes of another program to the conflict versions") {
      guard let name = path.name else { return false }
      // This folder has the log, so its own name is durable.
      var folder = OpenNode(try disk.openDirectory(PackageLayout.hidden, in: root.descriptor))
      for (depth, name) in (conflictFolder.names + path.parent.names).enumerated() {
        try disk.makeDirectoryIfAbsent(name, in: folder.descriptor)
        // The subfolder may be there and not durable yet.
        try disk.synchronize(folder.descriptor)
        // Below the folder of all conflict versions, another node is a file of another version.
        guard let next = try openFolder(name, in: folder.descriptor, orFail: depth == 0) else { return true }
        folder = next
      }
      if try disk.exists(name, in: folder.descriptor) {
        guard isOurs, let kind = try sameKind(name, in: folder.descriptor, as: source) else { return true }
        // Another program may have written the file.
        if kind == .file { try disk.synchronize(disk.openFile(name, in: folder.descriptor)) }
        try disk.synchronize(folder.descriptor)
        removeLeftover(source)
        return false
      }
      try disk.rename(source, in: staging.descriptor, to: name, in: folder.descriptor, .replace)
      do throws(SystemError) {
        try disk.synchronize(folder.descriptor)
      } catch {
        // The next attempt to publish finds it among the staged files; if it cannot go back, it stays here.
        try? disk.rename(name, in: folder.descriptor, to: source, in: staging.descriptor, .replace)
        throw error
      }
      return false
    }
    if isTaken {
      // A second version of the same child.
      conflictFolders += 1
      return try moveToConflicts(source, of: path, isOurs: isOurs)
    }
    conflicts.insert(path.string)
  }

  /// Opens a folder; nil if another node has its name, unless that is an error.
  private func openFolder(
    _ name: FileName, in folder: borrowing OwnedDescriptor, orFail fails: Bool
  ) throws(SystemError) -> OpenNode? {
    do {
      return OpenNode(try disk.openDirectory(name, in: folder))
    } catch {
      if error.code == .notDirectory && !fails { return nil }
      throw error
    }
  }

  /// Returns the kind of both, if they are files of the same bytes or links to the same destination.
  private func sameKind(
    _ name: FileName, in folder: borrowing OwnedDescriptor, as source: FileName
  ) throws(SystemError) -> FileKind? {
    let kind = try disk.status(of: source, in: staging.descriptor).kind
    guard try disk.status(of: name, in: folder).kind == kind,
      try disk.contentHash(of: name, kind, in: folder)
        == disk.contentHash(of: source, kind, in: staging.descriptor)
    else { return nil }
    return kind
  }

  /// Looks at the nodes that exchanges brought out before a cut, since no process may have done so.
  mutating func checkExchanged(_ change: Change, isPublished: Bool) throws(FilePackageError) {
    guard isRecovery && isBound else { return }
    let names = [change.name, change.name.rewritten]
    // A node that the record does not hold waits there itself until it is published.
    let mayHoldTheirs = isPublished || change.bytes != nil
    for name in names.map(\.movedAway) + (mayHoldTheirs ? names : []) {
      try moveToConflictsIfTheirs(name, change)
    }
  }

  /// Moves a node that came out of an exchange to the conflict versions if another program wrote it (P2).
  mutating func moveToConflictsIfTheirs(_ source: FileName, _ change: Change) throws(FilePackageError) {
    let isTheirs = try attempt(change.path, "checking the replaced file at") {
      guard let now = try disk.statusIfPresent(of: source, in: staging.descriptor) else { return false }
      if try isOld(change, now, source, in: staging.descriptor) { return false }
      // If both names led to one node, as a file system may leave them, nothing came out. A staged file that a power cut
      // has torn is still ours.
      if isBound && now.identity.inode == change.new?.inode { return false }
      if try isContent(change, now, source, in: staging.descriptor) { return false }
      // This process knows a file that it just made by its inode number. Any other file is another program's, even an
      // empty one, which that program may be about to write.
      if isRecovery, try isRemains(change, now, source, in: staging.descriptor) { return false }
      return true
    }
    if isTheirs { try moveToConflicts(source, of: change.path) }
  }
}
