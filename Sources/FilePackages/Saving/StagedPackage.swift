package import DurableIO
import SystemPackage

// (1) Nothing under the package's name changes before the exchange.
// (2) Every file and directory of the new state is synchronised before it comes to its place. Before an exchange, the
//     folder that holds both states is synchronised, too.
// (3) The exchange is synchronised before anything of the old state is removed.
// (4) The new state must be made from the state that comes out of the exchange. Otherwise the exchange is taken back,
//     so that another program's edit is never lost.
// (5) An error leaves the old state in its place and nothing beside it.

/// A new state of a package, made beside the old one and put into its place in one step.
///
/// Unchanged files are hard links to those of the old state, so a save costs a link a child. After a power cut at any
/// instant the package is the old one or the new one. The next save removes a hidden directory that the cut left beside
/// it.
package struct StagedPackage {
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

  let location: Location
  let destination: Destination
  let options: Options
  let disk: CountingDisk
  var builder: SaveBuilder

  /// The status of the new state's own directory, or file, once it is made.
  package internal(set) var made: FileStatus?
  /// The metadata that was written, and its file.
  package var madeMetadata: (metadata: PackageMetadata, status: FileStatus)? {
    guard let metadata = builder.madeMetadata?.metadata,
      let status = builder.made[PackagePath([PackageLayout.metadata])]
    else { return nil }
    return (metadata, status)
  }
  /// The nodes that must be the same after the exchange: the old state's directories, and the files that were copied.
  ///
  /// An edit of a file that was linked is in both states.
  var carried: [(path: PackagePath, status: FileStatus)] = []

  /// The content of the history file; nil if the document has no history.
  var history: [UInt8]?

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
    builder = SaveBuilder(
      plan, at: location, options: options, metadata: metadata, strategy: "staged", known: known)
    disk = builder.disk
  }

  /// Makes the new state and puts it into its place. When it returns, the new state is durable.
  ///
  /// Cost: for every unchanged file a link, or a copy if the file system has no links; the bytes of the changed ones.
  /// One synchronisation for each new file, for each directory and for the folder; one more if it replaces something.
  ///
  /// - Throws: `FilePackageError`. The old state is then in its place and nothing is left beside it, except after
  ///   `indeterminate`.
  package mutating func commit() throws(FilePackageError) -> SaveReport {
    do {
      return try commitUnnamed()
    } catch {
      // The caller sees a save that failed, whatever step it was.
      throw error.during(options.operation)
    }
  }

  private mutating func commitUnnamed() throws(FilePackageError) -> SaveReport {
    let path = location.path
    guard let last = path.lastComponent, last.kind == .regular else {
      throw failure(.invalidName, .root)
    }
    let name = FileName(last)
    let disk = disk
    let siblings = HiddenSiblings(of: name, on: disk)
    let folder = try attempt(.root, "opening the folder that holds it") { () throws(SystemError) in
      try disk.openDirectory(at: path.folder)
    }
    try attempt(.root, "cleaning up beside it") { () throws(SystemError) in try siblings.recover(in: folder) }

    let placement: Placement
    switch destination {
    case .base(let status): placement = try replace(name, known: status, siblings, in: folder)
    case .absent, .file, .anything, .unchanged: placement = try make(name, siblings, in: folder)
    }
    builder.report.leftAlone += builder.plan.leftAlone.map(\.string)
    builder.report.leftAlone.sort()
    builder.report.written.sort()
    builder.report.removed.sort()
    if case .swapped(let gone) = placement {
      builder.report.leftover = siblings.remove(gone, from: folder) ? nil : gone.display
      if let left = builder.report.leftover {
        builder.report.note(SaveWarning(.leftover, reason: "'\(left)' beside it could not be removed"))
      }
    }
    builder.report.synchronizations = disk.counts.synchronizations
    builder.report.generation = madeMetadata?.metadata.generation
    return builder.report
  }

  /// Makes the next state of a package from the present one.
  private mutating func replace(
    _ name: FileName, known: FileStatus, _ siblings: HiddenSiblings, in folder: borrowing OwnedDescriptor
  ) throws(FilePackageError) -> Placement {
    let old = try openOld(name, in: folder)
    try check(old, was: known, siblings, in: folder)
    let new = try makeRoot(siblings, in: folder, mode: 0o700)
    do {
      try carry(from: old, to: new, at: .root, builder.plan.rootAttributes)
      try keepHistory(from: old, to: new)
      made = try status(of: new)
      try builder.checkCancellation()
      let placement = try putInPlace(name, siblings, in: folder)
      try confirm(name, placement, siblings, in: folder) {
        (staged: borrowing StagedPackage)
          throws(FilePackageError) in
        if case .swapped(let gone) = placement { try staged.checkAgain(old, as: gone, in: folder) }
      }
      return placement
    } catch {
      if error.code != .indeterminate { _ = siblings.remove(siblings.name(.staged), from: folder) }
      throw error
    }
  }

  /// Makes a state that has no earlier one as its base.
  private mutating func make(
    _ name: FileName, _ siblings: HiddenSiblings, in folder: borrowing OwnedDescriptor
  ) throws(FilePackageError) -> Placement {
    switch destination {
    case .absent: try refuseAnything(name, in: folder)
    case .file: try refuseDirectory(name, in: folder)
    case .unchanged(let known): try refuseChanged(known, name, in: folder)
    case .anything, .base: break
    }
    try cleanUp(siblings, in: folder)
    if case .absent = destination { siblings.sweep(folder) }
    if let step = builder.plan.steps.first, step.path.isRoot {
      return try makeAlone(step, name, siblings, in: folder)
    }
    let attributes = builder.plan.rootAttributes ?? .newDirectory()
    let new = try makeRoot(siblings, in: folder, mode: attributes.mode | 0o700)
    do {
      try builder.make(in: new, at: .root)
      try builder.finishSynchronizing()
      try writeManifest(in: new)
      try builder.finish(new, at: .root, attributes)
      made = try status(of: new)
      try builder.checkCancellation()
      // The state that comes out of an exchange has no lock until it is confirmed.
      siblings.holdOffSweeps(in: folder)
      defer { siblings.allowSweeps(in: folder) }
      let placement = try putInPlace(name, siblings, in: folder)
      try confirm(name, placement, siblings, in: folder) { _ throws(FilePackageError) in }
      return placement
    } catch {
      if error.code != .indeterminate { _ = siblings.remove(siblings.name(.staged), from: folder) }
      throw error
    }
  }

  // MARK: Naming failures

  func node(_ path: PackagePath) -> StoredNode { builder.node(path) }

  func failure(
    _ code: FilePackageError.Code, _ path: PackagePath, reason: String? = nil
  ) -> FilePackageError {
    builder.failure(code, path, reason: reason)
  }

  /// Makes system calls about the node at `path`.
  func attempt<Result: ~Copyable>(
    _ path: PackagePath, _ activity: String? = nil, _ body: () throws(SystemError) -> Result
  ) throws(FilePackageError) -> Result {
    try builder.attempt(path, activity, body)
  }

  func synchronize(_ folder: borrowing OwnedDescriptor) throws(FilePackageError) {
    do {
      try disk.synchronize(folder)
    } catch {
      throw FilePackageError(
        error, options.operation, node(.root), activity: "synchronizing the folder that holds it")
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

extension FilePath {
  /// The directory of the last component.
  var folder: FilePath {
    let folder = removingLastComponent()
    return folder.isEmpty ? "." : folder
  }
}
