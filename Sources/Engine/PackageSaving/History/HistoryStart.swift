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

  package init(begins: Bool = false, isDryRun: Bool) { (self.begins, self.isDryRun) = (begins, isDryRun) }
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

/// The beginning of a history.
package struct HistoryStart {
  private let writer: PackageWriter

  package init(_ writer: PackageWriter) { self.writer = writer }

  package func begin(dryRun: Bool) throws(FilePackageError) -> HistoryStartReport {
    var report = HistoryStartReport(isDryRun: dryRun)
    let (known, history) = (try writer.baseline.metadata.get(), try writer.package.history())
    report.addsMetadata = known == nil && writer.package.committedMetadata == nil
    report.begins = history == nil
    let isMarked = known?.keepsNoHistory == true
    if !report.begins && !isMarked { return report }
    if !dryRun { try writer.publish() }
    if report.addsMetadata { try refuseChildOfItsName() }
    if report.addsMetadata || isMarked { try writer.refuseUnsavedEdits() }
    if dryRun { return report }
    if report.addsMetadata { try addMetadata() }
    if isMarked { try writer.mark(keepsNoHistory: false) }
    if !report.begins { return report }
    guard let current = try writer.baseline.metadata.get() else { throw writer.package.keepsNone }
    try HistoryRewriting(writer).rewrite(beginning: current.revision) {
      ($0.chain, $0.policy)
    }
    return report
  }

  private func refuseChildOfItsName() throws(FilePackageError) {
    guard writer.baseline.metadata.isChild else { return }
    throw FilePackageError(
      .reservedName, .save,
      StoredNode(location: writer.location, path: PackagePath([PackageLayout.metadata])),
      reason: "a history needs metadata, and the document has a child of that name")
  }

  private func addMetadata() throws(FilePackageError) {
    do throws(FilePackageError) {
      try writer.withPackageLock { session throws(FilePackageError) in
        // The lock is held, so that the counted children stay unchanged.
        let children = try PackageVerification(package: writer.package).verifyChildren()
        try children.refuseUnread()
        let draft = MetadataDraft(new: nil, [:], writer.location, over: children.summary)
        try children.commit(draft, over: nil, by: writer, in: session)
      }
    } catch {
      throw error.during(.save)
    }
    try writer.publishPending()
  }
}
