import DurableIO
public import FoundationEssentials
import SystemPackage

extension PackageStore {
  /// Copies children on disk, which another program wrote, into a new conflict version.
  ///
  /// They go into a folder in the hidden folder, under their paths, and are durable on return. Ignores missing
  /// children; an empty path stands for the whole package.
  ///
  /// - Throws: the system's error; nothing is changed then.
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
      // The folder may exist without being durable yet.
      try location.disk.synchronize(session.hidden.folder)
      try location.disk.synchronize(session.hidden.root.descriptor)
    } catch {
      throw FilePackageError(error, .save, node, activity: "keeping what another program wrote")
    }
    try kept.write(
      to: conflictFolder.appending(UUID.new.uuidString), options: [], original: nil, on: location.disk)
  }

  /// Returns the folders of the conflict versions, each with the children under their paths.
  ///
  /// - Throws: the system's error.
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
  /// - Throws: the system's error; the remaining versions stay available.
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
