package import DurableIO
public import FoundationEssentials
package import SystemPackage

extension PackageStore {
  /// Opens a package and calls `body` while no program that uses this library publishes a save of it.
  ///
  /// Everything that `body` reads is of one state. Other programs still commit saves meanwhile, and publish them when
  /// `body` is done. If that takes more than ten seconds, their save returns unpublished, with a report that says so.
  ///
  /// - Throws: as `open(at:)`; `busy` if other programs never leave the package alone for long enough; the errors of
  ///   `body`.
  public static func reading<Result: Sendable>(
    at url: URL, _ body: @Sendable (PackageStore) async throws -> Result
  ) async throws -> Result {
    try await reading(FilePath(of: url, for: .open), on: PosixDisk(), body)
  }

  package static func reading<Result: Sendable>(
    _ path: FilePath, on disk: any Disk, _ body: @Sendable (PackageStore) async throws -> Result
  ) async throws -> Result {
    for _ in 0..<50 {
      let store = try await open(path, on: disk)
      if let lock = try await store.lockForReading() {
        let result = try await body(store)
        withExtendedLifetime(lock) {}
        return result
      }
    }
    throw FilePackageError(.busy, .open, document: FileName(path).string)
  }

  /// Prevents other programs from publishing while the caller holds the returned lock.
  ///
  /// If the file system has no locks, it prevents nothing.
  ///
  /// - Returns: nil if another program published since this store opened the package.
  private func lockForReading() throws(FilePackageError) -> OpenNode? {
    let node = StoredNode(location: location, path: .root)
    do {
      let package = try location.openDirectory(.root)
      _ = try wait.take(.shared, of: package, on: location.disk)
      guard try location.disk.status(of: package).identity.isSameNode(as: baseline.status.identity) else {
        return nil
      }
      let plist = try location.disk.statusIfPresent(of: PackageLayout.metadata, in: package)
      if case .present(_, let known?) = baseline.metadata,
        plist.map({ !$0.isUnchanged(since: known) }) ?? true
      {
        return nil
      }
      // This store's own view of a save that cannot be published is as whole as any.
      if state.waiting == nil && state.damage == nil, case .journal(let journal) = try findJournal(),
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
