import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage

extension FilePath {
  /// The URL of a document or a folder.
  func url(isDirectory: Bool) -> URL {
    URL(filePath: FileName(self).string, directoryHint: isDirectory ? .isDirectory : .notDirectory)
  }

  private func node(on disk: any Disk) -> StoredNode {
    StoredNode(location: Location(self, on: disk), path: .root)
  }

  /// Makes the error of a call about a document or a folder.
  func error(
    _ error: SystemError, _ operation: FilePackageError.Operation, _ activity: String? = nil
  ) -> FilePackageError {
    FilePackageError(error, operation, node(on: PosixDisk()), activity: activity)
  }

  /// Makes calls about a document or a folder; their errors then name it, the operation and the activity.
  func attempt<Result: ~Copyable>(
    _ operation: FilePackageError.Operation, _ activity: String? = nil, on disk: any Disk = PosixDisk(),
    _ body: () throws -> Result
  ) throws(FilePackageError) -> Result {
    try node(on: disk).attempt(operation, activity, body)
  }
}
