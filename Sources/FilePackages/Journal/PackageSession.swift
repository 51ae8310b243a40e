import DurableIO
import FoundationEssentials
import SystemPackage

// (1) While a record in the journal waits to be published, only one that takes its place is written.
// (2) A journal whose medium failed is given up: its name goes, lastingly, before the save is said to have failed
//     or is committed to another journal.
// (3) The manifest is brought up to date after the names; until it is on the medium, the journal has its rows.
// (4) A folder that went is taken apart only after the mark that it went is on the medium: a recovery that finds a
//     part of it would take that for somebody's edit.
// (5) A record that is found is put on the medium, and so is its journal's name, before the first name is changed.
// (6) What is published is noted, and what a relaxed record left in memory is flushed, before anything else is
//     committed. Whoever finds that missing does it again.

/// What a store keeps open from its first save until it is closed: the hidden folder with the journal and the
/// manifest.
final class PackageSession {
  let hidden: HiddenFolder
  let disk: any Disk
  private(set) var journal: JournalFile?
  private(set) var manifest: Manifest?
  /// Counts the saves, for the names of staged files.
  private var number = 0
  private let token = UInt32.random(in: .min ... .max)
  /// Whether taking it up removed what an earlier save had left: second names of files, perhaps.
  private(set) var removedLeftovers = false
  private var manifestIsSynchronized = true
  private var isAbandoned = false
  /// What is published and has to be noted, or flushed and noted. (6)
  private var published: Publisher?

  private let journalCapacity: Int

  private init(_ hidden: HiddenFolder, journalCapacity: Int) {
    self.hidden = hidden
    self.journalCapacity = journalCapacity
    disk = hidden.disk
  }

  deinit {
    // A store that was not closed: what is needed only while it is open goes, where nothing waits in it and
    // nobody else is at work. The next session does it otherwise.
    try? end(LockWait(limit: 0))
  }

  /// Opens the hidden folder and takes the writer's lock.
  static func open(
    _ location: Location, on disk: any Disk, _ wait: LockWait, journalCapacity: Int
  ) throws(SystemError) -> PackageSession {
    PackageSession(try HiddenFolder.open(location, on: disk, wait), journalCapacity: journalCapacity)
  }

  // MARK: Finding what is there

  /// Takes note of what others have written since this session last looked; with the lock held.
  func refresh(_ metadata: PackageMetadata?) throws(FilePackageError) {
    removedLeftovers = false
    do {
      if let journal, try journal.isCurrent(in: hidden.folder) {
        // Nobody else was there. The manifest is looked at only when it has all that is published.
        try finish()
      } else {
        journal = nil
        // Whoever was there has done what was left of it.
        published = nil
        switch try JournalFile.find(in: hidden.folder, on: disk, forWriting: true) {
        case .nothing: break
        case .journal(let found): journal = found
        case .damaged(let reason): throw damage(reason)
        }
        if journal?.live == nil { removedLeftovers = try hidden.removeStaged() }
      }
      try loadManifest(metadata)
    } catch let error as SystemError {
      throw FilePackageError(error, .save, node, activity: "looking at its journal")
    } catch {
      throw error as? FilePackageError ?? FilePackageError(.inputOutput, .save, node)
    }
  }

  private func loadManifest(_ metadata: PackageMetadata?) throws(SystemError) {
    guard let metadata else { return manifest = nil }
    if manifest?.revision == metadata.revision { return }
    manifest = try Manifest.load(
      in: hidden.folder, on: disk, journal?.batches ?? [], for: metadata.revision, writing: true)
  }

  /// The record that waits to be published or noted, written by whoever.
  var live: JournalRecord? { journal?.live }

  /// Whether the record that waits may be replaced by one that is made over the same state: nothing on disk is on its
  /// way for it.
  var canSupersede: Bool {
    guard let live, published == nil else { return false }
    return hidden.isLocked && !live.operations.contains(where: \.needsStaged)
  }

  /// Whether a record of this session is published, and that is not noted yet.
  var isUnfinished: Bool { published != nil }

  /// Whether that waits for a flush, too.
  var isUnflushed: Bool { published?.isStrict == false }

  /// From here on staged files have other names than those of earlier saves, which may not have gone.
  func beginSave() { number += 1 }

  /// A name for a staged file that no other save has.
  func stagedName(_ index: Int) -> FileName {
    FileName("\(String(token, radix: 16))-\(number)-\(index)")
  }

  // MARK: Committing

