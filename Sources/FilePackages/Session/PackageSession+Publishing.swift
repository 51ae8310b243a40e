import DurableIO
import SystemPackage

extension PackageSession {
  /// (5) The program that wrote the record may have died before the record, or its journal's name, was durable.
  private func synchronizeRecord() throws(FilePackageError) {
    do {
      try journal?.checkpoint()
      try disk.synchronize(hidden.folder)
      try disk.synchronize(hidden.root.descriptor)
    } catch {
      throw FilePackageError(error, .save, node, activity: "synchronizing its journal")
    }
  }

  func publisher(of record: JournalRecord, isRecovery: Bool) -> Publisher {
    var publisher = Publisher(
      record, root: hidden.root, staging: hidden.staging, at: hidden.location, on: disk,
      isRecovery: isRecovery)
    if !historyIsSynchronized { publisher.versions = versions }
    if let journal { publisher.isBound = journal.header.isBound(to: hidden.packageStatus) }
    return publisher
  }

  /// Publishes the record that waits; `finish()` does the rest.
  func publish(isRecovery: Bool, _ wait: LockWait) throws(FilePackageError) -> Publisher? {
    guard let record = live else { return nil }
    var publisher = publisher(of: record, isRecovery: isRecovery)
    if isRecovery { try synchronizeRecord() }
    try hidden.withoutReaders(wait) { () throws(FilePackageError) in try publisher.publish() }
    published = publisher
    moveSecondNames(of: publisher)
    return publisher
  }

  /// Flushes the rest of a relaxed publishing, marks the record as published, and removes its leftovers.
  ///
  /// If a flush fails, the next call tries again. After any other error the next session finds the record waiting.
  func finish() throws(FilePackageError) {
    if isUnflushed { try published?.flush() }
    guard let publisher = published else { return }
    published = nil
    do {
      try journal?.markApplied()
    } catch {
      throw FilePackageError(error, .save, node, activity: "noting what is published")
    }
    let record = publisher.record
    // (3) Without room for the rows, the manifest belongs to another state and counts for nothing: later saves read the
    //     children instead.
    if let batch = record.batch, (try? note(batch)) == nil { manifest = nil }
    guard keepVersion(of: publisher) else { return }
    // (4) Leftovers that cannot be removed yet go with the session.
    if !record.operations.contains(where: \.leavesFolder) || (try? journal?.checkpoint()) != nil {
      publisher.removeLeftovers()
    }
    prune()
  }

  /// Returns whether nothing of a record is left to do, as far as the session can tell.
  func isCarriedOut(_ record: JournalRecord) -> Bool {
    return (try? publisher(of: record, isRecovery: true).outstanding().isEmpty) ?? false
  }

  func note(_ batch: ManifestBatch) throws(SystemError) {
    let name = PackageLayout.manifest
    let manifest: Manifest
    if let known = self.manifest, known.revision == batch.parent || batch.isWhole {
      manifest = known
      let bytes: [UInt8]
      let end = UInt64(manifest.end)
      bytes = manifest.append(batch)
      let file = try disk.openFileForWriting(name, in: hidden.folder)
      try disk.write(bytes, to: file, at: end)
    } else {
      manifest = Manifest(isComplete: false)
      _ = manifest.append(batch)
      if try disk.exists(name, in: hidden.folder) { try disk.removeFile(name, in: hidden.folder) }
      let file = try disk.createFile(name, in: hidden.folder, mode: 0o666)
      try disk.write(manifest.contents, to: file, at: 0)
    }
    self.manifest = manifest
    manifestIsSynchronized = false
  }

  func synchronizeManifest() throws(SystemError) {
    guard !manifestIsSynchronized, manifest != nil else { return }
    try disk.synchronizeData(disk.openFileForWriting(PackageLayout.manifest, in: hidden.folder))
    manifestIsSynchronized = true
  }
}

extension JournalRecord.Operation {
  /// Whether the operation leaves a folder among the staged files when it is published.
  fileprivate var leavesFolder: Bool {
    guard old?.kind == .directory else { return false }
    return if case .setAttributes = action { false } else { true }
  }
}
