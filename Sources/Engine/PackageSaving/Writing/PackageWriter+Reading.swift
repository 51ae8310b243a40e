import DurableIO
package import FileTrees
package import PackageFormat
import SystemPackage

extension PackageWriter {
  /// Prevents other programs from publishing while the caller holds the returned lock.
  ///
  /// If the file system has no locks, it prevents nothing.
  ///
  /// - Returns: nil if another program published since this writer opened the package.
  package func lockForReading() throws(FilePackageError) -> OpenNode? {
    do {
      let package = try location.openDirectory(.root)
      _ = try wait.take(.shared, of: package, on: location.disk)
      guard try location.disk.status(of: package).identity.isSameNode(as: baseline.status.identity)
      else {
        return nil
      }
      let plist = try location.disk.statusIfPresent(of: PackageLayout.metadata, in: package)
      if case .present(_, let known?) = baseline.metadata,
        plist.map({ !$0.isUnchanged(since: known) }) ?? true
      {
        return nil
      }
      // This writer's own view of a save that cannot be published is as whole as any.
      if state.waiting == nil && state.damage == nil,
        case .journal(let journal) = try JournalFile.find(of: location),
        journal.live != nil
      {
        return nil
      }
      return OpenNode(package)
    } catch {
      if error.code == .wouldBlock { throw FilePackageError(.busy, .open, node) }
      throw FilePackageError(error, .open, node)
    }
  }
}
