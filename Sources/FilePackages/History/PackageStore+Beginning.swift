import DurableIO
import FoundationEssentials

/// The result of beginning a history, or of its dry run.
public struct HistoryStartReport: Sendable, Hashable, Codable {
  /// Whether a history begins; false if the document already has one.
  public var begins = false
  /// Whether the package gets a `Metadata.plist`.
  public var addsMetadata = false
}

extension PackageStore {
  /// Begins a history: from this call on, each save by any program keeps the version that it replaces.
  ///
  /// A package without metadata gets them, since they name the states.
  ///
  /// Cost: reads every child if there are no metadata.
  ///
  /// - Parameter dryRun: whether to report the result without doing it.
  /// - Throws: `unsavedEdits` if this call adds metadata and the tree has unsaved edits; `busy` while another program
  ///   has the document open; `invalidContent` for a history that cannot be read; the system's error.
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
      // The lock is held, so that the counted children stay unchanged.
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
