package import DurableIO
public import FoundationEssentials
package import SystemPackage

// (1) What a running program uses is no leftover: it holds the writer's lock or shares the session's, and a hidden folder
//     of which this cannot take both is left alone.
// (2) What waits in a journal is no leftover: it is a save that was acknowledged.

extension PackageStore {
  /// Removes what programs that were killed left in the package's hidden folder, and under hidden names beside the
  /// package: parts of saves that were never committed. A save that waits to be published is published first.
  ///
  /// - Returns: what went, by paths from the folder that holds the package.
  /// - Throws: as opening and closing do.
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

  /// Opens the hidden folder as a save does, which removes what is left of others.
  private func takeUp() throws(FilePackageError) {
    let session = try openSession()
    session.hidden.unlock()
  }

  /// What `removeLeftovers(at:)` would remove. Writes nothing.
  static func leftovers(_ location: Location) -> [String] {
    leftoversWithin(location) + beside(location) { siblings, folder in siblings.abandoned(in: folder) }
  }

  private static func beside(
    _ location: Location, _ names: (Siblings, borrowing OwnedDescriptor) -> [FileName]
  ) -> [String] {
    // What cannot be looked at cannot be removed either.
    guard let last = location.path.lastComponent,
      let folder = try? location.disk.openDirectory(at: location.path.folder)
    else { return [] }
    return names(Siblings(of: FileName(last), on: location.disk), folder).map(\.display).sorted()
  }

  private static func leftoversWithin(_ location: Location) -> [String] {
    // A folder that cannot be opened or locked has nothing that could be removed.
    let names = (try? HiddenFolder.leftovers(of: location)) ?? []
    let package = location.path.lastComponent.map { FileName($0).display } ?? ""
    return names.map { "\(package)/\(PackageLayout.hidden.display)/\($0.display)" }.sorted()
  }
}

extension HiddenFolder {
  /// What is in the hidden folder only since a program was killed. (1) (2)
  fileprivate static func leftovers(of location: Location) throws(SystemError) -> [FileName] {
    let disk = location.disk
    let package = try location.openDirectory(.root)
    guard try disk.statusIfPresent(of: PackageLayout.hidden, in: package)?.kind == .directory else {
      return []
    }
    let folder = try disk.openDirectory(PackageLayout.hidden, in: package)
    let listing = try disk.list(folder)
    let names = (0..<listing.count).map { listing.name(at: $0) }.filter { PackageLayout.isOfSession($0) }
    guard !names.isEmpty, try isUnused(folder, on: disk) else { return [] }
    switch try JournalFile.find(in: folder, on: disk, forWriting: false) {
    case .nothing: return names
    case .journal(let journal): return journal.live == nil ? names : []
    case .damaged: return []
    }
  }

  private static func isUnused(
    _ folder: borrowing OwnedDescriptor, on disk: any Disk
  ) throws(SystemError) -> Bool {
    guard try disk.exists(PackageLayout.lock, in: folder) else { return true }
    // The descriptor's end gives the locks up.
    let lockFile = try disk.openFileForWriting(PackageLayout.lock, in: folder)
    guard try disk.lock(byte: Byte.writer, of: lockFile, .exclusive) else { return false }
    return try disk.lock(byte: Byte.session, of: lockFile, .exclusive)
  }
}
