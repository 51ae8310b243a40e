import DurableIO
import FileTrees
public import FoundationEssentials
package import PackageFormat

// V1 Files that only a dropped version needs are removed; files that an earlier version needs stay for that one.
// V2 The new history is durable before any file is unlinked. A power cut leaves files that no version needs, never a
//    version without its files.
// V3 A history is rewritten only while no other store has the package open.

/// The result of thinning or ending a history, or of its dry run.
public struct ThinningReport: Sendable, Hashable, Codable {
  /// The identifiers of the removed versions, the oldest first.
  public var removed: [UUID] = []
  /// The bytes of children that only they had.
  public var bytes: UInt64 = 0
  /// The number of remaining versions.
  public var remaining = 0
  /// Whether this was a dry run, and the report only lists what a thinning would do.
  public var isDryRun = false
  /// The tasks that remain, although the versions are dropped.
  public var warnings: [SaveWarning] = []

  init(isDryRun: Bool) { self.isDryRun = isDryRun }
}

extension ThinningReport: CustomStringConvertible {
  /// One line, such as `3 versions removed (4.5 MB), 12 left`.
  public var description: String {
    let end = isDryRun ? "would be removed" : "removed"
    return "\(counted(removed.count, "version")) \(end) (\(SaveReport.bytes(bytes))), \(remaining) left"
  }
}

// The changes of a kept history as a whole. The docs of `PackageStore` say what each guarantees.
extension PackageWriter {
  package func setRetentionPolicy(_ policy: RetentionPolicy) throws(FilePackageError) {
    if try package.history() == nil { throw package.keepsNone }
    try rewriteHistory { ($0.chain, policy) }
  }

  /// Drops the versions that the policy does not keep.
  ///
  /// - Parameters:
  ///   - policy: a policy that the history takes over in the same step; nil for its own.
  ///   - withLost: whether to drop the versions before a gap, too, which cannot be put together.
  package func thinHistory(
    under policy: RetentionPolicy? = nil, at date: Date? = nil, withLost: Bool, dryRun: Bool = false
  ) throws(FilePackageError) -> ThinningReport {
    guard let history = try package.history() else { return ThinningReport(isDryRun: dryRun) }
    let policy = policy ?? history.policy
    var dropped = history.chain.dropped(by: policy, now: date ?? clock())
    if withLost { dropped.formUnion(history.lost) }
    if dryRun || dropped.isEmpty && policy == history.policy {
      return ThinningReport(history.chain, dropping: dropped, isDryRun: dryRun)
    }
    return try drop(dropped, policy)
  }

  package func removeVersions(_ versions: Set<UUID>) throws(FilePackageError) {
    try package.require(versions)
    _ = try drop(versions)  // The caller knows the versions.
  }

  package func setDiscardable(_ isDiscardable: Bool, _ versions: Set<UUID>) throws(FilePackageError) {
    try package.require(versions)
    try rewriteHistory { history in
      let changed = history.chain.versions.map { version in
        var version = version
        if versions.contains(version.revision) { version.isDiscardable = isDiscardable }
        return version
      }
      return (VersionChain(changed, tip: history.chain.tip), history.policy)
    }
  }

  /// Thins the history if that is due and possible; otherwise a later call does it.
  func thinHistoryIfDue() {
    guard state.waiting == nil, let log = session?.log, log.takeDueness() else { return }
    // A look at it alone may say that none goes.
    if let policy = log.ledger.policy, let (chain, _) = try? log.ledger.chain(),
      chain.dropped(by: policy, now: clock()).isEmpty
    {
      return
    }
    _ = try? thinHistory(withLost: false)  // A later call thins.
  }

  /// - Parameter policy: the history's policy from then on; nil if it stays.
  private func drop(
    _ versions: Set<UUID>, _ policy: RetentionPolicy? = nil
  ) throws(FilePackageError) -> ThinningReport {
    var report = ThinningReport(isDryRun: false)
    let left = try rewriteHistory { history in
      report = ThinningReport(history.chain, dropping: versions, isDryRun: false)
      var chain = history.chain
      chain.drop(versions)
      // The present state begins the history if no version leads to it.
      if chain.versions.isEmpty, let current = baseline.metadata.known?.revision {
        chain = VersionChain(tip: current)
      }
      return (chain, policy ?? history.policy)
    }
    report.warnings = left.map { [$0] } ?? []
    removedVersions += report.removed.count
    return report
  }

  /// Replaces the history, if no other store has the package open (V3).
  ///
  /// - Parameters:
  ///   - new: the first state of a history if there is none; nil if there must be one.
  ///   - change: returns the new history; nil if the document keeps none from then on.
  /// - Returns: a warning if files that no version needs could not be removed.
  /// - Throws: the system's error. The history is then unchanged, except after `indeterminate`.
  @discardableResult
  func rewriteHistory(
    beginning new: UUID? = nil, _ change: (Ledger.History) -> Ledger.History?
  ) throws(FilePackageError) -> SaveWarning? {
    try publish()
    return try withPackageLock { session throws(FilePackageError) in
      try node.attempt(.save, "thinning its history") {
        var known: Ledger.History? = new.map { (VersionChain(tip: $0), .standard) }
        var isDamaged = false
        if let ledger = session.log?.ledger, let policy = ledger.policy {
          let found = try ledger.chain()
          (known, isDamaged) = ((found.chain, policy), found.isDamaged)
        }
        guard let known else { throw package.keepsNone }
        let history = change(known)
        let isDone: SystemError?? = try session.hidden.whileAlone {
          // The new history is durable before the first file goes (V2).
          try session.kept.synchronize()
          try session.rewrite { $0.setHistory(history) }
          // The files of versions that could not be read stay until the next time: the rest of a copy may come yet.
          return isDamaged ? nil : session.kept.removeAll(but: Set((history?.chain.kept ?? [:]).keys))
        }
        guard let isDone else {
          throw FilePackageError(
            .busy, .save, node, reason: "a program has it open, and may use its versions")
        }
        return isDone.map { left in
          SaveWarning(.versionsLeft, FilePackageError(left, .save, node, activity: "removing them"))
        }
      }
    }
  }
}

extension ThinningReport {
  init(_ chain: VersionChain, dropping versions: Set<UUID>, isDryRun: Bool) {
    var thinned = chain
    thinned.drop(versions)
    let dropped = chain.versions.filter { versions.contains($0.revision) }
    removed = dropped.map(\.revision)
    bytes = chain.keptBytes - min(chain.keptBytes, thinned.keptBytes)
    remaining = thinned.versions.count
    self.isDryRun = isDryRun
  }
}

extension VersionChain {
  var keptBytes: UInt64 { kept.values.reduce(0, &+) }

  /// Returns the versions that a policy drops.
  func dropped(by policy: RetentionPolicy, now: Date) -> Set<UUID> {
    let outdated = policy.outdated(of: versions, now: now)
    var thinned = self
    if !outdated.isEmpty { thinned.drop(outdated) }
    return outdated.union(policy.beyondBudget(of: thinned.versions))
  }
}
