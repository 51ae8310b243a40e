extension PackageStore {
  /// The ways to save a package.
  public typealias SavingOptions = FilePackages.SavingOptions

  /// Returns the plan of `save(_:options:)`, without carrying it out.
  ///
  /// It first publishes a save that returned at its commit, as the save would do.
  public func plan(_ tree: FileWrapper? = nil) throws(FilePackageError) -> SavePlan {
    try writer.plan(saving: tree)
  }

  /// Brings the package on disk to the state of `tree`, by default this store's tree.
  ///
  /// When it returns, the new state is durable; a power cut before that leaves the old state or the new one, whole. The
  /// save writes only the changed children. All other children stay as they are, also those that other programs changed
  /// meanwhile. If nothing changed, it writes nothing.
  ///
  /// Cost of the commit: the bytes of the changed children and one flush. Cost of publishing: a rename and a sync for
  /// each changed child, and a sync for each folder with changes. The first save in a package makes the log, which
  /// costs two flushes more. Children that did not change cost nothing.
  ///
  /// - Throws: `changedOnDisk` if another program changed a child that this save would replace or remove, or put
  ///   another package in this one's place. `busy`. `indeterminate` if the system failed at the last moment; saving
  ///   again then does the rest. Other codes for the system's reasons.
  ///
  /// After an error the package on disk is unchanged and the tree still holds the edits. The package may differ only
  /// after `indeterminate`, and after `noSuchFile`, if another program removed the package meanwhile. After the commit
  /// the save throws no error: the report's `warnings` name the work that is left.
  @discardableResult
  public func save(
    _ tree: FileWrapper? = nil, options: SavingOptions = []
  ) throws(FilePackageError) -> SaveReport {
    try withWriter { try $0.save(SaveRequest(tree ?? self.tree, options)) }
  }

  /// Waits until other programs see the last save; does nothing if they do.
  ///
  /// - Throws: the system's reason. The save then stays in the log: it is durable, and readers that use this
  ///   library see it. The next save, `close()` and the next opening try again.
  public func publish() throws(FilePackageError) {
    try withWriter { try $0.publish() }
  }

  /// Ends the session: publishes the last save, and removes everything that only an open store needs.
  ///
  /// In a package with metadata the log stays, with each save marked as published. That costs one flush, and
  /// several if the log has grown long.
  ///
  /// The store can be used again; its next save begins a new session. A store that is released without this call then
  /// ends its session, unless an error prevents that.
  ///
  /// - Throws: the system's reason; nothing is lost, and the next opening does the rest.
  public func close() throws(FilePackageError) {
    defer { scheduleDueWork() }
    try writer.publish()
    checkpoint?.cancel()
    try writer.close()
  }

  /// Ends the session, as `close()` does, after the save that made this report.
  ///
  /// - Returns: the report, with a warning if the session could not end. The document is saved in any case.
  package func close(after report: SaveReport) -> SaveReport { closing(after: report).report }

  /// Ends the session, as `close()` does, and also returns the error if it could not end.
  package func closing(after report: SaveReport) -> (report: SaveReport, failure: FilePackageError?) {
    var report = report
    var failure: FilePackageError?
    // The session may end, and its syncs count all the same.
    let session = writer.session
    do throws(FilePackageError) {
      try close()
    } catch {
      failure = error
    }
    report.isClosed(failure)
    report.synchronizations += session?.takeSynchronizations() ?? 0
    return (report, failure)
  }

  /// Ends the session, as `close()` does, and adds a warning if it could not end.
  package func close(noting warnings: inout [SaveWarning]) {
    do throws(FilePackageError) {
      try close()
    } catch {
      warnings.append(SaveWarning(closing: error))
    }
  }

  /// Ends the session, as `close()` does, after an operation that failed.
  ///
  /// - Returns: the failure, which says how many versions the history has lost all the same.
  package func close(after failure: FilePackageError) -> FilePackageError {
    // The failure counts; the next opening does the rest.
    try? close()
    var failure = failure
    if writer.removedVersions > 0 { failure.disk = .versionsRemoved(writer.removedVersions) }
    return failure
  }

  // MARK: Unsaved edits

  /// Returns whether the tree differs from the last save.
  ///
  /// - Throws: the system's reason if a folder cannot be listed.
  package func hasUnsavedEdits() throws(FilePackageError) -> Bool { try writer.hasUnsavedEdits() }
}
