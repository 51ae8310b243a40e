import DurableIO
public import FoundationEssentials

extension PackageStore {
  // MARK: Looking

  /// Returns whether each save keeps the version that it replaces.
  public func keepsHistory() throws(FilePackageError) -> Bool { try writer.package.history() != nil }

  /// Returns the available versions of the document, the newest first, without the current one.
  ///
  /// Empty if there is no history.
  ///
  /// Writes nothing. If a committed save is unpublished, its state is the current one, and the state on disk is a
  /// version.
  ///
  /// Cost: the size of the history, which grows with the children that saves replaced.
  ///
  /// - Throws: `logDamaged` for a log that cannot be read; the system's error.
  public func versions() throws(FilePackageError) -> [FileVersion] {
    guard let history = try writer.package.history() else { return [] }
    return history.available.reversed().map { FileVersion(history, $0, at: url) }
  }

  /// Returns the document as it was in a version, to read: changes to the tree do not change the version.
  ///
  /// Cost: a status for each place that differs from the current state, for any number of versions in between. It also
  /// checks each child for changes by other programs.
  ///
  /// - Returns: the tree, and the children whose content is lost because another program changed them.
  /// - Throws: `noSuchVersion`; the system's error.
  public func contents(
    of version: UUID
  ) throws(FilePackageError) -> (tree: FileWrapper, lost: [String]) {
    try writer.package.contents(of: version)
  }

  /// Returns the differences between two versions of the history or in conflict, in order of paths.
  ///
  /// A folder comes before its children.
  ///
  /// Cost: the bytes of the children that saves between the two and the current state changed; it reads no other child.
  ///
  /// - Parameter other: the second version; nil for the document as it was last saved, with the changes of other
  ///   programs on disk.
  /// - Returns: the differences, and the children that are lost in one of the two versions.
  /// - Throws: `noSuchVersion`; the system's error.
  public func differences(
    from version: UUID, to other: UUID? = nil
  ) throws -> (changes: [VersionDifference], lost: [String]) {
    try writer.package.differences(from: version, to: other)
  }

  // MARK: Going back

  /// Brings the document, or one child of it, back to a version, and saves that.
  ///
  /// The replaced state becomes a version, so that a caller can undo the restore. Unchanged children are not written
  /// again. Restoring the current state brings back the children that other programs changed, if any file of the package
  /// has their bytes.
  ///
  /// - Throws: `unsavedEdits` if the tree has unsaved edits, which stay. `noSuchFile` if the child is neither in the
  ///   version nor in the document. Also `noSuchVersion`, and the errors of `save(_:options:)`.
  public func restore(
    _ version: UUID, child: String? = nil, options: SavingOptions = []
  ) throws(FilePackageError) -> RestoreReport {
    try withWriter { try $0.restore(.version(version), child: child, options: options) }
  }

  /// Brings the document back to the state before the last save, as a new save.
  ///
  /// Each further call takes back one more save, and skips a save that is itself undone.
  ///
  /// - Throws: `noSuchVersion` if there is nothing to undo, or if the state is not kept; otherwise as
  ///   `restore(_:child:options:)`.
  public func undoSave(options: SavingOptions = []) throws(FilePackageError) -> RestoreReport {
    try withWriter { try $0.restore(.undone, options: options) }
  }

  /// Takes back the last `undoSave(options:)`.
  ///
  /// After a save that is neither undo nor redo, there is nothing to redo.
  ///
  /// - Throws: as `undoSave(options:)`.
  public func redoSave(options: SavingOptions = []) throws(FilePackageError) -> RestoreReport {
    try withWriter { try $0.restore(.redone, options: options) }
  }

  /// Returns the plan of `restore(_:child:options:)` for the document as it was last saved, without changing the disk.
  ///
  /// The tree with its unsaved edits stays as it is, and the plan ignores them.
  ///
  /// - Throws: as `restore(_:child:options:)`, except `unsavedEdits`.
  public func restorePlan(_ version: UUID, child: String? = nil) throws(FilePackageError) -> SavePlan {
    try writer.plan(restoring: .version(version), child: child)
  }

  /// Returns the plan of `undoSave(options:)`, as `restorePlan(_:child:)` does.
  ///
  /// - Throws: as `undoSave(options:)`, except `unsavedEdits`.
  public func undoPlan() throws(FilePackageError) -> SavePlan { try writer.plan(restoring: .undone) }

  /// Returns the plan of `redoSave(options:)`, as `restorePlan(_:child:)` does.
  ///
  /// - Throws: as `redoSave(options:)`, except `unsavedEdits`.
  public func redoPlan() throws(FilePackageError) -> SavePlan { try writer.plan(restoring: .redone) }

  // MARK: The history as a whole

