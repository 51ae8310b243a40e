import DurableIO
package import FileTrees
package import PackageFormat
import SystemPackage

/// Makes the new children of a save in place.
///
/// It checks that the nodes which the plan replaces are unchanged. It makes the new nodes that the record does not hold,
/// and adds up the children that came and went.
package struct NewChildren: ErrorNaming {
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
  var files: FileMaker

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

  /// Whether the save keeps the version that it replaces.
  var keepsVersion = false
  /// The digests that the package had, if they are known without reading.
  let known: StateTable?
  /// The nodes that need no further look; nil in a save without a session.
  var seen: PackageSession.Seen?

  var operation: FilePackageError.Operation { options.operation }

  init(
    _ plan: SavePlan, at location: Location, on disk: CountingDisk, options: StagedSave.Options,
    metadata: MetadataDraft?, known: StateTable?
  ) {
    self.plan = plan
    self.location = location
    self.options = options
    self.metadata = metadata
    hasMetadata = metadata != nil
    uncounted = metadata?.uncounted ?? []
    self.known = known
    self.disk = disk
    files = FileMaker(at: location, on: disk, options, hashes: true)
    report = SaveReport(strategy: .journal)
    location.progress.begin(plan, copiesFiles: false)
  }

  /// Counts a file or a link that the save makes from new contents.
  mutating func countWritten(_ path: PackagePath, size: UInt64) {
    if uncounted.contains(path) { return }
    written.count += 1
    written.bytes += size
  }
}
