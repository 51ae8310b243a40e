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
    _ mode: UInt16, _ operation: JournalRecord.Operation, in folder: borrowing OwnedDescriptor
  ) throws(FilePackageError) {
    guard let name = operation.path.name else { return }
    do {
      // The mode must allow filling the folder, whatever mode it gets afterwards.
      try disk.makeDirectory(name, in: folder, mode: mode | 0o700)
    } catch  where error.code == .fileExists {
      return
    } catch {
      try refuse(error, operation, "making the folder")
    }
  }

  /// Removes a folder if it is empty: what another program put into it keeps it.
  ///
  /// - Returns: whether it is gone.
  mutating func removeFolder(
    _ operation: JournalRecord.Operation
  ) throws(FilePackageError) -> Bool {
    do {
      guard let name = operation.path.name, let parent = try open(operation.path.parent) else { return true }
      try disk.removeDirectory(name, in: parent.descriptor)
      return true
    } catch {
      switch error.code {
      case .noSuchFileOrDirectory, .notDirectory: return true
      case .directoryNotEmpty, .fileExists:
        if let kept = refused.first(where: { $0.key.isWithin(operation.path) }) {
          refused[operation.path] = kept.value
        } else {
          conflicts.insert(operation.path.string)
        }
      default: try refuse(error, operation, "removing")
      }
      return false
    }
  }

  mutating func setAttributes(
    _ mode: UInt16?, _ modified: FileTime?, _ operation: JournalRecord.Operation
  ) throws(FilePackageError) {
    do {
      guard let folder = try open(operation.path) else { return }
      if let mode { try disk.setMode(mode, of: folder.descriptor) }
      if let modified { try disk.setModified(modified, of: folder.descriptor) }
      try disk.synchronize(folder.descriptor)
    } catch {
      try refuse(error, operation, "setting the attributes of the folder")
    }
  }
}
