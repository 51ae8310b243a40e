package import DurableIO
package import FileTrees
import FoundationEssentials
import PackageFormat
import SystemPackage

// S1 While a record in the log waits to be published, the session writes only one without the changes that the file
//    system refuses, which supersedes it.
// S2 If a sync of the log fails, the session gives it up for a new one with the record. Only if no new one can be
//    made, and the record is durably erased, does the save fail.
// S3 The session syncs a record that it found, and its log's name, before it changes the first name.
// S4 Before the next commit the session marks the last record as published. If that is missing, the next session
//    publishes it again.
// S5 A node that a save took out of the package stays while the session lasts and the program holds its wrapper. The
//    program can read it and put it back, which then costs no copying. The next session removes it.

/// The state that a store holds from its first save to its close: the hidden folder with the log.
package final class PackageSession {
  let hidden: HiddenFolder
  let disk: CountingDisk
  var log: SaveLog?
  /// The children of the state on disk, as saves noted them; nil if nothing is known of it.
  var table: StateTable?
  /// The beginning of the names of held children.
  private let token = UUID.new.token
  /// Whether `refresh(_:)` removed staged files of an earlier save, which may have been second names of files.
  private(set) var removedLeftovers = false
  private var isAbandoned = false
  /// The publisher of a record that is published and not marked (S4).
  var published: Publisher?
  /// The nodes that were removed from the package while the program held their wrappers.
  var removed: [Removed] = []
  /// The number of nodes that were ever among them: no name comes twice.
  var keptCount = 0
  let kept: KeptFiles

  /// The nodes that the writer looked at when it took the lock, so that the save need not look at them again.
  var seen = Seen()

  /// Whether the file system may refuse names; nil until a save asks.
  private var knownLimit: Bool?
  /// The name of a folder among the staged files, for a trial.
  static let trial: FileName = "trial"

  struct Seen {
    /// The package's own directory.
    package var package: FileStatus?
    /// `Metadata.plist`.
    var metadata: FileStatus?
  }

  let logCapacity: Int
  /// Whether the package has metadata, as far as this session knows. Another program's package keeps no trace.
  private var hasMetadata = false
  /// The number of syncs in earlier reports.
  private var synchronizationsTold = 0

  /// Opens the hidden folder and takes the writer's lock.
  init(_ location: Location, _ wait: LockWait, logCapacity: Int) throws(SystemError) {
    disk = CountingDisk(location.disk)
    hidden = try HiddenFolder.open(location, on: disk, wait)
    self.logCapacity = logCapacity
    kept = KeptFiles(hidden)
  }

  deinit {
    // For a store that was not closed, this removes everything that only an open store needs, if no save waits. It
    // waits 100 ms for another session that is being closed: that one leaves everything to this one while this one
    // exists. After an error the next session does it.
    try? end(LockWait(limit: 100))
  }

  /// Returns how often the session synced since the last call.
  package func takeSynchronizations() -> Int {
    let total = disk.counts.synchronizations
    defer { synchronizationsTold = total }
    return total - synchronizationsTold
  }

  // MARK: Finding earlier work

  /// Takes up the changes of other programs since this session last looked; with the lock held.
  func refresh(_ metadata: PackageMetadata?) throws(FilePackageError) {
    removedLeftovers = false
    hasMetadata = metadata != nil
    try node.attempt(.save, "looking at its log") {
      if let log, try log.isCurrent(in: hidden.folder) {
        // No other program was there.
        try finish()
      } else {
        log = nil
        // Another program has done the rest of it, or the log that is found now has the record.
        published = nil
        log = try SaveLog.find(in: hidden.folder, on: disk, forWriting: true).get(.save, of: node)
        if keepsHistory { try kept.takeUp() }
        if log?.live == nil { removedLeftovers = try kept.sweep(log?.ledger) }
      }
    }
    guard let revision = metadata?.revision, let ledger = log?.ledger else { return table = nil }
    if table?.revision != revision { table = ledger.table(of: revision) }
  }

  /// The record that waits to be published or marked, of this program or another.
  var live: SaveRecord? { log?.live }

  /// Whether the next save keeps the version that it replaces.
  var keepsHistory: Bool { log?.ledger.policy != nil }

  /// Whether a record of this session is published and not marked yet.
  var isUnfinished: Bool { published != nil }

  /// Returns whether the file system may refuse names.
  func limitsNames() throws(SystemError) -> Bool {
    if let known = knownLimit { return known }
    let limit = try disk.limitsNames(in: hidden.staging.descriptor)
    knownLimit = limit
    return limit
  }

  /// Returns a name for a child that the program holds.
  func heldName(_ index: Int) -> FileName { FileName("\(token)-\(index)").held }

  // MARK: Ending

  /// Makes a checkpoint: syncs everything that the log still vouches for, so that recovery has nothing to compare.
  ///
  /// With the lock held.
  func checkpoint() throws {
    guard let log, try log.isCurrent(in: hidden.folder) else { return }
    try finish()
    guard log.live == nil else { return }
    try log.checkpoint()
  }

  /// Ends the session; does nothing while a record waits.
  ///
  /// In a package with metadata the log stays, and the end costs a sync of its marks (J5). A long one gives way to a
  /// new one. In another program's package everything goes that only an open store needs.
  package func end(_ wait: LockWait = LockWait()) throws(SystemError) {
    guard !isAbandoned else { return }
    if isUnfinished, (try? hidden.lock(wait)) != nil, try log?.isCurrent(in: hidden.folder) == true {
      // The next session does what could not be done.
      try? finish()
    }
    guard log?.live == nil else { return hidden.unlock() }
    try hidden.lock(wait)
    defer { hidden.unlock() }
    if try log?.isCurrent(in: hidden.folder) != true {
      // Another program may have gone on with the log; a damaged one stays for inspection.
      switch try SaveLog.find(in: hidden.folder, on: disk, forWriting: true) {
      case .nothing: log = nil
      case .damaged: return
      case .log(let found):
        if found.live != nil { return }
        log = found
      }
    }
    prune(all: true)
    if let log, log.hasRecords, hasMetadata || log.ledger.hasState {
      // Without room for a new one the long one stays, and a later session replaces it.
      if log.isLong { try? rewrite() }
      try (self.log ?? log).keep()
      let ledger = log.ledger
      try hidden.removeRest { withHeld throws(SystemError) in try kept.sweep(ledger, withHeld: withHeld) }
    } else {
      // A log without a record is as it was before this session.
      try hidden.removeTraces(withLog: log?.ledger.hasState != true)
    }
    log = nil
    // A hidden folder at this place may be another session's from here on.
    isAbandoned = true
  }

  /// Forgets everything: the package's directory was replaced, and the open files in it are gone.
  func abandon() {
    isAbandoned = true
    hidden.unlock()
  }

  var node: StoredNode { StoredNode(location: hidden.location, path: .root) }
}
