package import DurableIO
import SystemPackage

// (1) Nothing under the package's name changes before the exchange.
// (2) Before the exchange, every file and every directory of the new state is synchronised, and so is the
//     folder that holds both states.
// (3) The exchange is synchronised before anything of the old state is removed.
// (4) What comes out of the exchange is what the new state was made from; otherwise it goes back, so that an
//     edit that another program made meanwhile is never lost.
// (5) An error leaves the old state in its place and nothing beside it.

/// A new state of a package, made beside the old one and put into its place in one step.
///
/// Unchanged files are hard links to those of the old state, so a save costs a link a child. After a power cut
/// at any instant the package is the old one or the new one; a hidden directory that the cut left beside it is
/// removed by the next save.
package struct StagedPackage {
  /// What is where the package is to be.
  package enum Destination: Sendable {
    /// Nothing may be.
    case absent
    /// Nothing, or something that is not a directory, which goes.
    case file
    /// Nothing or anything, which goes.
    case anything
    /// The package that the plan is based on, as it was when it was opened or last saved.
    case base(FileStatus)
  }

  /// How a package is saved.
  package struct Options: Sendable {
    package var operation = FilePackageError.Operation.save
    /// Whether unchanged files may be the same files as those they come from; not in a copy that is to be a
    /// document of its own.
    package var sharesFiles = true
    /// Whether children without any write permission may be replaced or removed.
    package var overwritesReadOnly = false

    package init() {}
  }

  let plan: SavePlan
  let location: Location
  let destination: Destination
  let options: Options
  let metadata: MetadataDraft?
  let disk: CountingDisk
  let steps: [PackagePath: [SavePlan.Step]]

  var report = SaveReport(strategy: "staged")
  /// What came and what went, where there is metadata to be told.
  var change = ContentSummary()
  /// The directories of the old state as they were when they were carried over.
  var carried: [(path: PackagePath, status: FileStatus)] = []
  /// What the plan replaces or removes, as it was right before.
  var replaced: [PackagePath: FileStatus] = [:]
  var canLink = true
  var canClone = true

  /// - Parameters:
  ///   - location: where the package is, or is to be.
  ///   - metadata: completed and written once all else is; nil for a package without metadata of ours.
  package init(
    _ plan: SavePlan, at location: Location, over destination: Destination, options: Options = Options(),
    metadata: MetadataDraft? = nil
  ) {
    self.plan = plan
    self.location = location
    self.destination = destination
    self.options = options
    self.metadata = metadata
    disk = CountingDisk(location.disk)
    steps = Dictionary(grouping: plan.steps, by: \.path.parent)
  }

  /// Makes the new state and puts it into place. When it returns, the new state survives a power cut.
  ///
  /// Cost: a link, or where the file system has none a copy, for every unchanged file; the bytes of the changed
  /// ones; one synchronisation for each new file and each directory, and two for the folder.
  ///
  /// - Throws: `FilePackageError`. The old state is then in its place and nothing is left beside it, but for the
  ///   code `indeterminate`.
  package mutating func commit() throws(FilePackageError) -> SaveReport {
    let path = location.path
    guard let last = path.lastComponent, last.kind == .regular else {
      throw failure(.invalidName, .root)
    }
    let name = FileName(last)
    let disk = disk
    let siblings = Siblings(of: name, on: disk)
    let folder = try attempt(.root, "opening the folder that holds it") { () throws(SystemError) in
      try disk.openDirectory(at: path.folder)
    }
    try attempt(.root, "cleaning up beside it") { () throws(SystemError) in try siblings.cleanUp(in: folder) }

    try checkPlace(name, in: folder)

    var gone = siblings.name(.staged)
    do {
      if case .base(let status) = destination {
        let old = try attempt(.root, "opening") { () throws(SystemError) in
          try disk.openDirectory(name, in: folder)
        }
        try check(old, was: status)
        let new = try makeRoot(siblings.name(.staged), in: folder, mode: 0o700)
        try carry(from: old, to: new, at: .root)
        try synchronize(folder)
        gone = try putInPlace(name, siblings, in: folder)
        try confirm(name, gone, in: folder) { (staged: borrowing StagedPackage) throws(FilePackageError) in
          try staged.checkAgain(old)
        }
      } else if let step = plan.steps.first, step.path.isRoot {
        try makeAlone(step, as: siblings.name(.staged), in: folder)
        try synchronize(folder)
        gone = try putInPlace(name, siblings, in: folder)
        try confirm(name, gone, in: folder) { _ throws(FilePackageError) in }
      } else {
        let attributes = plan.rootAttributes ?? .newDirectory()
        // Whatever its own mode is to be, it has to be filled first.
        let new = try makeRoot(siblings.name(.staged), in: folder, mode: attributes.mode | 0o700)
        try make(in: new, at: .root)
        try writeMetadata(in: new)
        try finish(new, at: .root, attributes)
        try synchronize(folder)
        gone = try putInPlace(name, siblings, in: folder)
        try confirm(name, gone, in: folder) { _ throws(FilePackageError) in }
      }
    } catch {
      if error.code != .indeterminate { _ = siblings.remove(siblings.name(.staged), from: folder) }
      throw error
    }
    report.written.sort()
    report.removed.sort()
    report.leftover = siblings.remove(gone, from: folder) ? nil : gone.display
    report.synchronizations = disk.counts[.synchronize]
    return report
  }

  private func makeRoot(
    _ name: FileName, in folder: borrowing OwnedDescriptor, mode: UInt16
  ) throws(FilePackageError) -> OwnedDescriptor {
    let new = try attempt(.root, "making its new state beside it") { () throws(SystemError) in
      try disk.makeDirectory(name, in: folder, mode: mode)
      return try disk.openDirectory(name, in: folder)
    }
    // Tells other processes that it is not abandoned; where there are no locks, nobody asks.
    _ = try? disk.lock(new)
    return new
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

  func synchronize(_ folder: borrowing OwnedDescriptor) throws(FilePackageError) {
    do {
      try disk.synchronize(folder)
    } catch {
      throw FilePackageError(
        error, options.operation, node(.root), activity: "synchronizing the folder that holds it")
    }
  }
}

extension FilePath {
  /// The directory that holds the last component.
  var folder: FilePath {
    let folder = removingLastComponent()
    return folder.isEmpty ? "." : folder
  }
}
