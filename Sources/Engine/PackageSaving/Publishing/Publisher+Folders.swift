import DurableIO
import FileTrees
import PackageFormat
import SystemPackage

// The folders that a record makes, removes, or gives attributes.
extension Publisher {
  /// Makes a folder, unless there is one.
  ///
  /// If another program put a file there, that stays: what belongs in the folder becomes conflict versions.
  mutating func makeFolder(
    _ change: Change, in folder: borrowing OwnedDescriptor
  ) throws(FilePackageError) {
    guard let name = change.path.name, let new = change.new else { return }
    do {
      // The mode must allow filling the folder, whatever mode it gets afterwards.
      try disk.makeDirectory(name, in: folder, mode: new.mode & 0o777 | 0o700)
    } catch  where error.code == .fileExists {
      return
    } catch {
      try refuse(error, change, "making the folder")
    }
  }

  /// Removes a folder if it is empty: what another program put into it keeps it.
  ///
  /// - Returns: whether it is gone.
  mutating func removeFolder(_ change: Change) throws(FilePackageError) -> Bool {
    do {
      guard let name = change.path.name, let parent = try open(change.path.parent) else { return true }
      try disk.removeDirectory(name, in: parent.descriptor)
      return true
    } catch {
      switch error.code {
      case .noSuchFileOrDirectory, .notDirectory: return true
      case .directoryNotEmpty, .fileExists:
        if let kept = refused.first(where: { $0.key.isWithin(change.path) }) {
          refused[change.path] = kept.value
        } else {
          conflicts.insert(change.path.string)
        }
      default: try refuse(error, change, "removing")
      }
      return false
    }
  }

  mutating func setAttributes(_ change: Change) throws(FilePackageError) {
    do {
      guard let new = change.new, let folder = try open(change.path) else { return }
      if change.modeIsExact { try disk.setMode(new.mode, of: folder.descriptor) }
      if change.hasDate { try disk.setModified(new.modified, of: folder.descriptor) }
      try disk.synchronize(folder.descriptor)
    } catch {
      try refuse(error, change, "setting the attributes of the folder")
    }
  }
}