  /// Makes what a record holds before it is committed, and flushes it.
  ///
  /// - Throws: what the file system refuses; nothing is left of it then.
  func stage(_ record: inout JournalRecord) throws(FilePackageError) {
    var strict = record
    strict.isRelaxed = false
    var publisher = publisher(of: strict, isRecovery: false)
    try publisher.makeStaged()
    record.operations = publisher.record.operations
  }

  /// Commits a record: when it returns, the save survives a power cut.
  func commit(_ record: inout JournalRecord) throws(FilePackageError) {
    do {
      if record.operations.contains(where: \.needsStaged) {
        try disk.synchronize(hidden.staging.descriptor)
        // A journal whose name lasts while that of the staged files' folder does not would be damaged.
        if journal == nil { try disk.synchronize(hidden.folder) }
      }
      if let journal {
        if journal.mustRestart(for: record, capacity: journalCapacity) {
          try synchronizeManifest()
          try journal.restart()
        }
        let before = journal.live
        do {
          return try journal.commit(&record, capacity: journalCapacity)
        } catch {
          if let before { try publishBeforeGivingUp(before, error) }
          try giveUpJournal(error)
          // It was made over the state before the one that stands there now.
          if before != nil { throw error }
        }
      }
      try makeJournal(&record)
    } catch {
      if let failure = error as? FilePackageError { throw failure }
      if let failure = error as? SystemError {
        throw FilePackageError(failure, .save, node, activity: "writing the journal")
      }
      throw FilePackageError(.inputOutput, .save, node)
    }
  }

  /// Brings what was acknowledged to its names before the journal that has it goes.
  private func publishBeforeGivingUp(_ record: JournalRecord, _ first: SystemError) throws(FilePackageError) {
    do throws(FilePackageError) {
      var publisher = publisher(of: record, isRecovery: true)
      try hidden.withoutReaders(LockWait()) { () throws(FilePackageError) in try publisher.publish() }
      if let batch = record.batch, (try? note(batch)) == nil { manifest = nil }
      publisher.removeLeftovers()
    } catch {
      // Which of the two is in it is looked at once the disk answers.
      journal = nil
      throw FilePackageError(
        .indeterminate, .save, node, activity: "writing the journal",
        reason: "\(first.reason), and then \(error.reason ?? error.code.words)")
    }
  }

  private func makeJournal(_ record: inout JournalRecord) throws {
    do {
      let made = try JournalFile.make(&record, in: hidden.folder, of: hidden.packageStatus, on: disk)
      journal = made
      try disk.synchronize(hidden.folder)
      if hidden.isNew { try disk.synchronize(hidden.root.descriptor) }
      hidden.isNew = false
    } catch {
      try giveUpJournal(error)
      throw error
    }
  }

  /// (2)
  private func giveUpJournal(_ first: any Error) throws(FilePackageError) {
    journal = nil
    let reason = (first as? SystemError)?.reason ?? "\(first)"
    do {
      if try disk.exists(PackageLayout.journal, in: hidden.folder) {
        try disk.removeFile(PackageLayout.journal, in: hidden.folder)
      }
      try disk.synchronize(hidden.folder)
    } catch {
      throw FilePackageError(
        .indeterminate, .save, node, activity: "writing the journal",
        reason: "\(reason), and then \(error.reason)")
    }
  }

  // MARK: Publishing

  /// (5) Whoever wrote the record may have died before it was on the medium, or its journal's name.
  private func synchronizeRecord() throws(FilePackageError) {
    do {
      try journal?.checkpoint()
      try disk.synchronize(hidden.folder)
      try disk.synchronize(hidden.root.descriptor)
    } catch {
      throw FilePackageError(error, .save, node, activity: "synchronizing its journal")
    }
  }

  private func publisher(of record: JournalRecord, isRecovery: Bool) -> Publisher {
    var publisher = Publisher(
      record, root: hidden.root, staging: hidden.staging, at: hidden.location, on: disk,
      isRecovery: isRecovery)
    if let journal { publisher.isBound = journal.header.isBound(to: hidden.packageStatus) }
    return publisher
  }

  /// Publishes the record that waits; what is then left to be done for it, `finish()` does.
  func publish(isRecovery: Bool, _ wait: LockWait) throws(FilePackageError) -> Publisher? {
    guard let record = live else { return nil }
    var publisher = publisher(of: record, isRecovery: isRecovery)
    if isRecovery { try synchronizeRecord() }
    try hidden.withoutReaders(wait) { () throws(FilePackageError) in try publisher.publish() }
    published = publisher
    return publisher
  }

