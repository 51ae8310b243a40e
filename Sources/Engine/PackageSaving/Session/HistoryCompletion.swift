import DurableIO
package import FileTrees
import FoundationEssentials
package import PackageFormat

/// The completion of a hidden folder that is copied without its journal.
package enum HistoryCompletion {
  /// Adds to the history the versions that a power cut took from it and that the journal has, with their files.
  ///
  /// Writes nothing and locks nothing if none is missing.
  ///
  /// - Throws: `busy`; the system's error.
  package static func run(at location: Location) throws(FilePackageError) {
    do {
      guard try isDue(at: location) else { return }
      var step = HiddenFolder.OpeningStep.openPackage
      let session = try PackageSession.open(
        location, LockWait(), journalCapacity: JournalFile.capacity, &step)
      defer { session.hidden.unlock() }
      try session.refresh(PackageMetadata.read(from: location.path, on: location.disk))
    } catch {
      let node = StoredNode(location: location, path: .root)
      throw FilePackageError(any: error, .read, node, activity: "completing the history of")
    }
  }

  private static func isDue(at location: Location) throws(SystemError) -> Bool {
    let disk = location.disk
    guard let folder = try location.openHiddenFolder(),
      case .journal(let journal) = try JournalFile.find(in: folder, on: disk, forWriting: false)
    else { return false }
    let versions = journal.keeping.filter { $0.sequence != journal.live?.sequence }.compactMap(\.version)
    if versions.isEmpty { return false }
    let file = try HistoryFile.load(in: folder, on: disk, besides: Set(versions.map(\.next)))
    if file?.missing(versions, before: nil).isEmpty != true { return true }
    guard try disk.exists(PackageLayout.staging, in: folder) else { return false }
    return try !disk.stagedNames(in: disk.openDirectory(PackageLayout.staging, in: folder)).isEmpty
  }
}
