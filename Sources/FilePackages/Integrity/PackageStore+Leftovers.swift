package import DurableIO
public import FoundationEssentials
package import SystemPackage

// (1) A running program's files are no leftovers. It holds the writer's lock or shares the session's lock; if this code
//     cannot take both, it does not touch the hidden folder.
// (2) A committed save in a journal is no leftover: it was acknowledged.
// (3) An empty hidden folder is a leftover: a program was killed right after it made the folder.

extension PackageStore {
  /// Removes the leftovers in the package's hidden folder and beside the package: parts of saves that were never
  /// committed.
  ///
  /// Publishes a committed save that waits first.
  ///
  /// - Returns: the removed files, by paths from the folder that holds the package.
  /// - Throws: the errors of opening and closing a store.
  @discardableResult
  public static func removeLeftovers(at url: URL) async throws(FilePackageError) -> [String] {
    try await removeLeftovers(FilePath(of: url, for: .open), on: PosixDisk())
  }

  package static func removeLeftovers(
    _ path: FilePath, on disk: any Disk
  ) async throws(FilePackageError) -> [String] {
    let location = try find(path, on: disk).location
    let within = leftoversWithin(location)
    if !within.isEmpty {
      let store = try await open(path, on: disk)
      try await store.takeUp()
      try await store.close()
    }
    let beside = Self.beside(location) { siblings, folder in siblings.sweep(folder) }
    return within + beside
  }

  /// Opens the hidden folder as a save does, which removes the leftovers of other programs.
  private func takeUp() throws(FilePackageError) {
    let session = try openSession()
    session.hidden.unlock()
  }

  /// Returns the files that `removeLeftovers(at:)` would remove.
  ///
  /// Writes nothing.
  static func leftovers(_ location: Location) -> [String] {
    leftoversWithin(location) + beside(location) { siblings, folder in siblings.abandoned(in: folder) }
  }

  private static func beside(
    _ location: Location, _ names: (HiddenSiblings, borrowing OwnedDescriptor) -> [FileName]
  ) -> [String] {
    // A folder that cannot be looked at has no files that could be removed.
    guard let last = location.path.lastComponent,
      let folder = try? location.disk.openDirectory(at: location.path.folder)
    else { return [] }
    return names(HiddenSiblings(of: FileName(last), on: location.disk), folder).map(\.display).sorted()
  }

  private static func leftoversWithin(_ location: Location) -> [String] {
    // A folder that cannot be opened or locked has no files that could be removed.
    guard let names = try? HiddenFolder.leftovers(of: location) else { return [] }
    let package = location.path.lastComponent.map { FileName($0).display } ?? ""
    let hidden = "\(package)/\(PackageLayout.hidden.display)"
    return names.isEmpty ? [hidden] : names.map { "\(hidden)/\($0.display)" }.sorted()
  }
}

extension HiddenFolder {
  /// Returns the entries of the hidden folder that a killed program left. (1) (2)
  ///
  /// None if the empty folder itself is the leftover (3); nil if there is no leftover.
  fileprivate static func leftovers(of location: Location) throws(SystemError) -> [FileName]? {
    let disk = location.disk
    let package = try location.openDirectory(.root)
    guard try disk.statusIfPresent(of: PackageLayout.hidden, in: package)?.kind == .directory else {
      return nil
    }
    let folder = try disk.openDirectory(PackageLayout.hidden, in: package)
    let listing = try disk.list(folder)
    let names = (0..<listing.count).map { listing.name(at: $0) }.filter { PackageLayout.isOfSession($0) }
    if listing.count == 0 { return [] }
    guard !names.isEmpty, try isUnused(folder, on: disk) else { return nil }
    switch try JournalFile.find(in: folder, on: disk, forWriting: false) {
    case .nothing: return names
    case .journal(let journal): return journal.live == nil ? names : nil
    case .damaged: return nil
    }
  }

  private static func isUnused(
    _ folder: borrowing OwnedDescriptor, on disk: any Disk
  ) throws(SystemError) -> Bool {
    guard try disk.exists(PackageLayout.lock, in: folder) else { return true }
    // The end of the descriptor releases the locks.
    let lockFile = try disk.openFileForWriting(PackageLayout.lock, in: folder)
    guard try disk.lock(byte: Byte.writer, of: lockFile, .exclusive) else { return false }
    return try disk.lock(byte: Byte.session, of: lockFile, .exclusive)
  }
}
