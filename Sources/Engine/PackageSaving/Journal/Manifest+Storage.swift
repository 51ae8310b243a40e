import DurableIO
import FileTrees
package import FoundationEssentials
package import PackageFormat

extension Manifest {
  /// Loads the manifest of a package in the state `revision`, and adds the batches that only the journal has.
  ///
  /// If a power cut has left no manifest of an earlier state, the batches alone make one.
  ///
  /// - Returns: nil if there is no manifest of that state.
  static func load(
    in folder: borrowing OwnedDescriptor, on disk: any Disk, _ batches: [ManifestBatch], for revision: UUID,
    writing: Bool
  ) throws(SystemError) -> Manifest? {
    let name = PackageLayout.manifest
    guard let manifest = try stored(in: folder, on: disk) else {
      let manifest = Manifest(of: batches, for: revision)
      if writing, let manifest { try manifest.write(to: folder, on: disk) }
      return manifest
    }
    if manifest.revision == revision { return manifest }
    let end = UInt64(manifest.end)
    var missing: [UInt8] = []
    for batch in batches where batch.parent == manifest.revision || batch.isWhole {
      // The journal may have a save that waits, and belongs to a later state.
      if manifest.revision == revision { break }
      missing += manifest.append(batch)
    }
    guard manifest.revision == revision else { return nil }
    if writing {
      let file = try disk.openOwnFile(name, copiedAs: PackageLayout.newManifest, in: folder)
      try disk.write(missing, to: file, at: end)
    }
    return manifest
  }

  private static func stored(
    in folder: borrowing OwnedDescriptor, on disk: any Disk
  ) throws(SystemError) -> Manifest? {
    let name = PackageLayout.manifest
    guard let status = try disk.statusIfPresent(of: name, in: folder), status.kind == .file,
      status.size <= UInt64(maximumSize)
    else { return nil }
    return Manifest(try disk.readAll(disk.openFile(name, in: folder), atMost: maximumSize))
  }

  /// Makes a manifest of a journal's batches; nil if they do not lead to that state.
  package convenience init?(of batches: [ManifestBatch], for revision: UUID) {
    guard let last = batches.lastIndex(where: { $0.revision == revision }) else { return nil }
    var first = last
    while first > 0, !batches[first].isWhole, batches[first - 1].revision == batches[first].parent {
      first -= 1
    }
    self.init(isComplete: false)
    for batch in batches[first...last] { _ = append(batch) }
  }

  /// Writes the manifest as a new file and replaces the old one.
  func write(to folder: borrowing OwnedDescriptor, on disk: any Disk) throws(SystemError) {
    _ = try disk.replace(PackageLayout.manifest, by: PackageLayout.newManifest, in: folder) {
      file throws(SystemError) in try disk.write(contents, to: file, at: 0)
    }
  }
}
