package import DurableIO
package import FileTrees
package import PackageFormat
import SystemPackage

// SP1 Nothing under the package's name changes before the exchange.
// SP2 Every file and directory of the new state is synced before it comes to its place. Before an exchange, the folder
//     that holds both states is synced, too.
// SP3 The exchange is synced before anything of the old state is removed.
// SP4 If the node that comes out of an exchange is another one than the save may replace, the exchange is taken back,
//     so that another program's edit is never lost.
// SP5 An error leaves the old state in its place and nothing beside it.

/// A new package, or a flat file, made beside its place and put there in one step.
///
/// After a power cut at any instant the place has the old node or the new one. The next save at this place removes a
/// hidden node that the cut left beside it.
package struct StagedSave {
  /// The content of the package's place before the save.
  package enum Destination: Sendable {
    /// Nothing may be there.
    case absent
    /// Nothing, or a node that is not a directory, which goes.
    case file
    /// Nothing or any node, which goes.
    case anything
    /// The file that was read or last written. If another file stands there, it stays, and the save fails.
    case unchanged(FileStatus)
  }

  /// The options of a save.
  package struct Options: Sendable {
    package var operation = FilePackageError.Operation.save
    /// Whether unchanged files may be hard links to their originals; not in a copy, which is a document of its own.
    package var sharesFiles = true
    /// Whether children without any write permission may be replaced or removed.
    package var overwritesReadOnly = false
    /// Whether cancelling the task ends the save, up to the commit.
    package var isCancellable = false
    /// Whether copies keep the bits for which programs and folders act for another user or group.
    var keepsRights = false

    package init() {}

    /// The options of a copy that takes the place of its original.
    static var moving: Options {
      var options = Options()
      options.operation = .move
      (options.sharesFiles, options.keepsRights) = (false, true)
      return options
    }
  }

  package let location: Location
  let destination: Destination
  package let options: Options
  let disk: CountingDisk
  var children: NewChildren

  /// The status of the new state's own directory, or file, once it is made.
  package internal(set) var made: FileStatus?
  /// The metadata that was written, and its file.
  package var madeMetadata: (metadata: PackageMetadata, status: FileStatus)? {
    guard let metadata = children.madeMetadata?.metadata,
      let metadataFile
    else { return nil }
    return (metadata, metadataFile)
  }
  private var metadataFile: FileStatus?
  /// The sums that the children must have before the new state comes to its place; nil if any are right.
  var summary: ContentSummary?

  /// - Parameters:
  ///   - location: the package's place.
  ///   - metadata: completed and written after everything else; nil for a package without metadata.
  package init(
    _ plan: SavePlan, at location: Location, over destination: Destination, options: Options = Options(),
    metadata: MetadataDraft? = nil
  ) {
    self.location = location
    self.destination = destination
    self.options = options
    children = NewChildren(
      plan, at: location, options: options, metadata: metadata, strategy: .staged)
    disk = children.disk
  }

  /// Makes the new state beside the old one and puts it into its place (SP1).
  ///
  /// When it returns, the new state is durable.
  ///
  /// Cost: the bytes of the new files; a link, or a copy, for each file of an original. A sync for each new file, for
  /// each directory and for the folder; one more if it replaces something.
  ///
  /// - Throws: `FilePackageError`. The old state is then in its place and nothing is left beside it, except after
  ///   `indeterminate` (SP5).
  package mutating func commit() throws(FilePackageError) -> SaveReport {
    do {
      return try commitUnnamed()
    } catch {
      // The caller sees a save that failed, whatever step it was.
      throw error.during(options.operation)
    }
  }

  private mutating func commitUnnamed() throws(FilePackageError) -> SaveReport {
    let (path, disk) = (location.path, disk)
    let place = try attempt(.root, "opening the folder that contains it") { () throws(SystemError) in
      try StagingLocation(at: path, on: disk)
    }
    guard let place else { throw failure(.invalidName, .root) }
    let placement = try make(at: place)
    children.report.leftAlone += children.plan.leftAlone.map(\.string)
    children.report.leftAlone.sort()
    children.report.leftOut = children.plan.leftOut.map(\.string)
    children.report.written.sort()
    children.report.removed.sort()
    if placement == .swapped, !place.removeStaged() {
      let left = place.staged.display
      children.report.leftover = left
      children.report.note(SaveWarning(.leftover, reason: "'\(left)' beside it could not be removed"))
    }
    children.report.synchronizations = disk.counts.synchronizations
    children.report.generation = madeMetadata?.metadata.generation
    return children.report
  }

  private mutating func make(at place: StagingLocation) throws(FilePackageError) -> Placement {
    switch destination {
    case .absent: try refuseAnything(at: place)
    case .file: try refuseDirectory(at: place)
    case .unchanged(let known): try refuseChanged(known, at: place)
    case .anything: break
    }
    try cleanUp(place)
    if case .absent = destination { place.siblings.sweep(place.folder) }
    if let step = children.plan.steps.first, step.path.isRoot { return try makeAlone(step, at: place) }
    let attributes = children.plan.rootAttributes ?? .newDirectory()
    let new = try stage(.directory, at: place, mode: attributes.mode | 0o700)
    do {
      try makeChildren(in: new, at: .root)
      try children.finishSynchronizing()
      try writeManifest(in: new)
      try children.finish(new, at: .root, attributes, like: children.plan.original)
      made = try status(of: new)
      try checkSummary()
      try children.checkCancellation()
      // The state that comes out of an exchange has no lock until it is confirmed.
      place.holdOffSweeps()
      defer { place.allowSweeps() }
      let placement = try putInPlace(place)
      try confirm(placement, at: place) { _ throws(FilePackageError) in }
      return placement
    } catch {
      if error.code != .indeterminate { place.removeStaged() }
      throw error
    }
  }

  /// Carries out the plan's steps in one directory of the new state, the metadata last.
  mutating func makeChildren(
    in new: borrowing OwnedDescriptor, at path: PackagePath
  ) throws(FilePackageError) {
    if let step = try children.make(in: new, at: path), let bytes = try children.completeMetadata(step) {
      do {
        let file = try disk.createFile(PackageLayout.metadata, in: new, mode: step.attributes.mode)
        try disk.write(bytes, to: file, at: 0)
        try children.copyAttributes(of: step, on: file)
        try disk.synchronize(file)
        metadataFile = try disk.status(of: file)
      } catch {
        throw FilePackageError(error, options.operation, node(step.path))
      }
    }
    try children.checkNames(in: new, at: path)
  }

  // MARK: Naming failures

  func node(_ path: PackagePath) -> StoredNode { children.node(path) }

  func failure(
    _ code: FilePackageError.Code, _ path: PackagePath, reason: String? = nil
  ) -> FilePackageError {
    children.failure(code, path, reason: reason)
  }

  /// Makes system calls about the node at `path`.
  func attempt<Result: ~Copyable>(
    _ path: PackagePath, _ activity: String? = nil, _ body: () throws(SystemError) -> Result
  ) throws(FilePackageError) -> Result {
    try children.attempt(path, activity, body)
  }

  func synchronize(_ place: StagingLocation) throws(FilePackageError) {
    do {
      try place.synchronize()
    } catch {
      throw FilePackageError(
        error, options.operation, node(.root), activity: "syncing the folder that contains it")
    }
  }

  func status(of new: borrowing OwnedDescriptor) throws(FilePackageError) -> FileStatus {
    do {
      return try disk.status(of: new)
    } catch {
      throw FilePackageError(error, options.operation, node(.root), activity: "looking at its new state")
    }
  }
}
