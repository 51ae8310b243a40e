import DurableIO
package import FileTrees
import PackageFormat
import SystemPackage

/// The files that killed programs left in a package's hidden folder and beside the package.
package struct Leftovers {
  package let location: Location

  package init(location: Location) {
    self.location = location
  }

  /// The paths of all leftovers, from the folder that holds the package.
  var found: [String] { within + beside { folder, disk in NewPlace.abandoned(in: folder, on: disk) } }

  /// Removes the leftovers beside the package, and returns them.
  package func removeBeside() -> [String] { beside { folder, disk in NewPlace.sweep(folder, on: disk) } }

  private func beside(_ names: (borrowing OwnedDescriptor, any Disk) -> [FileName]) -> [String] {
    // A folder that cannot be looked at has no files that could be removed.
    guard let folder = try? location.disk.openDirectory(at: location.path.folder) else { return [] }
    return names(folder, location.disk).map(\.display).sorted()
  }

  /// The leftovers in the hidden folder.
  package var within: [String] {
    // A folder that cannot be opened or locked has no files that could be removed.
    guard let names = try? HiddenFolder.leftovers(of: location) else { return [] }
    let package = location.path.lastComponent.map { FileName($0).display } ?? ""
    let hidden = "\(package)/\(PackageLayout.hidden.display)"
    return names.isEmpty ? [hidden] : names.map { "\(hidden)/\($0.display)" }.sorted()
  }
}

extension HiddenFolder {
  /// Returns the entries of the hidden folder that a killed program left; nil if there is no leftover.
  ///
  /// A running program's files are no leftovers. It holds the writer's lock or shares the session's lock; if this code
  /// cannot take both, it does not touch the hidden folder. A committed save in a log is no leftover: it was
  /// acknowledged. An empty hidden folder is a leftover with no entries: a program was killed right after it made the
  /// folder.
  fileprivate static func leftovers(of location: Location) throws(SystemError) -> [FileName]? {
    let disk = location.disk
    let package = try location.openDirectory(.root)
    guard try disk.statusIfPresent(of: PackageLayout.hidden, in: package)?.kind == .directory else {
      return nil
    }
    let folder = try disk.openDirectory(PackageLayout.hidden, in: package)
    let listing = try disk.list(folder)
    let names = listing.fileNames.filter { PackageLayout.isOfSession($0) || $0 == PackageLayout.log }
    if listing.count == 0 { return [] }
    guard !names.isEmpty, try !isInUse(folder, on: disk) else { return nil }
    switch try SaveLog.find(in: folder, on: disk, forWriting: false) {
    case .nothing: return names
    case .damaged: return nil
    case .log(let log):
      guard log.live == nil else { return nil }
      // In a package with metadata the log stays, with the lock file and an empty staging folder.
      guard log.ledger.hasState else { return names }
      var staying: Set<FileName> = [PackageLayout.log, PackageLayout.lock]
      if names.contains(PackageLayout.staging), try isEmpty(PackageLayout.staging, in: folder, on: disk) {
        staying.insert(PackageLayout.staging)
      }
      let rest = names.filter { !staying.contains($0) }
      return rest.isEmpty ? nil : rest
    }
  }

  private static func isEmpty(
    _ name: FileName, in folder: borrowing OwnedDescriptor, on disk: any Disk
  ) throws(SystemError) -> Bool {
    try disk.list(disk.openDirectory(name, in: folder)).count == 0
  }
}
