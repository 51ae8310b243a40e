package import DurableIO
package import PackageFormat
import Synchronization

/// The files of an open package that its program has read since the last save, each with its status.
///
/// A save takes over the digests of those that another program changed: see `SaveDraft.takeOverReadFiles()`.
package final class ReadFiles: Sendable {
  private let statuses = Mutex<[PackagePath: FileStatus]>([:])

  package var all: [PackagePath: FileStatus] { statuses.withLock { $0 } }

  func note(_ path: PackagePath, _ status: FileStatus) { statuses.withLock { $0[path] = status } }

  /// Forgets a file, unless the program has read it in another state meanwhile.
  package func forget(_ path: PackagePath, _ status: FileStatus) {
    statuses.withLock { if $0[path] == status { $0[path] = nil } }
  }
}

extension FileContents {
  /// Notes that the program has read the whole file.
  func noteRead() {
    guard case .stored(let node) = self, node.location.isPackage, let status = node.status,
      !PackageLayout.isOurs(node.path)
    else { return }
    node.location.readFiles.note(node.path, status)
  }
}
