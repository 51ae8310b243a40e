import DurableIO
public import FoundationEssentials
import SystemPackage

// (1) Files that only a dropped version needs are removed; files that an earlier version needs stay for that one.
// (2) The new history is durable before any file is unlinked. A power cut leaves files that no version needs, never a
//     version without its files.
// (3) This runs only while no other store has the package open, and this program holds no child of a version.

/// The result of thinning a history, or of its dry run.
public struct ThinningReport: Sendable, Hashable, Codable {
  /// The identifiers of the removed versions, the oldest first.
  public var removed: [String] = []
  /// The bytes of children that only they had.
  public var bytes: UInt64 = 0
  /// The number of remaining versions.
  public var remaining = 0
  /// The tasks that remain, although the versions are dropped.
  public var warnings: [SaveWarning] = []
}

extension PackageStore {
  /// Returns the retention policy of the history; nil if there is no history.
  ///
  /// - Throws: as `versions()`.
  public func retentionPolicy() throws(FilePackageError) -> RetentionPolicy? { try history()?.policy }

  /// Sets the retention policy, for every program.
  ///
  /// - Throws: `noSuchVersion` if there is no history; `busy` while another program has the document open; the system's
  ///   error.
  public func setRetentionPolicy(_ policy: RetentionPolicy) throws(FilePackageError) {
    if try history() == nil { throw keepsNone }
    try rewriteHistory { ($0.chain, policy) }
  }

  /// Drops the versions that the policy does not keep.
  ///
  /// `close()` and an idle store do it by themselves if a version is due.
  ///
  /// Cost: a new history file, of the size of the differences between the versions, and an unlink for each child
  /// that no version needs.
  ///
  /// - Parameters:
  ///   - date: the current date; by default the clock's.
  ///   - dryRun: whether to report the versions without dropping them.
  /// - Throws: `busy` while another program has the document open; the system's error. Each version is then present or
  ///   dropped, as a whole.
  @discardableResult
  public func thinHistory(
    at date: Date? = nil, dryRun: Bool = false
  ) throws(FilePackageError) -> ThinningReport {
    guard let history = try history() else { return ThinningReport() }
    let dropped = history.chain.dropped(by: history.policy, now: date ?? clock())
    if dryRun || dropped.isEmpty { return ThinningReport(history.chain, dropping: dropped) }
    return try drop(dropped)
  }

  /// Removes versions for good, regardless of the policy; the other versions stay.
  ///
  /// - Throws: `noSuchVersion`; `busy` while another program has the document open; the system's error.
  public func removeVersions(_ versions: Set<UUID>) throws(FilePackageError) {
    for version in versions { _ = try find(version) }
    _ = try drop(versions)
  }

  /// Ends the history: removes all versions, and later saves keep none.
  ///
  /// - Throws: `busy` while another program has the document open; the system's error.
  public func stopKeepingHistory() throws(FilePackageError) {
    do {
      if try history() == nil { return }
    } catch {
      // This removes a damaged history as well.
      guard error.code == .invalidContent else { throw error }
    }
    try rewriteHistory { _ in nil }
  }

  /// Thins the history if that is due and possible; otherwise a later call does it.
  func thinIfDue() {
    guard state.waiting == nil, let session, !session.isHoldingVersions,
      session.history?.takeDueness() == true
    else { return }
    _ = try? thinHistory()
  }

  private func drop(_ versions: Set<UUID>) throws(FilePackageError) -> ThinningReport {
    var report = ThinningReport()
    let left = try rewriteHistory { history in
      report = ThinningReport(history.chain, dropping: versions)
      var chain = history.chain
      chain.drop(versions)
      return (chain, history.policy)
    }
    report.warnings = left.map { [$0] } ?? []
    return report
  }

