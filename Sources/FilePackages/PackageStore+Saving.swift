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
  }

  /// Says what `save(_:options:)` would do, without touching anything.
  public func plan(_ tree: FileWrapper? = nil) throws(FilePackageError) -> SavePlan {
    try makePlan((tree ?? self.tree).changesSnapshot()).plan
  }

  /// Brings the package on disk to the state of `tree`, by default the one this store has.
  ///
  /// When it returns, the new state survives a power cut; a cut before that leaves the old state or the new
  /// one, whole. Only what changed is written; everything else, also what other programs changed meanwhile,
  /// stays as it is. Nothing is written when nothing changed.
  ///
  /// - Throws: `changedOnDisk` when another program changed a child that this would replace or remove, or put
  ///   another package in this one's place; other codes for what the system refuses. The package on disk is
  ///   then unchanged, and the tree still holds the edits.
  @discardableResult
  public func save(
    _ tree: FileWrapper? = nil, options: SavingOptions = []
  ) throws(FilePackageError) -> SaveReport {
    let tree = tree ?? self.tree
    let snapshot = tree.changesSnapshot()
    let (plan, draft) = try makePlan(snapshot)
    guard !plan.isEmpty || draft != nil else { return SaveReport(strategy: "none") }
    var staged = StagedPackage(
      plan, at: location, over: .base(status), options: .init(options), metadata: draft)
    var report = try staged.commit()
    try adopt(tree, snapshot)
    report.generation = try metadata()?.generation
    return report
  }

  /// Makes a new package of `tree` and opens it.
  ///
  /// - Parameter contentType: the identifier of the document's uniform type; nil for a package that is to hold
  ///   no metadata of ours.
  /// - Throws: `fileExists` when there is something at `url`; other codes for what the system refuses. There is
  ///   then nothing at `url` that was not there before.
  public static func create(
    _ tree: FileWrapper, at url: URL, contentType: String?
  ) async throws(FilePackageError) -> (store: PackageStore, report: SaveReport) {
    try await create(tree, FilePath(lossless: url.path), contentType: contentType, on: PosixDisk())
  }

  package static func create(
    _ tree: FileWrapper, _ path: FilePath, contentType: String?, on disk: any Disk
  ) async throws(FilePackageError) -> (store: PackageStore, report: SaveReport) {
    let location = Location(path, on: disk)
    let snapshot = tree.snapshot()
    let (plan, values) = try SavePlan(making: snapshot).withoutOurs(at: location)
    let draft = contentType.map { MetadataDraft(new: $0, values ?? [:], location) }
    var report = try Self.make(plan, at: location, draft, .create)
    let store = try await open(path, on: disk)
    try await store.adopt(tree, snapshot)
    report.generation = draft == nil ? nil : 1
    return (store, report)
  }

  /// Saves the tree, unsaved edits included, as a new document at `url`, with an identifier of its own. This
  /// package and this store stay as they are.
  ///
  /// Files are copied, by sharing their blocks where the file system can; never linked, since they would be
  /// one file in two documents.
  ///
  /// - Throws: as `create(_:at:contentType:)`.
  @discardableResult
  public func copy(to url: URL) throws(FilePackageError) -> SaveReport {
    let destination = Location(FilePath(lossless: url.path), on: location.disk)
    let (plan, draft) = try makeCopyPlan(to: destination)
    var report = try Self.make(plan, at: destination, draft, .copy)
    report.generation = draft == nil ? nil : 1
    return report
  }

  /// Says what `copy(to:)` would do, without touching anything.
  public func copyPlan(to url: URL) throws(FilePackageError) -> SavePlan {
    try makeCopyPlan(to: Location(FilePath(lossless: url.path), on: location.disk)).plan
  }

  // MARK: Planning

  private func makePlan(
    _ snapshot: PackageSnapshot
  ) throws(FilePackageError) -> (plan: SavePlan, draft: MetadataDraft?) {
    let known: PackageMetadata?
    do {
      known = try metadata()
    } catch {
      throw error.during(.save)
    }
    let whole: SavePlan
    do {
      whole = try SavePlan(saving: snapshot, over: location)
    } catch {
      throw error.during(.save)
    }
    let (plan, values) = try whole.withoutOurs(at: location)
    if plan.isEmpty && values == nil { return (plan, nil) }
    if let known { return (plan.rewriting(known), MetadataDraft(after: known, values, location)) }
    guard let values else { return (plan, nil) }
    // A package of another program's that now gets metadata: everything in it is read once.
    let present = PackageSnapshot(root: .init(StoredNode(location: location, path: .root), kind: .directory))
    let draft = MetadataDraft(
      new: nil, values, location, over: try ContentSummary(reading: present))
    return (plan, draft)
  }

  private func makeCopyPlan(
    to destination: Location
  ) throws(FilePackageError) -> (plan: SavePlan, draft: MetadataDraft?) {
    let original = StoredNode(location: location, path: .root)
    do {
      let (plan, values) = try SavePlan(making: tree.snapshot(), original: original)
        .withoutOurs(at: destination)
      if !(try tree.unsupportedNames()).isEmpty {
        let name = try tree.unsupportedNames()[0]
        throw FilePackageError(
          .wrongKind, .copy, original.child(name), reason: "what is not a file cannot be copied")
      }
      let draft = try metadata().map { MetadataDraft(copying: $0, values, destination) }
      return (plan, draft)
    } catch {
      throw (error as? FilePackageError)?.during(.copy)
        ?? FilePackageError(.inputOutput, .copy, document: destination.path.string)
    }
  }

  private static func make(
    _ plan: SavePlan, at location: Location, _ draft: MetadataDraft?, _ operation: FilePackageError.Operation
  ) throws(FilePackageError) -> SaveReport {
    var options = StagedPackage.Options()
    options.operation = operation
    options.sharesFiles = false
    var staged = StagedPackage(
      plan, at: location, over: .absent, options: options, metadata: draft)
    return try staged.commit()
  }

  // MARK: After a save

  /// Makes what was saved the state that the next save starts from.
  func adopt(_ tree: FileWrapper, _ snapshot: PackageSnapshot) throws(FilePackageError) {
    let node = try StoredNode.look(at: location.path, following: false, on: location.disk)
    guard let status = node.status else { return }
    var root = StoredNode(location: location, path: .root)
    root.status = status
    self.status = status
    self.tree = tree
    tree.settle(as: root, snapshot.root)
    loadMetadata()
  }
}

extension StagedPackage.Options {
  fileprivate init(_ options: PackageStore.SavingOptions) {
    self.init()
    overwritesReadOnly = options.contains(.overwritesReadOnly)
  }
}
