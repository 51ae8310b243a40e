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
  var journal: JournalFile?
  var manifest: Manifest?
  /// Counts the saves, for the names of staged files.
  private var number = 0
  private let token = UInt32.random(in: .min ... .max)
  /// Whether taking it up removed what an earlier save had left: second names of files, perhaps.
  private(set) var removedLeftovers = false
  var manifestIsSynchronized = true
  private var isAbandoned = false
  /// What is published and has to be noted, or flushed and noted. (6)
  var published: Publisher?
  /// What was removed from the package and somebody held then.
  var removed: [Removed] = []

  /// Of it what a version has, too.
  var heldInVersions: [Removed] = []
  /// Where the history ends; nil where none is kept.
  var history: HistoryEnd?
  /// The folder for what only versions have, once it was needed.
  var versions: OpenNode?
  var historyIsSynchronized = true
  /// Whether the entries of the two in the hidden folder still have to be synchronised.
  var historyIsNew = false
  /// Whether the history has every version that the journal has.
  var versionsAreKept = true
  /// Whether something was renamed for a version: a second name of a file, perhaps.
  var movedReplaced = false
  /// Whether there is a history that cannot be read.
  var hasDamagedHistory = false

  let journalCapacity: Int

  private init(_ hidden: HiddenFolder, journalCapacity: Int) {
    self.hidden = hidden
    self.journalCapacity = journalCapacity
    disk = hidden.disk
  }

  deinit {
    // A store that was not closed: what is needed only while it is open goes, where nothing waits in it. Another one
    // that is being closed is waited for: it leaves everything to this one, as long as this one is there. Whatever
    // comes in between, the next session does it.
    try? end(LockWait(limit: 100))
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
        try loadHistory()
      } else {
        journal = nil
        // Whoever was there has done what was left of it.
        published = nil
        switch try JournalFile.find(in: hidden.folder, on: disk, forWriting: true) {
        case .nothing: break
        case .journal(let found): journal = found
        case .damaged(let reason): throw damage(reason)
        }
        try loadHistory()
        // Without room for it, it waits, and so does what it needs.
        movedReplaced = false
        let isKept = (try? keepVersions()) != nil
        removedLeftovers = movedReplaced
        if journal?.live == nil && isKept, try hidden.removeStaged() { removedLeftovers = true }
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

  // MARK: Ending

  /// Puts on the medium what is published and that it is, so that after a power cut nothing has to be compared; with
  /// the lock held.
  func checkpoint() throws {
    guard let journal, try journal.isCurrent(in: hidden.folder) else { return }
    try finish()
    guard journal.live == nil else { return }
    try synchronizeManifest()
    try synchronizeHistory()
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
    case .journal(let found):
      if found.live != nil { return }
      guard try isKept(of: found) else { return }
    case .damaged: return
    }
    try synchronizeHistory()
    if let manifest, manifest.isStale {
      try manifest.compacted().write(to: hidden.folder, on: disk)
    } else {
      try synchronizeManifest()
    }
    prune(all: true)
    try hidden.removeTraces()
    journal = nil
    // What stands there from now on may be another's.
    isAbandoned = true
  }

  /// Whether the history has what a journal has that is about to go.
  private func isKept(of found: JournalFile) throws(SystemError) -> Bool {
    if found.keeping.isEmpty { return true }
    if versionsAreKept, let journal, try journal.isCurrent(in: hidden.folder) { return true }
    journal = found
    try loadHistory()
    return (try? keepVersions()) != nil
  }

  /// Forgets everything: the package's directory was replaced, and what was open in it is gone.
  func abandon() {
    isAbandoned = true
    hidden.unlock()
  }

  var node: StoredNode { StoredNode(location: hidden.location, path: .root) }

  private func damage(_ reason: String) -> FilePackageError {
    FilePackageError(.journalDamaged, .save, node, reason: "its journal is damaged: \(reason)")
  }
}
