import DurableIO
import FileTrees
import FoundationEssentials
import PackageFormat
import SystemPackage

/// The hidden folder of a package as a copy or an archive of the package has it.
enum HiddenFolderCopy {
  /// Returns the hidden folder without the files that only open stores need; nil if it has no others.
  ///
  /// This function first moves the files of versions that a killed program left among the staged ones.
  static func node(at location: Location) throws(FilePackageError) -> PackageSnapshot.Node? {
    guard try listing(at: location) != nil else { return nil }
    try keepStaged(at: location)
    guard let listing = try listing(at: location) else { return nil }
    var node = PackageSnapshot.Node(
      try StoredNode(location: location, path: .root).children([PackageLayout.hidden])[0], kind: .directory)
    var kept = DirectoryListing.Builder()
    for position in 0..<listing.count where !PackageLayout.isOfSession(listing.name(at: position)) {
      kept.append(listing.name(at: position), listing.kind(at: position))
    }
    let left = DirectoryListing(kept)
    node.listing = left
    if let log = try log(at: location) {
      node.content = .directory([
        PackageLayout.log: PackageSnapshot.Change(baseline: .present(nil), now: log)
      ])
    }
    return left.count == 0 ? nil : node
  }

  /// Returns a log with what counts for a copy: no save that waits, and no bytes of earlier files; nil if there is
  /// none that can be read.
  private static func log(at location: Location) throws(FilePackageError) -> PackageSnapshot.Node? {
    do {
      guard case .log(let log) = try SaveLog.find(of: location) else { return nil }
      let package = try location.disk.status(of: location.openDirectory(.root))
      let bytes = try SaveLog.contents(
        SaveLog.ledger(insteadOf: log), after: log.sequence, of: package)
      let wrapper = FileWrapper(regularFileWithContents: Data(bytes))
      wrapper.preferredFilename = PackageLayout.log.string
      return wrapper.snapshot().root
    } catch {
      throw failure(error, location)
    }
  }

  /// Keeps the files of versions that are among the staged ones; writes nothing and locks nothing if there are none.
  private static func keepStaged(at location: Location) throws(FilePackageError) {
    let disk = location.disk
    do {
      guard let folder = try location.openHiddenFolder(), try disk.exists(PackageLayout.staging, in: folder),
        try !disk.stagedNames(in: disk.openDirectory(PackageLayout.staging, in: folder)).isEmpty,
        try SaveLog.find(in: folder, on: disk, forWriting: false).ledger?.policy != nil
      else { return }
      let session = try PackageSession(location, LockWait(), logCapacity: SaveLog.capacity)
      defer { session.hidden.unlock() }
      try session.refresh(PackageMetadata.read(from: location.path, on: disk))
    } catch {
      let node = StoredNode(location: location, path: .root)
      throw FilePackageError(any: error, .read, node, activity: "completing the history of")
    }
  }

  /// Returns whether the hidden folder has more than the files of open stores and the notes of saves, such as versions
  /// or conflicts.
  static func hasHistory(at location: Location) throws(FilePackageError) -> Bool {
    guard let listing = try listing(at: location) else { return false }
    let others = (0..<listing.count).map(listing.name(at:)).contains {
      !PackageLayout.isOfSession($0) && $0 != PackageLayout.log
    }
    if others { return true }
    do {
      return try SaveLog.find(of: location).ledger?.policy != nil
    } catch {
      throw failure(error, location)
    }
  }

  private static func listing(at location: Location) throws(FilePackageError) -> DirectoryListing? {
    do {
      guard let folder = try location.openHiddenFolder() else { return nil }
      return try location.disk.list(folder)
    } catch {
      throw failure(error, location)
    }
  }

  private static func failure(_ error: SystemError, _ location: Location) -> FilePackageError {
    let hidden = StoredNode(location: location, path: PackagePath([PackageLayout.hidden]))
    return FilePackageError(error, .read, hidden, activity: "listing")
  }
}
