import DurableIO
import FileTrees
import PackageFormat
import SystemPackage

/// The hidden folder of a package as a copy or an archive of the package has it.
enum HiddenFolderCopy {
  /// Returns the hidden folder without the files that only open stores need; nil if it has no others.
  ///
  /// The journal stays behind. So this function first adds to the history the versions that only the journal has.
  static func node(at location: Location) throws(FilePackageError) -> PackageSnapshot.Node? {
    guard try listing(at: location) != nil else { return nil }
    try HistoryCompletion.run(at: location)
    guard let listing = try listing(at: location) else { return nil }
    var node = PackageSnapshot.Node(
      try StoredNode(location: location, path: .root).children([PackageLayout.hidden])[0], kind: .directory)
    var kept = DirectoryListing.Builder()
    for position in 0..<listing.count where !PackageLayout.isOfSession(listing.name(at: position)) {
      kept.append(listing.name(at: position), listing.kind(at: position))
    }
    let left = DirectoryListing(kept)
    node.listing = left
    return left.count == 0 ? nil : node
  }

  /// Returns whether the hidden folder has more than the files of open stores and the manifest, such as versions or
  /// conflicts.
  static func hasHistory(at location: Location) throws(FilePackageError) -> Bool {
    guard let listing = try listing(at: location) else { return false }
    let passing: Set<FileName> = [
      PackageLayout.manifest, PackageLayout.newManifest, PackageLayout.newHistory,
    ]
    return (0..<listing.count).map(listing.name(at:)).contains {
      !PackageLayout.isOfSession($0) && !passing.contains($0)
    }
  }

  private static func listing(at location: Location) throws(FilePackageError) -> DirectoryListing? {
    do {
      guard let folder = try location.openHiddenFolder() else { return nil }
      return try location.disk.list(folder)
    } catch {
      let hidden = StoredNode(location: location, path: PackagePath([PackageLayout.hidden]))
      throw FilePackageError(error, .read, hidden, activity: "listing")
    }
  }
}
