import FileTrees
import FoundationEssentials
package import PackageFormat

/// The result of beginning a history, or of its dry run.
public struct HistoryStartReport: Sendable, Hashable, Codable {
  /// Whether a history begins; false if the document already has one.
  public var begins = false
  /// Whether the package gets a `Metadata.plist`.
  public var addsMetadata = false
  /// Whether this was a dry run, and the report only says what would happen.
  public var isDryRun = false

  package init(isDryRun: Bool) { self.isDryRun = isDryRun }
}

extension HistoryStartReport: CustomStringConvertible {
  /// One line, such as `its history begins; 'Metadata.plist' was added`.
  public var description: String {
    if !begins { return "its history exists already" }
    let beginning = isDryRun ? "its history would begin" : "its history begins"
    if !addsMetadata { return beginning }
    return "\(beginning); 'Metadata.plist' \(isDryRun ? "would be" : "was") added"
  }
}

extension PackageWriter {
  /// Begins a history: see `PackageStore.startKeepingHistory(dryRun:)`.
  package func beginHistory(dryRun: Bool) throws(FilePackageError) -> HistoryStartReport {
    var report = HistoryStartReport(isDryRun: dryRun)
    let (known, history) = (try baseline.metadata.get(), try package.history())
    report.addsMetadata = known == nil && package.committedMetadata == nil
    report.begins = history == nil
    let isMarked = known?.keepsNoHistory == true
    if !report.begins && !isMarked { return report }
    if !dryRun { try publish() }
    if report.addsMetadata { try refuseChildWithNameOfMetadata() }
    if report.addsMetadata || isMarked { try refuseUnsavedEdits() }
    if dryRun { return report }
    if report.addsMetadata { try addMetadata() }
    if isMarked { try mark(keepsNoHistory: false) }
    if !report.begins { return report }
    guard let current = try baseline.metadata.get() else { throw package.keepsNone }
    try rewriteHistory(beginning: current.revision) { ($0.chain, $0.policy) }
    return report
  }

  private func refuseChildWithNameOfMetadata() throws(FilePackageError) {
    guard baseline.metadata.isChild else { return }
    throw FilePackageError(
      .reservedName, .save, StoredNode(location: location, path: PackagePath([PackageLayout.metadata])),
      reason: "a history needs metadata, and the document has a child of that name")
  }

  private func addMetadata() throws(FilePackageError) {
    do throws(FilePackageError) {
      try withPackageLock { session throws(FilePackageError) in
        // The lock is held, so that the counted children stay unchanged.
        let children = try package.verifyChildren()
        try children.refuseUnread()
        let draft = MetadataDraft(new: nil, [:], location, over: children.summary)
        try children.commit(draft, over: nil, by: self, in: session)
      }
    } catch {
      throw error.during(.save)
    }
    try publishPending()
  }

  /// Removes all versions, and marks the document so that no save begins a history.
  package func endHistory(dryRun: Bool) throws(FilePackageError) -> ThinningReport {
    let marks = try baseline.metadata.get()?.keepsNoHistory == false
    if !dryRun { try publish() }
    if marks { try refuseUnsavedEdits() }
    let chain = try package.history()?.chain
    var report = ThinningReport(isDryRun: dryRun)
    if let chain {
      report = ThinningReport(chain, dropping: Set(chain.versions.map(\.revision)), isDryRun: dryRun)
    }
    if dryRun { return report }
    if chain != nil, let left = try rewriteHistory({ _ in nil }) { report.warnings.append(left) }
    guard marks else { return report }
    do throws(FilePackageError) {
      report.warnings += try mark(keepsNoHistory: true)
    } catch {
      var error = error
      if !report.removed.isEmpty { error.disk = .versionsRemoved(report.removed.count) }
      throw error
    }
    return report
  }

  /// Saves the metadata with or without the mark that no save begins a history.
  ///
  /// The tree has no unsaved edits.
  @discardableResult
  private func mark(keepsNoHistory: Bool) throws(FilePackageError) -> [SaveWarning] {
    var request = SaveRequest(tree)
    request.keepsNoHistory = keepsNoHistory
    return try save(request).warnings
  }
}
