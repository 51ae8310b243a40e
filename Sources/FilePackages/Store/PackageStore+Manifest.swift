import DurableIO

extension PackageStore {
  /// Reads the manifest without writing anything.
  func loadManifest(for metadata: PackageMetadata) throws(FilePackageError) -> Manifest? {
    do {
      let package = try location.openDirectory(.root)
      guard try location.disk.exists(PackageLayout.hidden, in: package) else { return nil }
      let folder = try location.disk.openDirectory(PackageLayout.hidden, in: package)
      var batches: [ManifestBatch] = []
      if case .journal(let journal) = try findJournal() { batches = journal.batches }
      return try Manifest.load(
        in: folder, on: location.disk, batches, for: metadata.revision, writing: false)
    } catch {
      throw FilePackageError(
        error, .verify, StoredNode(location: location, path: .root), activity: "reading its manifest")
    }
  }
}
