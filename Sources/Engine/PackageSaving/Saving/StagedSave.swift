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
  private let destination: Destination
  private let options: Options
  private let plan: SavePlan
  private let disk: CountingDisk
  private var maker: TreeMaker

  /// The status of the new state's own directory, or file, once it is made.
  package private(set) var made: FileStatus?
  /// The metadata that were written, and their file.
  package var madeMetadata: (metadata: PackageMetadata, status: FileStatus)? { maker.metadata }
  /// The sums that the children must have before the new state comes to its place; nil if any are right.
  var summary: ContentSummary?

  var operation: FilePackageError.Operation { options.operation }

  /// - Parameters:
  ///   - location: the package's place.
  ///   - metadata: completed and written after everything else; nil for a package without metadata.
  package init(
    _ plan: SavePlan, at location: Location, over destination: Destination, options: Options = Options(),
    metadata: MetadataDraft? = nil
  ) {
    (self.plan, self.location) = (plan, location)
    (self.destination, self.options) = (destination, options)
    disk = CountingDisk(location.disk)
    maker = TreeMaker(plan, at: location, on: disk, options, metadata)
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
    do throws(FilePackageError) {
      let place = try attempt(.root, "opening the folder that contains it") { () throws(SystemError) in
        try NewPlace(at: location.path, on: disk)
      }
      guard let place else { throw failure(.invalidName, .root) }
      let placement = try make(at: place)
      return report(leaving: placement != .swapped || place.removeStaged() ? nil : place.staged)
    } catch {
      // The caller sees a save that failed, whatever step it was.
      throw error.during(operation)
    }
  }

  private func report(leaving leftover: FileName?) -> SaveReport {
    var report = maker.report
    report.written.sort()
    report.leftAlone = plan.leftAlone.map(\.string).sorted()
    report.leftOut = plan.leftOut.map(\.string)
    if let left = leftover?.display {
      report.leftover = left
      report.note(SaveWarning(.leftover, reason: "'\(left)' beside it could not be removed"))
    }
    report.synchronizations = disk.counts.synchronizations
    return report
  }

  private mutating func make(at place: NewPlace) throws(FilePackageError) -> Placement {
    try refuse(status(at: place))
    try attempt(.root, "cleaning up beside it") { () throws(SystemError) in
      if case .absent = destination { try place.cleanUpAll() } else { try place.cleanUp() }
    }
    let step = plan.steps.first.flatMap { $0.path.isRoot ? $0 : nil }
    if case .link(let link) = step?.action {
      return try put(at: place) { (save, place) throws(FilePackageError) in
        if let step { try save.maker.make(link, step, as: place.staged, in: place.folder) }
      }
    }
    let kind = step == nil ? FileKind.directory : .file
    let mode = step?.attributes.mode ?? (plan.rootAttributes ?? .newDirectory()).mode | 0o700
    let new = try attempt(.root, "making the new state beside it") { () throws(SystemError) in
      try place.stage(kind, mode: mode)
    }
    // No other program makes or removes it while this one holds its lock.
    guard let new else { throw failure(.busy, .root, reason: "another program is saving it") }
    let node = OpenNode(new)
    return try put(at: place) { (save, place) throws(FilePackageError) in
      if let step {
        try save.make(step, in: node.descriptor, at: place)
      } else {
        try save.maker.make(in: node.descriptor, summary: save.summary)
      }
      save.made = try save.attempt(.root, "looking at its new state") { () throws(SystemError) in
        try save.disk.status(of: node.descriptor)
      }
    }
  }

  /// Makes a document that is one file.
  private mutating func make(
    _ step: SavePlan.Step, in file: borrowing OwnedDescriptor, at place: NewPlace
  ) throws(FilePackageError) {
    guard case .write(let contents) = step.action else { throw failure(.wrongKind, .root) }
    var original = plan.original
    if case .unchanged(let known) = destination {
      let folder = Location(location.path.folder, on: location.disk, isOfOneFile: true)
      original = StoredNode(location: folder, path: PackagePath([place.name]), status: known)
    }
    let made = try maker.files.fill(file, contents, step.attributes, like: original, at: .root)
    maker.report.bytesWritten += made.size
    try attempt(.root) { () throws(SystemError) in try disk.synchronize(file) }
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
    try attempt(.root, "checking the destination") { () throws(SystemError) in try place.status() }
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

  /// Makes the new state by `make` and gives it the package's name; after an error nothing is left of it (SP5).
  private mutating func put(
    at place: NewPlace, _ make: (inout StagedSave, NewPlace) throws(FilePackageError) -> Void
  ) throws(FilePackageError) -> Placement {
    do {
      try make(&self, place)
      try maker.files.checkCancellation()
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
    let now: FileStatus?
    do {
      now = try place.status()
    } catch let second {
      throw indeterminate(activity, error.reason, second)
    }
    if let made, now?.identity.isSameNode(as: made.identity) == true { return }
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

  /// Checks, after the exchange, that the known file came out of it, and that no program wrote to it meanwhile.
  private func checkReplaced(_ placement: Placement, at place: NewPlace) throws(FilePackageError) {
    guard case .unchanged(let known) = destination, placement == .swapped else { return }
    let now = try attempt(.root, "checking the document that it replaces") { () throws(SystemError) in
      try disk.status(of: place.staged, in: place.folder)
    }
    guard now.identity.hasSameContents(as: known.identity) else { throw failure(.changedOnDisk, .root) }
  }

  private func synchronize(_ place: NewPlace) throws(FilePackageError) {
    try attempt(.root, "syncing the folder that contains it") { () throws(SystemError) in
      try place.synchronize()
    }
  }

  private func indeterminate(_ activity: String?, _ first: String, _ second: SystemError) -> FilePackageError
  {
    FilePackageError(
      .indeterminate, operation, node(.root), activity: activity,
      reason: "\(first), and then \(second.reason)")
  }
}
