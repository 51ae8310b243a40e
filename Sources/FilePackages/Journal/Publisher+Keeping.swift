import DurableIO
import FoundationEssentials

// What another program wrote meanwhile, and what was to be put there.
extension Publisher {
  /// What was to be put somewhere stays as a conflict version, since something else stands there by now.
  mutating func keepOurs(_ operation: JournalRecord.Operation) throws(FilePackageError) {
    guard case .put(let staged) = operation.action else { return }
    var own = staged
    let isLost: Bool
    do {
      isLost = try problem(staged) != nil
    } catch {
      throw FilePackageError(error, .save, node(operation.path), activity: "looking at")
    }
    // What the record does not hold is lost only once it was published.
    if isLost { return }
    try keep(try prepare(&own, operation), of: operation.path)
  }

  /// Moves a staged node to the conflict versions, under the path that it has or had in the package. (8)
  mutating func keep(_ source: FileName, of path: PackagePath) throws(FilePackageError) {
    let top = conflictFolder ?? PackagePath([PackageLayout.conflicts, FileName(UUID().uuidString)])
    conflictFolder = top
    do throws(SystemError) {
      guard let name = path.name else { return }
      // It has the journal, so that its own name lasts.
      var folder = OpenNode(try disk.openDirectory(PackageLayout.hidden, in: root.descriptor))
      for name in top.names + path.parent.names {
        _ = try disk.makeDirectoryIfAbsent(name, in: folder.descriptor)
        // It may be there and not on the medium yet.
        try disk.synchronize(folder.descriptor)
        folder = OpenNode(try disk.openDirectory(name, in: folder.descriptor))
      }
      if try disk.exists(name, in: folder.descriptor) {
        // A second version of the same child.
        conflictFolder = nil
      } else {
        try disk.rename(source, in: staging.descriptor, to: name, in: folder.descriptor, .replace)
        do throws(SystemError) {
          try disk.synchronize(folder.descriptor)
        } catch {
          // Whoever publishes this again finds it among the staged files; where it cannot go back, it stays here.
          try? disk.rename(name, in: folder.descriptor, to: source, in: staging.descriptor, .replace)
          throw error
        }
      }
    } catch {
      throw FilePackageError(
        error, .save, node(path), activity: "keeping what another program wrote")
    }
    if conflictFolder == nil { return try keep(source, of: path) }
    conflicts.append(path.string)
  }

  /// Whoever was cut short after an exchange may not have looked at what came out of it.
  mutating func keepWhatCameOut(
    _ staged: JournalRecord.Staged, _ operation: JournalRecord.Operation, isPublished: Bool
  ) throws(FilePackageError) {
    guard isRecovery && isBound else { return }
    let names = [staged.name, staged.name.rewritten]
    // What the record does not hold waits there itself until it is published.
    let mayHoldTheirs = isPublished || staged.bytes != nil
    for name in names.map(\.movedAway) + (mayHoldTheirs ? names : []) {
      try keepIfTheirs(name, staged, operation)
    }
  }

  /// (2)
  mutating func keepIfTheirs(
    _ source: FileName, _ staged: JournalRecord.Staged, _ operation: JournalRecord.Operation
  ) throws(FilePackageError) {
    do {
      guard let now = try disk.statusIfPresent(of: source, in: staging.descriptor) else { return }
      if try isOld(operation.old, now, source, in: staging.descriptor) {
        if try isUntouched(operation.old, source) { return }
      } else {
        // Where both names led to one node, as a file system may leave them, nothing came out; and a staged file
        // that a power cut has torn is still ours.
        if isBound && now.identity.inode == staged.node.inode { return }
        if try isContent(staged, now, source, in: staging.descriptor) { return }
        // What was just made is known by its number: anything else is somebody's, also an empty file, which another
        // program may be about to write.
        if isRecovery, try isRemains(staged, now, source, in: staging.descriptor) { return }
      }
    } catch {
      throw FilePackageError(error, .save, node(operation.path), activity: "looking at what was replaced at")
    }
    try keep(source, of: operation.path)
  }

  /// Whether nobody changed anything in a folder, now among the staged files, since the save was made over it.
  func isUntouched(
    _ old: JournalRecord.Known?, _ name: FileName
  ) throws(SystemError) -> Bool {
    guard let old, old.kind == .directory, let content = old.content else { return true }
    return try disk.folderHash(of: name, in: staging.descriptor) == content
  }
}
