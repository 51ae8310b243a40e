import DurableIO
import FileTrees
package import PackageFormat

/// The result of ending a history, or of its dry run.
public struct HistoryStopReport: Sendable, Hashable, Codable {
  /// The number of versions that are removed.
  public var removed = 0
  /// The library's own files and folders that `removeOwnFiles(dryRun:)` removes; empty after
  /// `stopKeepingHistory(dryRun:)`.
  public var files: [String] = []
  /// Whether this was a dry run, and the report only says what would happen.
  public var isDryRun = false
  /// The tasks that remain.
  public var warnings: [SaveWarning] = []

  package init(removed: Int = 0, isDryRun: Bool) { (self.removed, self.isDryRun) = (removed, isDryRun) }
}

extension HistoryStopReport: CustomStringConvertible {
  /// One line, such as `3 versions removed`.
  public var description: String {
    let things = [counted(removed, "version")] + files.map { "'\(displayString($0))'" }
    return "\(things.joined(separator: ", ")) \(isDryRun ? "would be removed" : "removed")"
  }
}

/// The end of a history, and of everything that this library has in a package.
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
    let count = try versionCount()
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

  /// Returns the number of versions, 0 for a history that cannot be read; nil if there is none.
  private func versionCount() throws(FilePackageError) -> Int? {
    do {
      return try writer.package.history()?.available.count
    } catch {
      guard error.code == .invalidContent else { throw error }
      return 0
    }
  }

  /// Removes the metadata and the hidden folder: the package is then like any other program's.
  package func forget(dryRun: Bool) throws(FilePackageError) -> HistoryStopReport {
    let known = try writer.baseline.metadata.get()
    guard known?.databasePath == nil else {
      throw FilePackageError(
        .unsupported, .save, writer.node, reason: "it is a document with a database, which needs its metadata"
      )
    }
    if !dryRun { try writer.publish() }
    try writer.refuseUnsavedEdits()
    try refuseConflicts()
    var report = HistoryStopReport(isDryRun: dryRun)
    report.removed = try versionCount() ?? 0
    report.files = try ownFiles(hasMetadata: known != nil)
    if dryRun || report.files.isEmpty { return report }
    try writer.withPackageLock { session throws(FilePackageError) in try remove(report, in: session) }
    return report
  }

  private func refuseConflicts() throws(FilePackageError) {
    do {
      let folder = try writer.location.openDirectory(PackageLayout.conflictsPath)
      if try writer.location.disk.list(folder).count == 0 { return }
    } catch {
      if error.isAbsence { return }
      throw FilePackageError(error, .read, writer.node, activity: "looking for conflict versions in")
    }
    throw FilePackageError(
      .unsupported, .save, writer.node, reason: "it has conflict versions, which only its hidden folder has")
  }

  private func ownFiles(hasMetadata: Bool) throws(FilePackageError) -> [String] {
    do {
      let root = try writer.location.openDirectory(.root)
      let hidden = try writer.location.disk.exists(PackageLayout.hidden, in: root)
      return (hidden ? [PackageLayout.hidden.string] : [])
        + (hasMetadata ? [PackageLayout.metadata.string] : [])
    } catch {
      throw FilePackageError(error, .read, writer.node)
    }
  }

  private func remove(
    _ report: HistoryStopReport, in session: PackageSession
  ) throws(FilePackageError) {
    let isDone: Void?
    do throws(SystemError) {
      isDone = try session.hidden.whileAlone { () throws(SystemError) in
        try session.forget(withMetadata: report.files.contains(PackageLayout.metadata.string))
      }
    } catch {
      let failure = FilePackageError(error, .save, writer.node, activity: "removing its hidden folder")
      throw report.removed > 0 && !session.history.isOnDisk
        ? failure.leaving(.versionsRemoved(report.removed)) : failure
    }
    guard isDone != nil else {
      throw FilePackageError(
        .busy, .save, writer.node, reason: "another program has it open, and may use its versions")
    }
    try writer.readAnew()
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

  /// Reads the package anew, after everything of this library was removed from it.
  fileprivate func readAnew() throws(FilePackageError) {
    dropSession()
    state = .clean
    do {
      baseline = StoreBaseline(try location.disk.status(of: location.openDirectory(.root)))
    } catch {
      throw FilePackageError(error, .open, node)
    }
    baseline.loadMetadata(at: location)
    tree = package.newTree()
  }
}
