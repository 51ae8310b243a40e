import DurableIO
import SystemPackage

/// Makes the new parts of a state of a package: what both ways to save have in common.
///
/// It checks that what the plan replaces is still what it was, writes, copies and links what is new into
/// directories that it is given, and adds up what came and what went.
package struct StateMaker {
  package typealias MadeMetadata = (metadata: PackageMetadata, plist: [UInt8])

  let plan: SavePlan
  let location: Location
  let options: StagedPackage.Options
  let metadata: MetadataDraft?
  let disk: CountingDisk
  let steps: [PackagePath: [SavePlan.Step]]

  var report: SaveReport
  /// The metadata of the new state, and its plist.
  var madeMetadata: MadeMetadata?
  /// What came and what went, where there is metadata to be told.
  var change = ContentSummary()
  /// What the plan replaces or removes, as it was right before.
  var replaced: [PackagePath: FileStatus] = [:]
  /// What went, where there is metadata to be told; a file that only moves is not read twice.
  var gone: [PackagePath: ChildSummary] = [:]
  /// What was made under a staged name.
  var come: [PackagePath: ChildSummary] = [:]
  /// What the manifest has to be told.
  var batch = ManifestBatch()
  /// The files that moved to another name by a link.
  var moved: Set<PackagePath> = []
  /// The folders of the old state that were looked at.
  let folders = OpenFolders()
  /// What was made under a staged name, as the file system has it.
  var made: [PackagePath: FileStatus] = [:]
  /// Synchronises new files while others are written, where there are many; nil where they are few.
  let synchronizer: FileSynchronizer?
  var canLink = true
  var canClone = true

  /// The names in the directory for new parts, for those that are not made under their own.
  var stagedNames: [PackagePath: FileName] = [:]
  /// The files and links of which a record will hold the bytes, so that they need not be made.
  var recorded: Set<PackagePath> = []
  /// What the record will say of them.
  var toRecord: [PackagePath: JournalRecord.Staged] = [:]
  /// What is kept of the version that is replaced; nil where it is not kept.
  var keeping: Keeping?
  /// The digests of what the package held, where they are known without reading it.
  let known: Manifest?

  init(
    _ plan: SavePlan, at location: Location, on disk: (any Disk)? = nil, options: StagedPackage.Options,
    metadata: MetadataDraft?, strategy: String, known: Manifest? = nil
  ) {
    self.plan = plan
    self.location = location
    self.options = options
    self.metadata = metadata
    self.known = known
    self.disk = disk as? CountingDisk ?? CountingDisk(disk ?? location.disk)
    steps = Dictionary(grouping: plan.steps, by: \.path.parent)
    report = SaveReport(strategy: strategy)
    // Those of a save in place have to be durable before its record is.
    let synchronizesMany = !options.sharesFiles && plan.steps.count(where: { $0.makesFile }) >= Self.manyFiles
    synchronizer = synchronizesMany ? FileSynchronizer(on: self.disk) : nil
    location.progress.begin(plan, copiesFiles: !options.sharesFiles)
  }

  /// Threads for fewer files cost more than they save.
  private static let manyFiles = 64

  /// The name under which a step's new part is made.
  func name(for step: SavePlan.Step) -> FileName? { stagedNames[step.path] ?? step.path.name }

  /// Whether the digests of what is made are needed.
  var hashes: Bool { metadata != nil || !stagedNames.isEmpty }

  /// Ends what was cancelled, while nothing is committed.
  func checkCancellation() throws(FilePackageError) {
    if options.isCancellable && Task.isCancelled { throw failure(.cancelled, .root) }
  }

  // MARK: Naming what failed

  func node(_ path: PackagePath) -> StoredNode {
    StoredNode(location: location, path: path)
  }

  func failure(
    _ code: FilePackageError.Code, _ path: PackagePath, reason: String? = nil
  ) -> FilePackageError {
    FilePackageError(code, options.operation, node(path), reason: reason)
  }

  /// Carries out system calls about the node at `path`.
  func attempt<Result: ~Copyable>(
    _ path: PackagePath, _ activity: String? = nil, _ body: () throws(SystemError) -> Result
  ) throws(FilePackageError) -> Result {
    do {
      return try body()
    } catch {
      throw FilePackageError(error, options.operation, node(path), activity: activity)
    }
  }
}
