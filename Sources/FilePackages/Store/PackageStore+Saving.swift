package import DurableIO
public import FoundationEssentials
package import SystemPackage

extension PackageStore {
  /// How a package is saved.
  public struct SavingOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: Int
    /// Makes a set of these bits.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// Children without any write permission are replaced and removed like others; by default that is an
    /// error, since a save that renames would pass the permission by.
    public static let overwritesReadOnly = SavingOptions(rawValue: 1)
    /// Returns as soon as the save survives a power cut. Other programs see it some hundredths of a second later;
    /// `publish()` waits for that. Of saves that follow each other within that time only the last is published.
    public static let returnsAtCommit = SavingOptions(rawValue: 2)
    /// Makes the new state beside the old one and exchanges the two directories, instead of saving in place:
    /// then programs that know nothing of this library see all changes at once, at the price of a link for
    /// every child.
    public static let staged = SavingOptions(rawValue: 4)
    /// Publishes without waiting for the disk: other programs see the save one flush after it began instead of
    /// four. It survives a power cut like any other, but a program that knows nothing of this library may then
    /// find changed files empty, missing or as they were, until this library has opened the package once. What is missing is
    /// put on the medium by the next save, by `close()`, or after some seconds.
    public static let relaxed = SavingOptions(rawValue: 8)
    /// Keeps the version that the save replaces, and from then on every save does, of whatever program: the document
    /// has a history. Costs a rename for each child that is replaced or removed, where one without it costs an
    /// unlink. Packages without metadata have none.
    public static let keepsHistory = SavingOptions(rawValue: 16)
    /// Cancelling the task ends the save with `cancelled`, and nothing has happened; once the save is committed, it goes on
    /// to its end. By default a save that is begun is ended.
    public static let cancellable = SavingOptions(rawValue: 64)
  }

  /// Says what `save(_:options:)` would do, without touching anything: a save that waits to be published goes on waiting, and
  /// what it has is no part of the plan. While one waits, the plan for another tree than this store's is made over the state
  /// on disk.
  public func plan(_ tree: FileWrapper? = nil) throws(FilePackageError) -> SavePlan {
    let tree = tree ?? self.tree
    guard let pending else {
      try settle()
      return try makePlan(tree).plan
    }
    let made = try makePlan(tree)
    return pending.tree === tree ? made.plan.since(pending.snapshot, made.snapshot) : made.plan
  }

  /// Brings the package on disk to the state of `tree`, by default the one this store has.
  ///
  /// When it returns, the new state survives a power cut; a cut before that leaves the old state or the new
  /// one, whole. Only what changed is written; everything else, also what other programs changed meanwhile,
  /// stays as it is. Nothing is written when nothing changed.
  ///
  /// Cost: the bytes of the changed children and one flush to commit; a rename for each changed child and a
  /// synchronisation for it and for each folder with changes to publish. The first save of a store makes the
  /// journal, which costs two flushes more. Children that did not change cost nothing.
  ///
  /// - Throws: `changedOnDisk` when another program changed a child that this would replace or remove, or put
  ///   another package in this one's place; `busy`; `indeterminate` when the system failed at the last moment,
  ///   after which saving again does what is left; other codes for what the system refuses. The package on disk
  ///   is then unchanged, but for `indeterminate` and for `noSuchFile`, when another program removed the package
  ///   meanwhile, and the tree still holds the edits. Once the save is committed nothing is an error: the report's
  ///   `warnings` say what is left to be done.
  @discardableResult
  public func save(
    _ tree: FileWrapper? = nil, options: SavingOptions = []
  ) throws(FilePackageError) -> SaveReport {
    let tree = tree ?? self.tree
    if let report = try saveOverPending(tree, options) { return report }
    try publishEarlier()
    let isConfirmed = try settle()
    let made = try makePlan(tree)
    guard !made.plan.isEmpty || !isConfirmed else {
      adoptIdentical(made.snapshot, of: tree)
      return SaveReport(strategy: "none")
    }
    guard isConfirmed, !options.contains(.staged) else { return try saveStaged(tree, options) }
    do {
      return try saveInJournal(tree, made, options)
    } catch {
      // A folder that may not get a hidden one may still be replaced.
      guard error.code == .permissionDenied, error.call == "mkdirat", session == nil else { throw error }
      return try saveStaged(tree, options)
    }
  }

  /// Publishes what an earlier save left, before anything else is saved.
  private func publishEarlier() throws(FilePackageError) {
    do throws(FilePackageError) {
      try publish()
    } catch {
      throw error.during(.save)
    }
  }

  /// What was edited to what is on disk already is no edit any more.
  private func adoptIdentical(_ snapshot: PackageSnapshot, of tree: FileWrapper) {
    guard tree === self.tree, case .directory(let changes) = snapshot.root.content, !changes.isEmpty else {
      return
    }
    var saved = Unsettled(tree, snapshot, in: status, nil)
    saved.isUnchanged = true
    adopt(saved)
  }

  private func saveStaged(
    _ tree: FileWrapper, _ options: SavingOptions
  ) throws(FilePackageError) -> SaveReport {
    // Where the folder cannot be written, nobody can save in it either.
    _ = try canHoldSession()
    defer { endFailedSession() }
    try settleLeftovers(tree, session)
    let isConfirmed = unsettled == nil
    let (plan, snapshot, draft) = try makePlan(tree)
    guard !plan.isEmpty || !isConfirmed else { return SaveReport(strategy: "none") }
    var staged = StagedPackage(
      plan, at: location, over: .base(status), options: .init(options), metadata: draft,
      known: merge?.isUnaccounted == true ? nil : session?.manifest)
    staged.history = try historyBytes()
    // One that cannot be read stays as it is.
    let keepsVersion = staged.history.map { HistoryFile($0) != nil } ?? options.contains(.keepsHistory)
    if keepsVersion && merge?.isUnaccounted != true { staged.keepVersion() }
    if let merge { staged.maker.account(for: merge) }
    if let hidden = session?.hidden, hidden.isNew { staged.rootDate = hidden.packageStatus.modified }
    do {
      let report = try staged.commit()
      // What was open is of the old state, which is gone.
      session?.abandon()
      session = nil
      othersWroteValues = false
      adopt(Unsettled(tree, snapshot, staged, isConfirmed: true))
      return report
    } catch {
      if error.code == .indeterminate { unsettled = Unsettled(tree, snapshot, staged, isConfirmed: false) }
      stale = tree === self.tree ? [tree] : [tree, self.tree]
      // A disk that cannot be looked at now is looked at before the next save.
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
  /// - Parameter contentType: the identifier of the document's uniform type; nil for a package that is to hold
  ///   no metadata of ours, unless the tree has a `Metadata.plist` with values for it.
  /// - Parameter program: the program that makes it, as the metadata name it.
  /// - Throws: `fileExists` when there is something at `url`; other codes for what the system refuses. There is
  ///   then nothing at `url` that was not there before.
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
    await store.adopt(Unsettled(tree, snapshot, staged, isConfirmed: true))
    return (store, report)
  }

  /// Says what `create(_:at:contentType:)` would do, without touching anything.
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

  /// Saves the tree, unsaved edits included, as a new document at `url`, with an identifier of its own. This
  /// package and this store stay as they are.
  ///
  /// Files are copied, by sharing their blocks where the file system can; never linked, since they would be
  /// one file in two documents. Holes stay holes. FIFOs, sockets and devices are left out, and so are set-user-ID and
  /// set-group-ID bits of files; the report says which were left out, what was written, and what shares its blocks.
  ///
  /// - Throws: as `create(_:at:contentType:)`; `unsupported` for a place within this package; `cancelled` when the task is
  ///   cancelled before the copy is in its place.
  @discardableResult
  public func copy(to url: URL) throws(FilePackageError) -> SaveReport {
    try copy(to: url, progress: ByteProgress())
  }

  /// - Parameter progress: tells how far it is.
  package func copy(to url: URL, progress: ByteProgress) throws(FilePackageError) -> SaveReport {
    let path = try FilePath(of: url, for: .copy)
    let destination = Location(path, on: location.disk, progress: progress)
    let (plan, planned) = try makeCopyPlan(to: destination)
    var draft = planned
    draft?.program = program
    return try Self.make(plan, at: destination, draft, .copy, isCancellable: true).report
  }

  /// Says what `copy(to:)` would do, without touching anything.
  public func copyPlan(to url: URL) throws(FilePackageError) -> SavePlan {
    try makeCopyPlan(to: Location(FilePath(of: url, for: .copy), on: location.disk)).plan
  }

  // MARK: Planning

  private typealias Draft = (_ values: [String: PropertyListValue]?) throws(FilePackageError) ->
    MetadataDraft?

  typealias MadePlan = (plan: SavePlan, snapshot: PackageSnapshot, draft: MetadataDraft?)

  func makePlan(_ tree: FileWrapper) throws(FilePackageError) -> MadePlan {
    var made = try makePlan(tree, known: tree === self.tree ? nil : self.tree, dropsIdentical: merge == nil)
    made.draft?.program = program
    return made
  }

  /// The manifest that is in memory, where it is of the state on disk.
  private var currentManifest: Manifest? {
    guard let manifest = session?.manifest, manifest.revision == knownMetadata?.revision else { return nil }
    return manifest
  }

  /// - Parameters:
  ///   - seen: the tree that knows the package on disk, where `tree` may be of another origin; nil for one that was read from
  ///     there.
  ///   - dropsIdentical: whether to leave out what is on disk as it is to be.
  func makePlan(
    _ tree: FileWrapper, known seen: FileWrapper?, dropsIdentical: Bool = true
  ) throws(FilePackageError) -> MadePlan {
    let snapshot = tree.changesSnapshot()
    do throws(FilePackageError) {
      let known = try metadata()
      var (plan, values) = try SavePlan(saving: snapshot, over: location, known: seen)
        .withoutOurs(at: location)
      // Over a save that waits, the disk is not what the new state is told from; and where versions are brought together, the
      // children of the other one are written anew.
      if pending == nil && dropsIdentical { plan = plan.withoutIdentical(known: currentManifest) }
      if !othersWroteValues && values == known?.applicationValues { values = nil }
      if othersWroteValues && values != nil {
        throw FilePackageError(
          .changedOnDisk, .save, StoredNode(location: location, path: PackagePath([PackageLayout.metadata])))
      }
      if case .present(let known, let status) = metadataState {
        // Going back to a state of the same bytes is a step all the same.
        if plan.isEmpty && values == nil && unsettled == nil && contentRevision == nil {
          return (plan, snapshot, nil)
        }
        return (
          plan.writingMetadata(over: status), snapshot,
          MetadataDraft(
            after: known, values, location, superseding: pending?.metadata, contentRevision: contentRevision,
            merging: merge?.parents ?? [], at: clock())
        )
      }
      guard known == nil, let values else { return (plan, snapshot, nil) }
      // A package of another program's that now gets metadata: everything in it is read once.
      let present = PackageSnapshot(
        root: .init(StoredNode(location: location, path: .root), kind: .directory))
      let draft = MetadataDraft(new: nil, values, location, over: try ContentSummary(reading: present))
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

  /// Whether a place is in this package, or in a folder in it.
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
