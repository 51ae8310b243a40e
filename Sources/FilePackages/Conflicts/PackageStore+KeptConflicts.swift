import DurableIO
public import FoundationEssentials
import SystemPackage

extension PackageStore {
  /// Keeps children as they are on disk, which is what another program wrote, among the conflict versions: a folder in
  /// the hidden folder, with the children under their paths. When it returns, they survive a power cut. Children
  /// that are not there are passed over, an empty path stands for the whole package.
  ///
  /// - Throws: the system's reason; nothing is changed then.
  public func keepConflict(_ paths: [String]) throws(FilePackageError) {
    let kept: FileWrapper
    do {
      let tree = newTree()
      kept = try tree.selection(of: paths.contains("") ? tree.childNames() : paths)
      if try kept.childCount() == 0 { return }
    } catch {
      throw (error as? FilePackageError ?? FilePackageError(.inputOutput, .save, node)).during(.save)
    }
    let session = try openSession()
    defer { endFailedSession() }
    do {
      _ = try location.disk.makeDirectoryIfAbsent(PackageLayout.conflicts, in: session.hidden.folder)
      // It may be there and not on the medium yet.
      try location.disk.synchronize(session.hidden.folder)
      try location.disk.synchronize(session.hidden.root.descriptor)
    } catch {
      throw FilePackageError(error, .save, node, activity: "keeping what another program wrote")
    }
    try kept.write(
      to: conflictFolder.appending(UUID().uuidString), options: [], original: nil, on: location.disk)
  }

  /// The folders in which conflict versions are kept, each with the children under their paths.
  ///
  /// - Throws: the system's reason.
  public func conflictVersions() throws(FilePackageError) -> [URL] {
    do {
      let root = try location.openDirectory(.root)
      guard try location.disk.exists(PackageLayout.hidden, in: root) else { return [] }
      let hidden = try location.disk.openDirectory(PackageLayout.hidden, in: root)
      guard try location.disk.exists(PackageLayout.conflicts, in: hidden) else { return [] }
      let listing = try location.disk.list(
        location.disk.openDirectory(PackageLayout.conflicts, in: hidden))
      return listing.sortedPositions().map { position in
        URL(
          filePath: conflictFolder.appending(listing.name(at: position).string).string,
          directoryHint: .isDirectory)
      }
    } catch {
      throw FilePackageError(error, .read, node, activity: "looking for conflict versions")
    }
  }

  /// Removes all conflict versions.
  ///
  /// - Throws: the system's reason; those that are left are still to be had.
  public func removeConflictVersions() throws(FilePackageError) {
    if try conflictVersions().isEmpty { return }
    let session = try openSession()
    defer { endFailedSession() }
    guard location.disk.removeEverything(PackageLayout.conflicts, from: session.hidden.folder) else {
      throw FilePackageError(.inputOutput, .save, node, reason: "a conflict version could not be removed")
    }
  }

  private var conflictFolder: FilePath {
    location.path.appending(PackageLayout.hidden.string).appending(PackageLayout.conflicts.string)
  }

}
