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
package struct StagedSave: ErrorNaming {
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
  package let plan: SavePlan
  private let destination: Destination
  let options: Options
  let disk: CountingDisk
  /// The steps by their folders.
  let steps: [PackagePath: [SavePlan.Step]]
  /// Completed from the sums and written after everything else; nil for a package without metadata.
  private(set) var draft: MetadataDraft?
  /// The sums that the children must have before the new state comes to its place; nil if any are right.
  var summary: ContentSummary?

  var maker: NodeMaker
  var report = SaveReport(strategy: .staged)
  /// The children that the metadata count, and their rows.
  var counted = (sums: ContentSummary(), rows: [NotedChild]())
  var limitsNames: Bool?
  /// The status of the new state's own directory, or file, once it is made.
  package private(set) var made: FileStatus?
  /// The metadata that were written, and their file.
  package var madeMetadata: (metadata: PackageMetadata, status: FileStatus)?

  var operation: FilePackageError.Operation { options.operation }

  package init(
    _ plan: SavePlan, at location: Location, over destination: Destination, options: Options = Options(),
    metadata draft: MetadataDraft? = nil
  ) {
    (self.plan, self.location, self.destination) = (plan, location, destination)
    (self.options, self.draft) = (options, draft)
    disk = CountingDisk(location.disk)
    steps = Dictionary(grouping: plan.steps, by: \.path.parent)
    maker = NodeMaker(
      at: location, on: disk, options, hashes: draft != nil,
      synchronizesMany: plan.steps.count(where: \.makesFile) >= Self.manyFiles)
  }

  /// Makes the new state beside the old one and puts it into its place (SP1).
  ///
  /// When it returns, the new state is durable.
  ///
  /// Cost: the bytes of the new files; a link, or a copy, for each file of an original. A sync for each new file, for
  /// each directory and for the folder; one more if it replaces something.
  ///
  /// - Parameter program: the program that makes it, for the metadata.
  /// - Throws: `FilePackageError`. The old state is then in its place and nothing is left beside it, except after
  ///   `indeterminate` (SP5).
  package mutating func commit(by program: SavingProgram = .current) throws(FilePackageError) -> SaveReport {
    draft?.program = program
    location.progress.begin(plan, copiesFiles: !options.sharesFiles)
    do throws(FilePackageError) {
      let place = try attempt(.root, "opening the folder that contains it") {
        try NewPlace(at: location.path, on: disk)
      }
      guard let place else { throw failure(.invalidName, .root) }
      let placement = try make(at: place)
      complete(leaving: placement != .swapped || place.removeStaged() ? nil : place.staged)
      return report
    } catch {
      // The caller sees a save that failed, whatever step it was.
      throw error.during(operation)
    }
  }

  private mutating func complete(leaving leftover: FileName?) {
    report.written.sort()
    report.leftAlone = plan.leftAlone.map(\.string).sorted()
    report.leftOut = plan.leftOut.map(\.string)
    if let left = leftover?.display {
      report.note(SaveWarning(.leftover, reason: "'\(left)' beside it could not be removed"))
    }
    report.synchronizations = disk.counts.synchronizations
  }

  /// Makes the new state and gives it the package's name; after an error nothing is left of it (SP5).
  private mutating func make(at place: NewPlace) throws(FilePackageError) -> Placement {
    try refuse(status(at: place))
    try attempt(.root, "cleaning up beside it") {
      if case .absent = destination { try place.cleanUpAll() } else { try place.cleanUp() }
    }
    let step = plan.steps.first.flatMap { $0.path.isRoot ? $0 : nil }
    let node = try stage(step, at: place)
    // Its lock keeps other programs from the hidden name.
    defer { withExtendedLifetime(node) {} }
    do {
      try fill(node, step, at: place)
      try maker.checkCancellation()
      // The node that comes out of an exchange has no lock until it is confirmed.
      place.holdOffSweeps()
      defer { place.allowSweeps() }
      let placement = try take(place)
      try confirm(placement, at: place)
      return placement
    } catch {
      if error.code != .indeterminate { place.removeStaged() }
      throw error
    }
  }

  /// Makes an empty node under the hidden name.
  ///
  /// - Parameter step: the step of a document that is no folder.
  /// - Returns: nil for a link, which is made in one step.
  private func stage(_ step: SavePlan.Step?, at place: NewPlace) throws(FilePackageError) -> OpenNode? {
    if case .link = step?.action { return nil }
    let mode = step?.attributes.mode ?? (plan.rootAttributes ?? .newDirectory()).mode | 0o700
    let new = try attempt(.root, "making the new state beside it") {
      try place.stage(step == nil ? .directory : .file, mode: mode)
    }
    // No other program makes or removes it while this one holds its lock.
    guard let new else { throw failure(.busy, .root, reason: "another program is saving it") }
    return OpenNode(new)
  }

  private mutating func fill(
    _ node: OpenNode?, _ step: SavePlan.Step?, at place: NewPlace
  ) throws(FilePackageError) {
    switch step?.action {
    case .link(let link)?: try make(link, at: .root, step?.attributes, as: place.staged, in: place.folder)
    case .write(let contents)?:
      if let node, let step { try fill(node.descriptor, contents, step.attributes, at: place) }
    case nil: if let node { try makePackage(in: node.descriptor) }
    default: throw failure(.wrongKind, .root)
    }
    guard let node else { return }
    made = try attempt(.root, "looking at its new state") { try disk.status(of: node.descriptor) }
  }

  /// Writes a document that is one file.
  private mutating func fill(
    _ file: borrowing OwnedDescriptor, _ contents: FileContents, _ attributes: NodeAttributes,
    at place: NewPlace
  ) throws(FilePackageError) {
    var original = plan.original
    if case .unchanged(let known) = destination {
      let folder = Location(location.path.folder, on: location.disk, isOfOneFile: true)
      original = StoredNode(location: folder, path: PackagePath([place.name]), status: known)
    }
    report.bytesWritten += try maker.fill(file, contents, attributes, like: original, at: .root).size
    try attempt(.root) { try disk.synchronize(file) }
  }

  // MARK: The place

  /// The way in which the new state came to its place.
  private enum Placement {
    /// Nothing was there before.
    case new
    /// The old state has the hidden name.
    case swapped
    /// A file took the place of a file, which is gone.
    case replaced
  }

  /// Returns the status of the node in the place; nil if there is none.
  private func status(at place: NewPlace) throws(FilePackageError) -> FileStatus? {
    try attempt(.root, "checking the destination") { try place.status() }
  }

  /// Refuses, before it makes anything, what the new state may not replace.
  private func refuse(_ old: FileStatus?) throws(FilePackageError) {
    switch destination {
    case .absent: if old != nil { throw failure(.fileExists, .root) }
    case .file:
      if old?.kind == .directory {
        throw failure(.fileExists, .root, reason: "a folder with that name exists already")
      }
    case .anything: return
    case .unchanged(let known):
      guard let old else { throw failure(.changedOnDisk, .root, reason: "it is no longer in its place") }
      guard old.isUnchanged(since: known) else { throw failure(.changedOnDisk, .root) }
      if old.mode & 0o222 == 0 && !options.overwritesReadOnly {
        throw failure(.permissionDenied, .root, reason: "the file is read-only")
      }
    }
  }

  /// Puts the new state under the package's name, in one step if the file system has one.
  private func take(_ place: NewPlace) throws(FilePackageError) -> Placement {
    let activity = "moving the new state to its place"
    let old: FileStatus?
    switch destination {
    case .absent: old = nil
    case .unchanged(let known): old = known
    case .file, .anything:
      old = try status(at: place)
      try refuse(old)
    }
    // If an exchange were durable before the new state's name, a power cut would leave the package without any name (SP2).
    if old != nil { try synchronize(place) }
    var placement = old == nil ? Placement.new : .swapped
    do throws(SystemError) {
      guard let old else {
        try place.take()
        return placement
      }
      do throws(SystemError) {
        try place.rename(place.staged, to: place.name, .exchange)
      } catch  where error.isLackOfRule && old.kind != .directory && made?.kind != .directory {
        placement = .replaced
        try place.rename(place.staged, to: place.name, .replace)
      }
    } catch {
      if old != nil && error.isLackOfRule {
        throw failure(
          .unsupported, .root, reason: "this file system cannot exchange folders; remove the old one first")
      }
      try requireInPlace(place, after: error, activity)
    }
    return placement
  }

  /// Returns if the new state is in its place in spite of an error; otherwise throws.
  ///
  /// Some errors are of the answer only, such as a server's that is lost.
  private func requireInPlace(
    _ place: NewPlace, after error: SystemError, _ activity: String
  ) throws(FilePackageError) {
    do {
      let now = try place.status()
      if let made, now?.identity.isSameNode(as: made.identity) == true { return }
    } catch let second {
      throw indeterminate(activity, error.reason, second)
    }
    throw FilePackageError(error, operation, node(.root), activity: activity)
  }

  /// Makes sure that the exchange was right (SP4) and is durable (SP3); otherwise takes it back.
  private func confirm(_ placement: Placement, at place: NewPlace) throws(FilePackageError) {
    do {
      try checkReplaced(placement, at: place)
      try synchronize(place)
    } catch {
      do throws(SystemError) {
        switch placement {
        case .new: try place.rename(place.name, to: place.staged, .replace)
        case .swapped: try place.rename(place.staged, to: place.name, .exchange)
        case .replaced: throw SystemError("renameat2", place.name, code: .noSuchFileOrDirectory)
        }
        // Only after this sync may the new state be removed: a power cut can no longer bring it back half removed.
        try place.synchronize()
      } catch let second {
        throw indeterminate(error.activity, error.reason ?? error.code.words, second)
      }
      throw error
    }
  }

  /// Checks, after the exchange, that it took out a node that may go, and no file that a program wrote to meanwhile.
  private func checkReplaced(_ placement: Placement, at place: NewPlace) throws(FilePackageError) {
    guard placement == .swapped else { return }
    let now = try attempt(.root, "checking the document that it replaces") {
      try disk.status(of: place.staged, in: place.folder)
    }
    guard case .unchanged(let known) = destination else { return try refuse(now) }
    guard now.identity.hasSameContents(as: known.identity) else { throw failure(.changedOnDisk, .root) }
  }

  private func synchronize(_ place: NewPlace) throws(FilePackageError) {
    try attempt(.root, "syncing the folder that contains it") { try place.synchronize() }
  }

  private func indeterminate(_ activity: String?, _ first: String, _ second: SystemError) -> FilePackageError
  {
    FilePackageError(
      .indeterminate, operation, node(.root), activity: activity,
      reason: "\(first), and then \(second.reason)")
  }
}
