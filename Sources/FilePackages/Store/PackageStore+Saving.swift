package import DurableIO
public import FoundationEssentials
package import SystemPackage

extension PackageStore {
  /// The ways to save a package.
  public struct SavingOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: Int
    /// Makes a set of these bits.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// Replaces and removes children without any write permission like other children. By default that is an error,
    /// since the renames of a save would ignore the permission.
    public static let overwritesReadOnly = SavingOptions(rawValue: 1)
    /// Returns as soon as the save is durable. Other programs see it some hundredths of a second later; `publish()`
    /// waits for that. If several saves follow each other within that time, the store publishes only the last one.
    public static let returnsAtCommit = SavingOptions(rawValue: 2)
    /// Makes the new state beside the old one and exchanges the two directories, instead of saving in place. Programs
    /// that do not use this library then see all changes at once. The price is a link for every child.
    public static let staged = SavingOptions(rawValue: 4)
    /// Publishes without waiting for the disk: other programs see the save one flush after it began instead of four.
    ///
    /// The save is as durable as any other. After a power cut, changed files may be empty, missing or as they
    /// were. A program that does not use this library may find them so until this library has opened the package once.
    /// The next save, `close()` or an idle time of some seconds makes the missing flushes.
    public static let relaxed = SavingOptions(rawValue: 8)
    /// Keeps the version that the save replaces, and starts a history: from then on every program's saves keep theirs.
    ///
    /// Costs a rename for each child that a save replaces or removes, instead of an unlink. Packages without metadata
    /// have no history.
    public static let keepsHistory = SavingOptions(rawValue: 16)
    /// Ends the save with `cancelled` and without any effect if the task is cancelled before the commit. After the
    /// commit the save goes on to its end. By default every save goes on to its end.
    public static let cancellable = SavingOptions(rawValue: 64)
  }

  /// Returns the plan of `save(_:options:)`, without touching anything.
  ///
  /// A save that waits to be published goes on waiting, and its changes are no part of the plan. While one waits, the
  /// plan for another tree than this store's starts from the state on disk.
  public func plan(_ tree: FileWrapper? = nil) throws(FilePackageError) -> SavePlan {
    let request = SaveRequest(tree ?? self.tree)
    guard let waiting = state.waiting else {
      try settle()
      return try makePlan(request).plan
    }
    let made = try makePlan(request)
    return waiting.tree === request.tree ? made.plan.since(waiting.snapshot, made.snapshot) : made.plan
  }

  /// Brings the package on disk to the state of `tree`, by default this store's tree.
  ///
  /// When it returns, the new state is durable; a power cut before that leaves the old state or the new one, whole. The
  /// save writes only the changed children. All other children stay as they are, also those that other programs changed
  /// meanwhile. If nothing changed, it writes nothing.
  ///
  /// Cost of the commit: the bytes of the changed children and one flush. Cost of publishing: a rename and a
  /// synchronisation for each changed child, and a synchronisation for each folder with changes. The first save of a
  /// store makes the journal, which costs two flushes more. Children that did not change cost nothing.
  ///
  /// - Throws: `changedOnDisk` if another program changed a child that this save would replace or remove, or put
  ///   another package in this one's place. `busy`. `indeterminate` if the system failed at the last moment; saving
  ///   again then does the rest. Other codes for the system's reasons.
  ///
  /// After an error the package on disk is unchanged and the tree still holds the edits. The package may differ only
  /// after `indeterminate`, and after `noSuchFile`, if another program removed the package meanwhile. Once the save is
  /// committed nothing is an error: the report's `warnings` name the work that is left.
  @discardableResult
  public func save(
    _ tree: FileWrapper? = nil, options: SavingOptions = []
  ) throws(FilePackageError) -> SaveReport {
    try save(SaveRequest(tree ?? self.tree, options))
  }

  func save(_ request: SaveRequest) throws(FilePackageError) -> SaveReport {
    if let report = try supersede(request) { return report }
    try publishEarlier()
    let isConfirmed = try settle()
    let made = try makePlan(request)
    if made.plan.isEmpty && isConfirmed { return adoptIdentical(made.snapshot, of: request.tree) }
    guard isConfirmed, !request.options.contains(.staged) else { return try saveStaged(request) }
    do {
      return try saveInJournal(request, made)
    } catch {
      // If the folder may not get a hidden folder, a staged save may still replace it.
      guard error.code == .permissionDenied, error.call == "mkdirat", session == nil else { throw error }
      return try saveStaged(request)
    }
  }

  /// Publishes the waiting save before the next one.
  private func publishEarlier() throws(FilePackageError) {
    do throws(FilePackageError) {
      try publish()
    } catch {
      throw error.during(.save)
    }
  }

  /// Makes edits part of the baseline if the disk already has the same bytes: they are no edits any more.
  private func adoptIdentical(_ snapshot: PackageSnapshot, of tree: FileWrapper) -> SaveReport {
    let report = SaveReport(strategy: "none")
    guard tree === self.tree, case .directory(let changes) = snapshot.root.content, !changes.isEmpty else {
      return report
    }
    var saved = PublishedSave(tree, snapshot, in: baseline.status, nil)
    saved.isUnchanged = true
    if case .clean = state { adopt(saved) } else { try? settle(saved, as: baseline.status) }
    return report
  }

  private func saveStaged(_ request: SaveRequest) throws(FilePackageError) -> SaveReport {
    let (tree, options, merge) = (request.tree, request.options, request.merge)
    // If the folder cannot be written, no other program can save in it either.
    _ = try canHoldSession()
    defer { endFailedSession() }
    try settleLeftovers(tree, session)
    let isConfirmed = state.unsettled == nil
    let (plan, snapshot, draft) = try makePlan(request)
    guard !plan.isEmpty || !isConfirmed else { return SaveReport(strategy: "none") }
    var staged = StagedPackage(
      plan, at: location, over: .base(baseline.status), options: .init(options), metadata: draft,
      known: merge?.isUnaccounted == true ? nil : session?.manifest)
    staged.history = try historyBytes()
    // A history that cannot be read stays as it is.
    let keepsVersion = staged.history.map { HistoryFile($0) != nil } ?? options.contains(.keepsHistory)
    if keepsVersion && merge?.isUnaccounted != true { staged.keepVersion() }
    if let merge { staged.builder.account(for: merge) }
    if let hidden = session?.hidden, hidden.isNew { staged.rootDate = hidden.packageStatus.modified }
    do {
      let report = try staged.commit()
      // The open session belongs to the old state, which is gone.
      session?.abandon()
      session = nil
      baseline.othersWroteValues = false
      adopt(PublishedSave(tree, snapshot, staged))
      return report
    } catch {
      if error.code == .indeterminate { state = .unconfirmed(PublishedSave(tree, snapshot, staged)) }
      baseline.stale = trees(with: tree)
      // If the disk cannot be looked at, `settle()` runs again before the next save.
      _ = try? settle()
      throw error
    }
  }

  private func canHoldSession() throws(FilePackageError) -> Bool {
    do {
      _ = try openSession()
      return true
    } catch {
      guard error.code == .permissionDenied, error.call == "mkdirat" else { throw error }
      return false
    }
  }

  /// Makes a new package of `tree` and opens it.
  ///
  /// - Parameter contentType: the identifier of the document's uniform type; nil for a package without metadata, unless
  ///   the tree has a `Metadata.plist` with values for it.
  /// - Parameter program: the program that makes the package, for the metadata.
  /// - Throws: `fileExists` if there is something at `url`; other codes for the system's reasons. After an error, `url`
  ///   has only what it had before.
  public static func create(
    _ tree: FileWrapper, at url: URL, contentType: String?, by program: SavingProgram = .current
  ) async throws(FilePackageError) -> (store: PackageStore, report: SaveReport) {
    try await create(
      tree, FilePath(of: url, for: .create), contentType: contentType, on: PosixDisk(), delays: .standard,
      by: program)
  }

  package static func create(
    _ tree: FileWrapper, _ path: FilePath, contentType: String?, on disk: any Disk,
    journalCapacity: Int = JournalFile.capacity, delays: Delays = .none,
    by program: SavingProgram = .current
  ) async throws(FilePackageError) -> (store: PackageStore, report: SaveReport) {
    let location = Location(path, on: disk)
    let snapshot = tree.snapshot()
    let (plan, planned) = try makePlan(of: snapshot, contentType: contentType, at: location)
    var draft = planned
    draft?.program = program
    let (staged, report) = try make(plan, at: location, draft, .create)
    guard let made = staged.made else {
      throw FilePackageError(.notAPackage, .create, document: FileName(path).string)
    }
    let root = StoredNode(location: location, path: .root, status: made)
    let store = PackageStore(
      root, status: made, tree: tree, journalCapacity: journalCapacity, delays: delays)
    await store.setProgram(program)
    await store.adopt(PublishedSave(tree, snapshot, staged))
    return (store, report)
  }

  /// Returns the plan of `create(_:at:contentType:)`, without touching anything.
  public static func plan(
    creating tree: FileWrapper, at url: URL, contentType: String?
  ) throws(FilePackageError) -> SavePlan {
    let location = try Location(FilePath(of: url, for: .create), on: PosixDisk())
    return try makePlan(of: tree.snapshot(), contentType: contentType, at: location).plan
  }

  private static func makePlan(
    of snapshot: PackageSnapshot, contentType: String?, at location: Location
  ) throws(FilePackageError) -> (plan: SavePlan, draft: MetadataDraft?) {
    try makePlan(of: snapshot, original: nil, at: location, .create) { values in
      contentType == nil && values == nil ? nil : MetadataDraft(new: contentType, values ?? [:], location)
    }
  }

  /// Saves the tree, unsaved edits included, as a new document at `url`, with an identifier of its own.
  ///
  /// This package and this store stay as they are. The copy shares blocks with the files if the file system can share
  /// them. It has no hard links, since a linked file would belong to two documents. Holes stay holes. The copy leaves
  /// out FIFOs, sockets and devices, and set-user-ID and set-group-ID bits of files. The report names the omissions,
  /// the files that were written, and those that share their blocks.
  ///
  /// - Throws: as `create(_:at:contentType:)`; `unsupported` for a place within this package; `cancelled` if the task
  ///   is cancelled before the copy is in its place.
  @discardableResult
  public func copy(to url: URL) throws(FilePackageError) -> SaveReport {
    try copy(to: url, progress: ByteProgress())
  }

  /// - Parameter progress: the progress of the copy.
  package func copy(to url: URL, progress: ByteProgress) throws(FilePackageError) -> SaveReport {
    let path = try FilePath(of: url, for: .copy)
    let destination = Location(path, on: location.disk, progress: progress)
    let (plan, planned) = try makeCopyPlan(to: destination)
    var draft = planned
    draft?.program = program
    return try Self.make(plan, at: destination, draft, .copy, isCancellable: true).report
  }

  /// Returns the plan of `copy(to:)`, without touching anything.
  public func copyPlan(to url: URL) throws(FilePackageError) -> SavePlan {
    try makeCopyPlan(to: Location(FilePath(of: url, for: .copy), on: location.disk)).plan
  }

  // MARK: Planning

  private typealias Draft = (_ values: [String: PropertyListValue]?) throws(FilePackageError) ->
    MetadataDraft?

  typealias PlannedSave = (plan: SavePlan, snapshot: PackageSnapshot, draft: MetadataDraft?)

  func makePlan(_ request: SaveRequest) throws(FilePackageError) -> PlannedSave {
    try makePlan(request, known: request.tree === tree ? nil : tree, dropsIdentical: request.merge == nil)
  }

  /// The session's manifest, if it belongs to the state on disk.
  private var currentManifest: Manifest? {
    guard let manifest = session?.manifest, manifest.revision == knownMetadata?.revision else { return nil }
    return manifest
  }

  /// - Parameters:
  ///   - seen: the tree that knows the package on disk, if `tree` may come from elsewhere; nil if `tree` was read from
  ///     there.
  ///   - dropsIdentical: whether to leave out children that the disk already has as they should be.
  func makePlan(
    _ request: SaveRequest, known seen: FileWrapper?, dropsIdentical: Bool = true
  ) throws(FilePackageError) -> PlannedSave {
    let snapshot = request.tree.changesSnapshot()
    do throws(FilePackageError) {
      let known = try metadata()
      var (plan, values) = try SavePlan(saving: snapshot, over: location, known: seen)
        .withoutOurs(at: location)
      // If a save waits, the disk is not the baseline of the new state. A merge writes the other version's children
      // anew.
      if state.waiting == nil && dropsIdentical { plan = plan.withoutIdentical(known: currentManifest) }
      if !baseline.othersWroteValues && values == known?.applicationValues { values = nil }
      if baseline.othersWroteValues && values != nil {
        throw FilePackageError(
          .changedOnDisk, .save, StoredNode(location: location, path: PackagePath([PackageLayout.metadata])))
      }
      if case .present(let known, let status) = baseline.metadata {
        // A return to a state of the same bytes is still a step.
        if plan.isEmpty && values == nil && state.unsettled == nil && request.contentRevision == nil {
          return (plan, snapshot, nil)
        }
        var draft = MetadataDraft(
          after: known, values, location, superseding: state.waiting?.metadata,
          contentRevision: request.contentRevision, merging: request.merge?.parents ?? [], at: clock())
        draft.program = program
        return (plan.writingMetadata(over: status), snapshot, draft)
      }
      guard known == nil, let values else { return (plan, snapshot, nil) }
      // If another program's package gets its first metadata, the store reads everything in it once.
      let present = PackageSnapshot(
        root: .init(StoredNode(location: location, path: .root), kind: .directory))
      var draft = MetadataDraft(new: nil, values, location, over: try ContentSummary(reading: present))
      draft.program = program
      return (plan.writingMetadata(over: nil), snapshot, draft)
    } catch {
      throw error.during(.save)
    }
  }

  private func makeCopyPlan(
    to destination: Location
  ) throws(FilePackageError) -> (plan: SavePlan, draft: MetadataDraft?) {
    let original = StoredNode(location: location, path: .root)
    if try isWithin(destination) {
      throw FilePackageError(
        .unsupported, .copy, StoredNode(location: destination, path: .root),
        reason: "it would be within the document that it is a copy of")
    }
    let known: PackageMetadata?
    do {
      known = try metadata()
    } catch {
      throw error.during(.copy)
    }
    let (plan, draft) = try Self.makePlan(of: tree.snapshot(), original: original, at: destination, .copy) {
      values in
      if let known { return MetadataDraft(copying: known, values, destination) }
      return values.map { MetadataDraft(new: nil, $0, destination) }
    }
    return (plan, draft)
  }

  /// Returns whether a place is in this package, or in a folder in it.
  private func isWithin(_ destination: Location) throws(FilePackageError) -> Bool {
    let disk = location.disk
    do {
      let package = try disk.status(of: try location.openDirectory(.root)).identity
      var path = destination.path.folder
      var above = try disk.status(of: try disk.openDirectory(at: path)).identity
      while !above.isSameNode(as: package) {
        path = FilePath(path.string + "/..")
        let next = try disk.status(of: try disk.openDirectory(at: path)).identity
        if next.isSameNode(as: above) { return false }
        above = next
      }
      return true
    } catch {
      throw FilePackageError(
        error, .copy, StoredNode(location: destination, path: .root),
        activity: "opening the folder that holds it")
    }
  }

  private static func makePlan(
    of snapshot: PackageSnapshot, original: StoredNode?, at location: Location,
    _ operation: FilePackageError.Operation, _ draft: Draft
  ) throws(FilePackageError) -> (plan: SavePlan, draft: MetadataDraft?) {
    do throws(FilePackageError) {
      guard case .directory(let changes) = snapshot.root.content else {
        throw FilePackageError(.notAPackage, operation, document: FileName(location.path).string)
      }
      if let hidden = changes[PackageLayout.hidden]?.now, hidden.stored == nil {
        throw FilePackageError(
          .reservedName, operation, StoredNode(location: location, path: PackagePath([PackageLayout.hidden])))
      }
      let (plan, values) = try SavePlan(making: snapshot, original: original).withoutOurs(at: location)
      guard let draft = try draft(values) else { return (plan, nil) }
      return (plan.writingMetadata(over: nil), draft)
    } catch {
      throw error.during(operation).of(location)
    }
  }

  private static func make(
    _ plan: SavePlan, at location: Location, _ draft: MetadataDraft?,
    _ operation: FilePackageError.Operation, isCancellable: Bool = false
  ) throws(FilePackageError) -> (staged: StagedPackage, report: SaveReport) {
    var options = StagedPackage.Options()
    options.operation = operation
    options.sharesFiles = false
    options.isCancellable = isCancellable
    var staged = StagedPackage(
      plan, at: location, over: .absent, options: options, metadata: draft)
    let report = try staged.commit()
    return (staged, report)
  }
}

extension StagedPackage.Options {
  init(_ options: PackageStore.SavingOptions) {
    self.init()
    overwritesReadOnly = options.contains(.overwritesReadOnly)
    isCancellable = options.contains(.cancellable)
  }
}
