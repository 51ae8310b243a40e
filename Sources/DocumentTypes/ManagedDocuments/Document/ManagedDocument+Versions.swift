public import Documents
import FilePackages
public import FoundationEssentials
public import GRDB
import SystemPackage

extension ManagedDocument {
  // MARK: Looking

  /// Returns whether each save keeps the version that it replaces.
  ///
  /// - Throws: `closed`; `file` if the database cannot be read.
  public func keepsHistory() async throws(DocumentError) -> Bool {
    try await ofVersions(.edit) { store in try store.keepsHistory() }
  }

  /// Returns the versions, the newest first, without the present state.
  ///
  /// Cost: a row for each version; it reads no changes.
  ///
  /// - Throws: `closed`; `file` if the database cannot be read.
  public func versions() async throws(DocumentError) -> [ManagedVersion] {
    try await ofVersions(.edit) { store in try store.versions().map { try ManagedVersion($0) } }
  }

  /// Calls `body` with the database and the files as they were in a version, to read.
  ///
  /// Cost: a copy of the database, and the changes since the version. The copy is removed when the call ends.
  ///
  /// - Throws: any error of `body`; `closed`; `file` with `noSuchVersion`. `conflict` if a program without this library
  ///   changed rows that the version needs. Reading a file whose bytes another program replaced throws `changedOnDisk`.
  public func read<Result: Sendable>(
    _ version: UUID, _ body: @escaping @Sendable (Database, AdditionalContent) throws -> Result
  ) async throws -> Result {
    guard isOpen else { throw error(.closed, .edit) }
    do {
      return try await BlockingThread().run { [store] in try store.read(version, body) }
    } catch {
      throw mapped(error, .edit)
    }
  }

  /// Returns the differences between two versions: changed rows by table, and changed files.
  ///
  /// Cost: the changes between the two. If a migration lies between them, a copy of the database for each, and all
  /// rows.
  ///
  /// - Parameter other: the second version; nil for the present state, with edits that no save has.
  /// - Throws: as `read(_:_:)`.
  public func differences(
    from version: UUID, to other: UUID? = nil
  ) async throws(DocumentError) -> ManagedDifferences {
    try await ofVersions(.edit) { store in try store.differences(from: version, to: other) }
  }

  /// Makes a document of its own from a version, at `url`: with its rows and files, and without a history.
  ///
  /// Any SQLite program reads its database. Cost: a copy of the database and of the files of the version.
  ///
  /// - Throws: `closed`; `file` with `fileExists` if there is something at `url`; otherwise as `read(_:_:)`.
  public func write(_ version: UUID, to url: URL) async throws(DocumentError) {
    guard isOpen else { throw error(.closed, .save) }
    // No publisher moves the files meanwhile.
    await stopPublishingSoon()
    try await publish()
    do {
      let named = UTType(filename: url.lastPathComponent, isDirectory: true)
      try await store.write(
        version, to: FilePath(of: url, for: .copy),
        contentType: options.contentType ?? (named == .folder ? .package : named))
    } catch {
      throw report(failure(of: error, .save))
    }
  }

  // MARK: Going back

  /// Brings the document back to a version, rows and files, as an edit that `undo()` takes back, and saves that.
  ///
  /// Unsaved edits are saved first, so that the present state becomes a version, too. A version from before a migration
  /// is migrated in a copy.
  ///
  /// Cost: the changes since the version. Across a migration, a copy of the database and all rows.
  ///
  /// - Throws: `closed`, `editingDisabled`; `file` with `noSuchVersion`. `conflict` if a program without this library
  ///   changed rows that the version needs. `content` if the version has other tables, and no migration leads from them
  ///   to the present ones. The document is then as it was. Otherwise as `save()`.
  @discardableResult
  public func restore(_ version: UUID) async throws(DocumentError) -> SaveReport {
    try beginEdit(.revert)
    defer { endEdit() }
    if hasUnsavedChanges { try await save() }
    let now = clock.now().seconds
    do {
      if let position = try await store.restore(version, named: "", at: now) { note(position.head) }
    } catch {
      throw report(failure(of: error, .revert))
    }
    return try await save()
  }