  /// Begins a history: from this call on, each save by any program keeps the version that it replaces.
  ///
  /// It takes back a `stopKeepingHistory()`.
  ///
  /// A package without metadata gets a `Metadata.plist`, because its revisions identify the versions.
  ///
  /// Cost: reads every child if there are no metadata.
  ///
  /// - Parameter dryRun: whether to report the result without doing it. A dry run throws `unsavedEdits` and
  ///   `reservedName`, too.
  /// - Throws: `unsavedEdits` if this call saves metadata and the tree has unsaved edits. `reservedName` if a child of
  ///   the document has the name of the metadata. `busy` while another program has the document open. `logDamaged`
  ///   for a log that cannot be read. Otherwise the system's error.
  @discardableResult
  public func startKeepingHistory(dryRun: Bool = false) throws(FilePackageError) -> HistoryStartReport {
    try withWriter { try $0.beginHistory(dryRun: dryRun) }
  }

  /// Adds a version with the content of a tree, as the newest before the current one; the document stays as it is.
  ///
  /// The retention policy never drops the version. If there is no history, this call begins one. If the tree has the
  /// `Metadata.plist` of a document, the version gets the date and the program in it.
  ///
  /// Cost: reads both, and writes the tree's differences from the current state and the files that the version before
  /// needs.
  ///
  /// - Parameter date: the date of the version; by default the date in its metadata, or the current date.
  /// - Throws: `noSuchVersion` for a package without metadata; `busy` while another program has the document open; the
  ///   system's error. The version is then not added.
  @discardableResult
  public func addVersion(
    _ contents: FileWrapper, date: Date? = nil
  ) throws(FilePackageError) -> FileVersion {
    let added = try withWriter { try $0.addVersion(contents, date: date) }
    guard let found = try versions().first(where: { $0.persistentIdentifier == added }) else {
      throw FilePackageError(
        .indeterminate, .save, writer.node, reason: "the added version is missing")
    }
    return found
  }

  /// Sets whether the retention policy may drop these versions.
  ///
  /// - Throws: `noSuchVersion`; `busy` while another program has the document open; the system's error.
  public func setDiscardable(_ isDiscardable: Bool, _ versions: Set<UUID>) throws(FilePackageError) {
    try withWriter { try $0.setDiscardable(isDiscardable, versions) }
  }

  /// Returns the retention policy of the history; nil if there is no history.
  ///
  /// - Throws: as `versions()`.
  public func retentionPolicy() throws(FilePackageError) -> RetentionPolicy? {
    try writer.package.history()?.policy
  }

  /// Sets the retention policy, for every program.
  ///
  /// - Throws: `noSuchVersion` if there is no history; `busy` while another program has the document open; the system's
  ///   error.
  public func setRetentionPolicy(_ policy: RetentionPolicy) throws(FilePackageError) {
    try withWriter { try $0.setRetentionPolicy(policy) }
  }

  /// Drops the versions that the policy does not keep, and the versions before a gap in the history, which `versions()`
  /// does not list.
  ///
  /// `close()` and an idle store do it by themselves if a version is due.
  ///
  /// Cost: a new log, with the differences between the versions, and an unlink for each child
  /// that no version needs.
  ///
  /// - Parameters:
  ///   - policy: a policy that the history gets in the same step; by default it has its own one.
  ///   - date: the current date; by default the clock's.
  ///   - dryRun: whether to report the versions without dropping them.
  /// - Throws: `busy` while another program has the document open; the system's error. Each version is then present or
  ///   dropped, as a whole, and the history has its earlier policy.
  @discardableResult
  public func thinHistory(
    under policy: RetentionPolicy? = nil, at date: Date? = nil, dryRun: Bool = false
  ) throws(FilePackageError) -> ThinningReport {
    try withWriter { try $0.thinHistory(under: policy, at: date, withLost: true, dryRun: dryRun) }
  }

  /// Removes versions for good, regardless of the policy; the other versions stay.
  ///
  /// - Throws: `noSuchVersion`; `busy` while another program has the document open; the system's error.
  public func removeVersions(_ versions: Set<UUID>) throws(FilePackageError) {
    try withWriter { try $0.removeVersions(versions) }
  }

  /// Ends the history: removes all versions, and no later save of any program keeps one.
  ///
  /// The metadata of the document and of its copies then have `PackageMetadata.keepsNoHistory`. `startKeepingHistory()`
  /// takes that back. A package without metadata keeps none anyway.
  ///
  /// - Parameter dryRun: whether to report the result without doing it.
  /// - Throws: `unsavedEdits` if the tree has unsaved edits, since this call saves the metadata; `busy` while another
  ///   program has the document open; the system's error.
  @discardableResult
  public func stopKeepingHistory(dryRun: Bool = false) throws(FilePackageError) -> ThinningReport {
    try withWriter { try $0.endHistory(dryRun: dryRun) }
  }
}
