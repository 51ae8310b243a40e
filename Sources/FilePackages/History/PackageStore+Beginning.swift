import DurableIO
import FoundationEssentials

/// What beginning a history did, or would do.
public struct HistoryStartReport: Sendable, Hashable, Codable {
  /// Whether a history begins; false where one was kept before.
  public var begins = false
  /// Whether the package gets a `Metadata.plist`.
  public var addsMetadata = false
}

extension PackageStore {
  /// Begins a history: each save keeps the version that it replaces from now on, whatever program saves. A package that has no
  /// metadata gets them, since they name the states.
  ///
  /// Cost: reads every child where there are no metadata.
  ///
  /// - Parameter dryRun: whether only to say what would be done.
  /// - Throws: `unsavedEdits` where metadata are added and the tree has edits that no save has; `busy` while another program
  ///   has the document open; `invalidContent` for a history that cannot be read; the system's reason.
  @discardableResult
  public func startKeepingHistory(dryRun: Bool = false) throws(FilePackageError) -> HistoryStartReport {
    var report = HistoryStartReport()
    let (known, history) = (try metadata(), try history())
    report.addsMetadata = known == nil && committedMetadata == nil
    report.begins = history == nil
    if dryRun || !report.begins { return report }
    try publish()
    if report.addsMetadata {
      try refuseUnsavedEdits()
      try addMetadata()
    }
    guard let current = try metadata() else { throw keepsNone }
    try rewriteHistory(beginning: HistoryFile(tip: current.revision)) { ($0.chain, $0.policy) }
    return report
  }

  private func addMetadata() throws(FilePackageError) {
    let session = try openSession()
    do throws(FilePackageError) {
      // With the lock held: what is counted stays what it is.
      let children = try verifyChildren()
      try refuseUnread(children)
      var summary = ContentSummary()
      for row in children.found.values { summary.add(row.child) }
      try commitMetadata(
        MetadataDraft(new: nil, [:], location, over: summary), over: nil, children, in: session)
    } catch {
      endFailedSession()
      throw error.during(.save)
    }
    try publishPending()
  }
}