  // MARK: The history as a whole

  /// Begins a history: from this call on, each save by any program keeps the version that it replaces.
  ///
  /// - Throws: `closed`; `file` if the disk refuses.
  public func startKeepingHistory() async throws(DocumentError) {
    try await ofVersions(.save) { store in try store.startKeepingHistory() }
  }

  /// Ends the history: removes all versions, and later saves keep none.
  ///
  /// - Throws: `closed`; `file` if the disk refuses.
  public func stopKeepingHistory() async throws(DocumentError) {
    try await ofVersions(.save) { store in try store.stopKeepingHistory() }
  }

  /// Returns the retention policy of the history; nil if there is no history.
  ///
  /// - Throws: as `versions()`.
  public func retentionPolicy() async throws(DocumentError) -> RetentionPolicy? {
    try await ofVersions(.edit) { store in try store.retentionPolicy() }
  }

  /// Sets the retention policy, for every program.
  ///
  /// - Throws: `closed`; `file`, with `noSuchVersion` if there is no history.
  public func setRetentionPolicy(_ policy: RetentionPolicy) async throws(DocumentError) {
    try await ofVersions(.save) { store in try store.setRetentionPolicy(policy) }
  }

  /// Sets whether the retention policy may drop these versions.
  ///
  /// - Throws: `closed`; `file`, with `noSuchVersion`.
  public func setDiscardable(_ isDiscardable: Bool, _ versions: Set<UUID>) async throws(DocumentError) {
    try await ofVersions(.save) { store in try store.setDiscardable(isDiscardable, versions) }
  }

  /// Removes versions for good, regardless of the policy; the other versions stay.
  ///
  /// Cost: the changes of these versions, which join those of the versions before them.
  ///
  /// - Throws: `closed`; `file`, with `noSuchVersion`. The versions then stay.
  public func removeVersions(_ versions: Set<UUID>) async throws(DocumentError) {
    try await ofVersions(.save) { store in try store.removeVersions(versions) }
  }

  /// Drops the versions that the policy does not keep. Saves do it by themselves now and then, and so does `close()`.
  ///
  /// - Parameters:
  ///   - date: the current date; by default the clock's.
  ///   - dryRun: whether to report the versions without dropping them.
  /// - Throws: `closed`; `file` if the disk refuses. Each version is then present or dropped, as a whole.
  @discardableResult
  public func thinHistory(at date: Date? = nil, dryRun: Bool = false) async throws(DocumentError)
    -> ThinningReport
  {
    try await ofVersions(.save) { store in
      try store.thinHistory(at: date ?? Environment.current.now().date, dryRun: dryRun)
    }
  }

  /// Sets another retention policy and drops the versions that it does not keep, in one transaction.
  ///
  /// - Parameter dryRun: whether to report the versions without a change.
  /// - Throws: as `thinHistory(at:dryRun:)`. The policy is then the earlier one, and all versions are present.
  @discardableResult
  package func thinHistory(
    under policy: RetentionPolicy, dryRun: Bool = false
  ) async throws(DocumentError) -> ThinningReport {
    try await ofVersions(.save) { store in
      try store.thinHistory(at: Environment.current.now().date, dryRun: dryRun, under: policy)
    }
  }

  /// Runs work on the versions, on a thread that may block.
  func ofVersions<Result: Sendable>(
    _ operation: DocumentError.Operation, _ body: @escaping @Sendable (ManagedStore) throws -> Result
  ) async throws(DocumentError) -> Result {
    guard isOpen else { throw error(.closed, operation) }
    do {
      return try await BlockingThread().run { [store] in try body(store) }
    } catch {
      throw report(failure(of: error, operation))
    }
  }
}
