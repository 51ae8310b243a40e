import DurableIO
package import FileTrees
package import PackageFormat
import SystemPackage

/// Makes the new children of a state of a package, for both ways to save.
///
/// It checks that the nodes which the plan replaces are unchanged. It writes, copies and links new nodes into the
/// directories that it is given, and adds up the children that came and went.
package struct NewChildren {
  package typealias MadeMetadata = (metadata: PackageMetadata, plist: [UInt8])

  package let plan: SavePlan
  package let location: Location
  package let options: StagedSave.Options
  let metadata: MetadataDraft?
  /// Whether the package gets metadata.
  let hasMetadata: Bool
  /// The children that the sums of the metadata leave out.
  let uncounted: Set<PackagePath>
  let disk: CountingDisk
  let steps: [PackagePath: [SavePlan.Step]]

  package var report: SaveReport
  /// The written files and links that the sums of the metadata count, and the bytes of these files.
  private(set) var written = (count: 0, bytes: UInt64(0))
  /// The metadata of the new state, and its plist.
  var madeMetadata: MadeMetadata?
  /// The rows of the save: with digests if there is metadata for them.
  package var changes = Changes()
  /// The files that moved to another name by a link.
  var moved: Set<PackagePath> = []
  /// The folders of the old state that were looked at.
  package let folders = OpenFolders()
  /// Syncs new files while other files are written, if there are many; nil if there are few.
  let synchronizer: FileSynchronizer?
  var canLink = true
  /// Whether the file system of the new state may refuse names; nil until that matters.
  var limitsNames: Bool?
  var canClone = true

  /// Whether the save keeps the version that it replaces.
  var keepsVersion = false
  /// The digests that the package had, if they are known without reading.
  let known: Manifest?
  /// Whether the digests of new children are needed.
  let hashes: Bool
  /// The nodes that need no further look; nil in a save without a session.
  var seen: PackageSession.Seen?

  /// - Parameter hashes: whether the digests of new children are needed, even without metadata.
  init(
    _ plan: SavePlan, at location: Location, on disk: CountingDisk? = nil, options: StagedSave.Options,
    metadata: MetadataDraft?, strategy: SaveReport.Strategy, known: Manifest? = nil, hashes: Bool = false
  ) {
    self.plan = plan
    self.location = location
    self.options = options
    self.metadata = metadata
    hasMetadata = metadata != nil
    uncounted = metadata?.uncounted ?? []
    self.known = known
    self.hashes = hashes || hasMetadata
    self.disk = disk ?? CountingDisk(location.disk)
    steps = Dictionary(grouping: plan.steps, by: \.path.parent)
    report = SaveReport(strategy: strategy)
    // The files of a save in place must be durable before its record.
    let synchronizesMany = !options.sharesFiles && plan.steps.count(where: { $0.makesFile }) >= Self.manyFiles
    synchronizer = synchronizesMany ? FileSynchronizer(on: self.disk) : nil
    location.progress.begin(plan, copiesFiles: !options.sharesFiles)
  }

  /// The number of files from which on threads save more than they cost.
  private static let manyFiles = 64

  /// Counts a file or a link that the save makes from new contents.
  mutating func countWritten(_ path: PackagePath, size: UInt64) {
    if uncounted.contains(path) { return }
    written.count += 1
    written.bytes += size
  }

  /// Throws `cancelled` if the task is cancelled; the callers have committed nothing.
  func checkCancellation() throws(FilePackageError) {
    if options.isCancellable && Task.isCancelled { throw failure(.cancelled, .root) }
  }

  // MARK: Naming failures

  func node(_ path: PackagePath) -> StoredNode {
    StoredNode(location: location, path: path)
  }

  func failure(
    _ code: FilePackageError.Code, _ path: PackagePath, reason: String? = nil
  ) -> FilePackageError {
    FilePackageError(code, options.operation, node(path), reason: reason)
  }

  /// Makes system calls about the node at `path`.
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
