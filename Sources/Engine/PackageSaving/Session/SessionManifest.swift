import DurableIO
import FileTrees
import PackageFormat

/// The manifest, as one session has it open.
struct SessionManifest {
  /// The manifest; nil if there is none for the state on disk.
  private(set) var value: Manifest?
  private var isSynchronized = true
  /// Whether the file has a name that may not be durable yet.
  private var isNew = false

  /// Loads the manifest of a state; with the lock held.
  mutating func load(
    for metadata: PackageMetadata?, in hidden: HiddenFolder, _ batches: [ManifestBatch]
  ) throws(SystemError) {
    guard let metadata else { return value = nil }
    if value?.revision == metadata.revision { return }
    value = try Manifest.load(
      in: hidden.folder, on: hidden.disk, batches, for: metadata.revision, writing: true)
    // The batches may not be durable in the file.
    if !batches.isEmpty { isSynchronized = false }
  }

  /// Adds the rows of a save.
  ///
  /// Without room for them, the manifest belongs to another state and counts for nothing: later saves read the children
  /// instead.
  mutating func note(_ batch: ManifestBatch, in hidden: HiddenFolder) {
    do throws(SystemError) {
      try add(batch, hidden.disk, hidden)
    } catch {
      value = nil
    }
  }

  private mutating func add(
    _ batch: ManifestBatch, _ disk: any Disk, _ hidden: HiddenFolder
  ) throws(SystemError) {
    let name = PackageLayout.manifest
    let manifest: Manifest
    if let known = value, known.revision == batch.parent || batch.isWhole {
      manifest = known
      let end = UInt64(manifest.end)
      let bytes = manifest.append(batch)
      let file = try disk.openOwnFile(name, copiedAs: PackageLayout.newManifest, in: hidden.folder)
      try disk.write(bytes, to: file, at: end)
    } else {
      manifest = Manifest(isComplete: false)
      _ = manifest.append(batch)
      if try disk.exists(name, in: hidden.folder) { try disk.removeFile(name, in: hidden.folder) }
      let file = try disk.createFile(name, in: hidden.folder, mode: 0o666)
      try disk.write(manifest.contents, to: file, at: 0)
      isNew = true
    }
    value = manifest
    isSynchronized = false
  }

  mutating func synchronize(in hidden: HiddenFolder) throws(SystemError) {
    guard !isSynchronized, value != nil else { return }
    try hidden.disk.synchronizeData(hidden.disk.openFileForWriting(PackageLayout.manifest, in: hidden.folder))
    isSynchronized = true
  }

  /// Makes the manifest durable, before the journal goes or starts again.
  ///
  /// - Parameter compacting: whether to write it anew if most of its rows are out of date.
  /// - Returns: whether its name is not durable yet.
  package mutating func end(in hidden: HiddenFolder, compacting: Bool = true) throws(SystemError) -> Bool {
    if compacting, let value, value.isStale {
      let compact = value.compacted()
      try compact.write(to: hidden.folder, on: hidden.disk)
      (self.value, isSynchronized, isNew) = (compact, true, true)
    } else {
      try synchronize(in: hidden)
    }
    defer { isNew = false }
    return isNew
  }

  /// Forgets the manifest: it does not tell the children of the next state.
  package mutating func forget() { value = nil }
}