  /// Flushes what a relaxed publishing left in memory, notes that the record is published, and removes what it leaves.
  /// After an error it is found again as any record that waits is.
  func finish() throws(FilePackageError) {
    guard var publisher = published else { return }
    published = nil
    if !publisher.isStrict { try publisher.flush() }
    do {
      try journal?.markApplied()
    } catch {
      throw FilePackageError(error, .save, node, activity: "noting what is published")
    }
    let record = publisher.record
    // (3) Without room for its rows the manifest is one of another state, which nobody uses: what it would have
    // told is read from the children.
    if let batch = record.batch, (try? note(batch)) == nil { manifest = nil }
    // (4) What cannot be removed yet goes with the session.
    if !record.operations.contains(where: \.leavesFolder) || (try? journal?.checkpoint()) != nil {
      publisher.removeLeftovers()
    }
  }

  /// Whether nothing of a record is left to be done, as far as can be told.
  func isCarriedOut(_ record: JournalRecord) -> Bool {
    return (try? publisher(of: record, isRecovery: true).outstanding().isEmpty) ?? false
  }

  private func note(_ batch: ManifestBatch) throws(SystemError) {
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

  private func synchronizeManifest() throws(SystemError) {
    guard !manifestIsSynchronized, manifest != nil else { return }
    try disk.synchronizeData(disk.openFileForWriting(PackageLayout.manifest, in: hidden.folder))
    manifestIsSynchronized = true
  }

  // MARK: Ending

  /// Puts on the medium what is published and that it is, so that after a power cut nothing has to be compared; with
  /// the lock held.
  func checkpoint() throws {
    guard let journal, try journal.isCurrent(in: hidden.folder) else { return }
    try finish()
    guard journal.live == nil else { return }
    try synchronizeManifest()
    try journal.checkpoint()
  }

  /// Ends the session: what is needed only while a store is open goes. Does nothing while a record waits.
  func end(_ wait: LockWait = LockWait()) throws(SystemError) {
    guard !isAbandoned else { return }
    if isUnfinished, (try? hidden.lock(wait)) != nil, try journal?.isCurrent(in: hidden.folder) == true {
      try? finish()
    }
    guard journal?.live == nil else { return hidden.unlock() }
    try hidden.lock(wait)
    defer { hidden.unlock() }
    // Others may have gone on with it, and a damaged one is left to be looked at.
    switch try JournalFile.find(in: hidden.folder, on: disk, forWriting: false) {
    case .nothing: break
    case .journal(let found): if found.live != nil { return }
    case .damaged: return
    }
    if let manifest, manifest.isStale {
      try manifest.compacted().write(to: hidden.folder, on: disk)
    } else {
      try synchronizeManifest()
    }
    _ = try hidden.removeTraces()
    journal = nil
  }

  /// Forgets everything: the package's directory was replaced, and what was open in it is gone.
  func abandon() {
    isAbandoned = true
    hidden.unlock()
  }

  private var node: StoredNode { StoredNode(location: hidden.location, path: .root) }

  private func damage(_ reason: String) -> FilePackageError {
    FilePackageError(.journalDamaged, .save, node, reason: "its journal is damaged: \(reason)")
  }
}

extension JournalRecord.Operation {
  /// Whether a folder is among the staged files once it is published.
  fileprivate var leavesFolder: Bool {
    guard old?.kind == .directory else { return false }
    return if case .setAttributes = action { false } else { true }
  }

  /// Whether the record relies on a node among the staged ones.
  fileprivate var needsStaged: Bool {
    if case .put(let staged) = action { staged.bytes == nil } else { false }
  }
}

extension Manifest {
  /// The manifest of a package in the state `revision`, brought up to date with what only the journal has; nil
  /// where there is none that is about that state.
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
      missing += manifest.append(batch)
    }
    guard manifest.revision == revision else { return nil }
    if writing { try disk.write(missing, to: disk.openFileForWriting(name, in: folder), at: end) }
    return manifest
  }

  /// Writes it as a new file in the place of the old one.
  func write(to folder: borrowing OwnedDescriptor, on disk: any Disk) throws(SystemError) {
    let name: FileName = "manifest.new"
    if try disk.exists(name, in: folder) { try disk.removeFile(name, in: folder) }
    let file = try disk.createFile(name, in: folder, mode: 0o666)
    try disk.write(contents, to: file, at: 0)
    try disk.synchronize(file)
    try disk.rename(name, in: folder, to: PackageLayout.manifest, in: folder, .replace)
  }
}
