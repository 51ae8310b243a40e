import DurableIO
public import FoundationEssentials
import SystemPackage

// (1) What only a dropped version had goes; what an earlier one needs of it stays, for that one.
// (2) The new history is on the medium before anything is unlinked: a cut leaves files that nobody needs, never a
//     version without its files.
// (3) Only while no other store has the package open, and nobody here holds a child that is only in a version.

/// What thinning a history did, or would do.
public struct ThinningReport: Sendable, Hashable, Codable {
  /// The identifiers of the versions that went, the oldest first.
  public var removed: [String] = []
  /// Bytes of children that only they had.
  public var bytes: UInt64 = 0
  /// How many versions are left.
  public var remaining = 0
  /// What is left to be done, though the versions are dropped.
  public var warnings: [SaveWarning] = []
}

extension PackageStore {
  /// Which versions are kept; nil where no history is.
  ///
  /// - Throws: as `versions()`.
  public func retentionPolicy() throws(FilePackageError) -> RetentionPolicy? { try history()?.policy }

  /// Says from now on which versions are kept, for every program.
  ///
  /// - Throws: `noSuchVersion` where no history is kept; `busy` while another program has the document open; the system's
  ///   reason.
  public func setRetentionPolicy(_ policy: RetentionPolicy) throws(FilePackageError) {
    if try history() == nil { throw keepsNone }
    try rewriteHistory { ($0.chain, policy) }
  }

  /// Drops the versions that the policy does not keep. `close()` and a store that is idle do it by themselves where one
  /// is due.
  ///
  /// Cost: writing the history anew, which is of the size of what differs between the versions, and an unlink for each
  /// child that nobody needs any more.
  ///
  /// - Parameters:
  ///   - date: the present moment; by default what the clock says.
  ///   - dryRun: whether only to say what would go.
  /// - Throws: `busy` while another program has the document open; the system's reason. Each version is then there or
  ///   not, as a whole.
  @discardableResult
  public func thinHistory(
    at date: Date? = nil, dryRun: Bool = false
  ) throws(FilePackageError) -> ThinningReport {
    guard let history = try history() else { return ThinningReport() }
    let dropped = history.chain.dropped(by: history.policy, now: date ?? clock())
    if dryRun || dropped.isEmpty { return ThinningReport(history.chain, dropping: dropped) }
    return try drop(dropped)
  }

  /// Removes versions for good, whatever the policy says; the others stay as they are.
  ///
  /// - Throws: `noSuchVersion`; `busy` while another program has the document open; the system's reason.
  public func removeVersions(_ versions: Set<UUID>) throws(FilePackageError) {
    for version in versions { _ = try find(version) }
    _ = try drop(versions)
  }

  /// Ends the history: removes all versions, and keeps none from now on.
  ///
  /// - Throws: `busy` while another program has the document open; the system's reason.
  public func stopKeepingHistory() throws(FilePackageError) {
    do {
      if try history() == nil { return }
    } catch {
      // What is damaged goes, too.
      guard error.code == .invalidContent else { throw error }
    }
    try rewriteHistory { _ in nil }
  }

  /// Thins where something is due and nobody is in the way: what cannot be done now is done another time.
  func thinIfDue() {
    guard pending == nil, let session, !session.isHoldingVersions, session.history?.takeDueness() == true
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

  /// (3)
  ///
  /// - Parameter new: what it begins with where there is none; nil where there has to be one.
  /// - Returns: what could not be removed that nobody needs any more.
  /// - Throws: the history is then as it was, but for `indeterminate`.
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

  /// What a policy does not keep.
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
  /// Puts another history in the place of this one, or none; with the lock held, and nobody else there. (2)
  ///
  /// - Returns: why something could not be removed that nobody needs any more.
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
      // (1) What cannot be removed now goes the next time.
      try removeUnneeded(in: versionsFolder().descriptor, at: .root, needed: new.chain.places)
      return nil
    } catch {
      return error
    }
  }

  /// Whether the history on disk is not the file that it was, or is gone, or cannot be told.
  fileprivate func isHistory(anotherThan known: FileIdentity?) -> Bool {
    guard let known else { return false }
    do {
      let now = try disk.statusIfPresent(of: PackageLayout.history, in: hidden.folder)
      return now?.identity.isSameNode(as: known) != true
    } catch {
      return true
    }
  }

  /// The journal first: it has versions, too.
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
