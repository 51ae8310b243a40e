import DurableIO
import FoundationEssentials

// What another program wrote meanwhile, and what was to be put there.
extension Publisher {
  /// What was to be put somewhere stays as a conflict version, since something else stands there by now.
  mutating func keepOurs(_ operation: JournalRecord.Operation) throws(FilePackageError) {
    guard case .put(let staged) = operation.action else { return }
    let isLost: Bool
    do {
      let status = try disk.statusIfPresent(of: staged.name, in: staging.descriptor)
      isLost = if case .no = try readiness(staged, status) { true } else { false }
    } catch {
      throw FilePackageError(error, .save, node(operation.path), activity: "looking at")
    }
    // A staged file is lost only once it was published.
    if isLost { return }
    try keep(try prepare(staged, at: operation.path), of: operation.path)
  }

  /// Moves a staged node to the conflict versions, under the path that it has or had in the package.
  mutating func keep(_ source: FileName, of path: PackagePath) throws(FilePackageError) {
    let top = conflictFolder ?? PackagePath([PackageLayout.conflicts, FileName(UUID().uuidString)])
    conflictFolder = top
    do {
      guard let name = path.name else { return }
      var folder = root
      for name in [PackageLayout.hidden] + top.names + path.parent.names {
        _ = try disk.makeDirectoryIfAbsent(name, in: folder.descriptor)
        keptFolders.append(folder)
        folder = OpenNode(try disk.openDirectory(name, in: folder.descriptor))
      }
      keptFolders.append(folder)
      try disk.rename(source, in: staging.descriptor, to: name, in: folder.descriptor, .replace)
    } catch {
      throw FilePackageError(
        error, .save, node(path), activity: "keeping what another program wrote")
    }
    conflicts.append(path.string)
  }
}
