package import DurableIO
package import FileTrees
package import PackageFormat
import SystemPackage

// SP1 Nothing under the package's name changes before the exchange.
// SP2 Every file and directory of the new state is synced before it comes to its place. Before an exchange, the folder
//     that holds both states is synced, too.
// SP3 The exchange is synced before anything of the old state is removed.
// SP4 The new state must be made from the state that comes out of the exchange. Otherwise the exchange is taken back,
//     so that another program's edit is never lost.
// SP5 An error leaves the old state in its place and nothing beside it.

/// A new state of a package, made beside the old one and put into its place in one step.
///
/// Unchanged files are hard links to those of the old state, so a save costs a link a child. After a power cut at any
/// instant the package is the old one or the new one. The next save removes a hidden directory that the cut left beside
/// it.
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
    /// The package that the plan is based on, as it was when it was opened or last saved.
    case base(FileStatus)
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

    package init() {}
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
  /// The nodes that must be the same after the exchange: the old state's directories, and the files that were copied.
  ///
  /// An edit of a file that was linked is in both states.
  var carried: [(path: PackagePath, status: FileStatus)] = []

  /// The content of the history file; nil if the document has no history.
  var history: [UInt8]?

  /// The sums that the children must have before the new state comes to its place; nil if any are right.
  var summary: ContentSummary?

  /// The date of the package's own directory from before it got a hidden folder; nil if the save made none.
  var rootDate: FileTime?

  /// - Parameters:
  ///   - location: the package's place.
  ///   - metadata: completed and written after everything else; nil for a package without metadata.
  package init(
    _ plan: SavePlan, at location: Location, over destination: Destination, options: Options = Options(),
    metadata: MetadataDraft? = nil
  ) {
    self.init(plan, at: location, over: destination, options: options, metadata: metadata, known: nil)
  }

  /// - Parameter known: the digests of the package's children, if they are known without reading.
  init(
    _ plan: SavePlan, at location: Location, over destination: Destination, options: Options,
    metadata: MetadataDraft?, known: Manifest?
  ) {
    self.location = location
    self.destination = destination
    self.options = options
    children = NewChildren(
      plan, at: location, options: options, metadata: metadata, strategy: .staged, known: known)
    disk = children.disk
  }

  /// Makes the new state beside the old one and puts it into its place (SP1).
  ///
  /// When it returns, the new state is durable.
  ///
  /// Cost: for every unchanged file a link, or a copy if the file system has no links; the bytes of the changed ones.
  /// A sync for each new file, for each directory and for the folder; one more if it replaces something.
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
    try attempt(.root, "cleaning up beside it") { () throws(SystemError) in
      try place.siblings.recover(in: place.folder)
    }

    let placement: Placement
    switch destination {
    case .base(let status): placement = try replace(at: place, known: status)
    case .absent, .file, .anything, .unchanged: placement = try make(at: place)
    }
    children.report.leftAlone += children.plan.leftAlone.map(\.string)
    children.report.leftAlone.sort()
    children.report.leftOut = children.plan.leftOut.map(\.string)
    children.report.written.sort()
    children.report.removed.sort()
    if case .swapped(let gone) = placement {
      children.report.leftover = place.siblings.remove(gone, from: place.folder) ? nil : gone.display
      if let left = children.report.leftover {
        children.report.note(SaveWarning(.leftover, reason: "'\(left)' beside it could not be removed"))
      }
    }
    children.report.synchronizations = disk.counts.synchronizations
    children.report.generation = madeMetadata?.metadata.generation
    return children.report
  }

  /// Makes the next state of a package from the present one.
  private mutating func replace(
    at place: StagingLocation, known: FileStatus
  ) throws(FilePackageError) -> Placement {
    let old = try openOld(at: place)
    try check(old, was: known, at: place)
    let new = try stage(.directory, at: place, mode: 0o700)
    do {
      try carry(from: old, to: new, at: .root, children.plan.rootAttributes)
      try keepHistory(from: old, to: new)
      made = try status(of: new)
      try children.checkCancellation()
      let placement = try putInPlace(place)
      try confirm(placement, at: place) { (staged: borrowing StagedSave) throws(FilePackageError) in
        if case .swapped(let gone) = placement { try staged.checkAgain(old, as: gone, in: place.folder) }
      }
      return placement
    } catch {
      if error.code != .indeterminate { place.removeStaged() }
      throw error
    }
  }

  /// Makes a state that has no earlier one as its base.
  private mutating func make(at place: StagingLocation) throws(FilePackageError) -> Placement {
    switch destination {
    case .absent: try refuseAnything(at: place)
    case .file: try refuseDirectory(at: place)
    case .unchanged(let known): try refuseChanged(known, at: place)
    case .anything, .base: break
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
