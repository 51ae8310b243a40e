import DurableIO
import FileTrees
package import PackageFormat

/// The result of ending a history, or of its dry run.
public struct HistoryStopReport: Sendable, Hashable, Codable {
  /// The number of versions that are removed.
  public var removed = 0
  /// Whether this was a dry run, and the report only says what would happen.
  public var isDryRun = false
  /// The tasks that remain.
  public var warnings: [SaveWarning] = []

  package init(removed: Int = 0, isDryRun: Bool) { (self.removed, self.isDryRun) = (removed, isDryRun) }
}

extension HistoryStopReport: CustomStringConvertible {
  /// One line, such as `3 versions removed`.
  public var description: String {
    "\(counted(removed, "version")) \(isDryRun ? "would be removed" : "removed")"
  }
}

/// The end of a history.
package struct HistoryStop {
  private let writer: PackageWriter

  package init(_ writer: PackageWriter) { self.writer = writer }

  /// Removes all versions, and marks the document so that no save begins a history.
  package func end(dryRun: Bool) throws(FilePackageError) -> HistoryStopReport {
    let known = try writer.baseline.metadata.get()
    let marks = known?.keepsNoHistory == false
    if !dryRun { try writer.publish() }
    if marks { try writer.refuseUnsavedEdits() }
    var report = HistoryStopReport(isDryRun: dryRun)
    let count = try writer.package.history()?.available.count
    report.removed = count ?? 0
    if dryRun { return report }
    if count != nil { try HistoryRewriting(writer).rewrite { _ in nil } }
    guard marks else { return report }
    do throws(FilePackageError) {
      report.warnings += try writer.mark(keepsNoHistory: true)
    } catch {
      throw report.removed == 0 ? error : error.leaving(.versionsRemoved(report.removed))
    }
    return report
  }

}

extension FilePackageError {
  /// Returns the error of an operation that left the document on disk like this.
  func leaving(_ disk: DiskState) -> FilePackageError {
    var error = self
    error.disk = disk
    return error
  }
}

extension PackageWriter {
  /// Saves the metadata with or without the mark that no save begins a history.
  ///
  /// The tree has no unsaved edits.
  @discardableResult
  func mark(keepsNoHistory: Bool) throws(FilePackageError) -> [SaveWarning] {
    var request = SaveRequest(tree)
    request.keepsNoHistory = keepsNoHistory
    return try save(request).warnings
  }
}
