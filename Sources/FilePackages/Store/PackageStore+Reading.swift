package import DurableIO
public import FoundationEssentials
package import SystemPackage

extension PackageStore {
  /// Opens a package and calls `body` while no program that uses this library publishes a save of it: whatever
  /// is read in `body` is of one state.
  ///
  /// Saves of others go on being committed; they are published once `body` is done, or not yet, with a report
  /// that says so, if that takes more than ten seconds.
  ///
  /// - Throws: as `open(at:)`; `busy` when others never leave the package alone for long enough; what `body`
  ///   throws.
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

  /// Keeps others from publishing; nil when somebody did since the package was opened. The lock ends with what is
  /// returned. Where the file system has no locks, nobody is kept away.
  private func lockForReading() throws(FilePackageError) -> OpenNode? {
    let node = StoredNode(location: location, path: .root)
    do {
      let package = try location.openDirectory(.root)
      _ = try wait.take(.shared, of: package, on: location.disk)
      guard try location.disk.status(of: package).identity.isSameNode(as: status.identity) else { return nil }
      let plist = try location.disk.statusIfPresent(of: PackageLayout.metadata, in: package)
      if case .present(_, let known?) = metadataState, plist.map({ !$0.isUnchanged(since: known) }) ?? true {
        return nil
      }
      // Our own view of a save that cannot be published is as whole as any.
      if pending == nil && damage == nil, case .journal(let journal) = try findJournal(), journal.live != nil
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