  /// Replaces the history. (3)
  ///
  /// - Parameter new: the first state of a history if there is none; nil if there must be one.
  /// - Returns: a warning if files that no version needs could not be removed.
  /// - Throws: the system's error. The history is then unchanged, except after `indeterminate`.
  @discardableResult
  func rewriteHistory(
    beginning new: HistoryFile? = nil,
    _ change: (HistoryFile) -> (chain: VersionChain, policy: RetentionPolicy)?
  ) throws(FilePackageError) -> SaveWarning? {
    try publish()
    let session = try openSession()
    defer { endFailedSession() }
    let isDone: SystemError??
    var before: FileIdentity?
    do {
      let whole = session.history == nil ? nil : try session.wholeHistory()
      let known = whole ?? (session.hasDamagedHistory ? HistoryFile(tip: .none) : new)
      guard let history = known, session.versionsAreKept else { throw keepsNone }
      before = history.end.identity
      isDone =
        session.isHoldingVersions
        ? nil
        : try session.hidden.whileAlone { () throws(SystemError) in
          try session.rewriteHistory(change(history))
        }
    } catch let error as SystemError {
      var failure = FilePackageError(error, .save, node, activity: "thinning its history")
      if session.isHistory(anotherThan: before) { failure.code = .indeterminate }
      throw failure
    } catch {
      throw error as? FilePackageError ?? keepsNone
    }
    guard let isDone else {
      throw FilePackageError(.busy, .save, node, reason: "its versions may be in use: it is open elsewhere")
    }
    return isDone.map { left in
      SaveWarning(.versionsLeft, FilePackageError(left, .save, node, activity: "removing them"))
    }
  }
}

extension ThinningReport {
  init(_ chain: VersionChain, dropping versions: Set<UUID>) {
    var thinned = chain
    thinned.drop(versions)
    let dropped = chain.versions.filter { versions.contains($0.revision) }
    removed = dropped.map(\.revision.uuidString)
    bytes = chain.keptBytes - min(chain.keptBytes, thinned.keptBytes)
    remaining = thinned.versions.count
  }
}

extension VersionChain {
  var keptBytes: UInt64 { versions.reduce(0) { $0 &+ $1.keptBytes } }

  /// Returns the versions that a policy drops.
  func dropped(by policy: RetentionPolicy, now: Date) -> Set<UUID> {
    let outdated = policy.outdated(of: versions.map(RetentionPolicy.Candidate.init), now: now)
    var thinned = self
    if !outdated.isEmpty { thinned.drop(outdated) }
    return outdated.union(policy.beyondBudget(of: thinned.versions.map(RetentionPolicy.Candidate.init)))
  }
}

extension RetentionPolicy.Candidate {
  init(_ version: VersionRecord) {
    self.init(
      revision: version.revision, date: version.metadata.modified, bytes: version.keptBytes,
      isDiscardable: version.isDiscardable)
  }
}

extension PackageSession {
  /// Replaces the history with another one, or with none, while the lock is held and no other store is open. (2)
  ///
  /// - Returns: the error if files that no version needs could not be removed.
  fileprivate func rewriteHistory(
    _ new: (chain: VersionChain, policy: RetentionPolicy)?
  ) throws(SystemError) -> SystemError? {
    try synchronizeHistory()
    history = nil
    guard let new else {
      try removeHistory()
      return nil
    }
    try HistoryFile.replace(by: new.chain, new.policy, in: hidden.folder, on: disk)
    do throws(SystemError) {
      try loadHistory()
      guard try disk.exists(PackageLayout.versions, in: hidden.folder) else { return nil }
      // (1) A later call removes the files that could not be removed.
      try removeUnneeded(in: versionsFolder().descriptor, at: .root, needed: new.chain.places)
      return nil
    } catch {
      return error
    }
  }

  /// Returns whether the history on disk is another file, is gone, or cannot be looked at.
  fileprivate func isHistory(anotherThan known: FileIdentity?) -> Bool {
    guard let known else { return false }
    do {
      let now = try disk.statusIfPresent(of: PackageLayout.history, in: hidden.folder)
      return now?.identity.isSameNode(as: known) != true
    } catch {
      return true
    }
  }

  /// Removes the journal first, since it has versions too.
  private func removeHistory() throws(SystemError) {
    if journal != nil {
      try disk.removeFile(PackageLayout.journal, in: hidden.folder)
      try disk.synchronize(hidden.folder)
      journal = nil
    }
    try disk.removeFile(PackageLayout.history, in: hidden.folder)
    try disk.synchronize(hidden.folder)
    (versions, hasDamagedHistory) = (nil, false)
    _ = disk.removeEverything(PackageLayout.versions, from: hidden.folder)
  }

  private func removeUnneeded(
    in folder: borrowing OwnedDescriptor, at path: PackagePath, needed: Set<PackagePath>
  ) throws(SystemError) {
    let listing = try disk.list(folder)
    for position in 0..<listing.count {
      let name = listing.name(at: position)
      let place = path.appending(name)
      let isFolder = listing.kind(at: position) == .directory
      if isFolder, needed.contains(where: { $0.isWithin(place) }) {
        try removeUnneeded(in: disk.openDirectory(name, in: folder), at: place, needed: needed)
      } else if !needed.contains(place) {
        _ = disk.removeEverything(name, from: folder)
      }
    }
  }
}
