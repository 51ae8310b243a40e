import DurableIO
import FoundationEssentials

extension Manifest {
  /// Loads the manifest of a package in the state `revision`, and adds the batches that only the journal has.
  ///
  /// - Returns: nil if there is no manifest of that state.
  static func load(
    in folder: borrowing OwnedDescriptor, on disk: any Disk, _ batches: [ManifestBatch], for revision: UUID,
    writing: Bool
  ) throws(SystemError) -> Manifest? {
    let name = PackageLayout.manifest
    guard let status = try disk.statusIfPresent(of: name, in: folder), status.kind == .file,
      status.size <= UInt64(maximumSize)
    else { return nil }
    let bytes = try disk.readAll(disk.openFile(name, in: folder), atMost: maximumSize)
    guard let manifest = Manifest(bytes) else { return nil }
    if manifest.revision == revision { return manifest }
    let end = UInt64(manifest.end)
    var missing: [UInt8] = []
    for batch in batches where batch.parent == manifest.revision || batch.isWhole {
      // The journal may have a save that waits, and belongs to a later state.
      if manifest.revision == revision { break }
      missing += manifest.append(batch)
    }
    guard manifest.revision == revision else { return nil }
    if writing { try disk.write(missing, to: disk.openFileForWriting(name, in: folder), at: end) }
    return manifest
  }

  /// Writes the manifest as a new file and replaces the old one.
  func write(to folder: borrowing OwnedDescriptor, on disk: any Disk) throws(SystemError) {
    let name = PackageLayout.newManifest
    if try disk.exists(name, in: folder) { try disk.removeFile(name, in: folder) }
    let file = try disk.createFile(name, in: folder, mode: 0o666)
    try disk.write(contents, to: file, at: 0)
    try disk.synchronize(file)
    try disk.rename(name, in: folder, to: PackageLayout.manifest, in: folder, .replace)
  }
}
