import DurableIO
import FoundationEssentials
import SystemPackage

// (1) The store never takes its own writes for another program's. It compares every identity with the one that the tree
//     has known since it was read or saved.
// (2) The store compares nothing while a save waits to be published: the disk then has neither the old state nor the
//     new one.

/// The changes that other programs made to an open package.
public struct ExternalChanges: Sendable, Hashable {
  /// The children that other programs changed, made or removed, as paths in byte order; a folder that came or went
  /// stands for its whole content.
  public var paths: [String] = []
  /// Whether another directory stands in the package's place.
  public var isReplaced = false

  /// Makes a set of changes, by default none.
  public init(paths: [String] = [], isReplaced: Bool = false) {
    (self.paths, self.isReplaced) = (paths, isReplaced)
  }

  /// Whether there are no changes.
  public var isEmpty: Bool { paths.isEmpty && !isReplaced }
}

extension PackageStore {
  /// Finds the changes that other programs made to the package since this store read or saved it.
  ///
  /// The store first publishes a save that waits: the links of that save move the times of files, which would look like
  /// other programs' changes.
  ///
  /// The store can find only changes of names in folders that were listed, and of children that are objects. No other
  /// change can conflict with the tree. Cost: a getdents64(2) loop for each listed folder, a statx(2) for each child
  /// that is an object.
  ///
  /// - Throws: `noSuchFile` if the package is not in its place any more; the system's reason.
  public func changesByOthers() throws(FilePackageError) -> ExternalChanges {
    let now = try StoredNode.look(at: location.path, following: false, on: location.disk)
    guard now.status?.identity.isSameNode(as: baseline.status.identity) == true else {
      return ExternalChanges(isReplaced: true)
    }
    // (2)
    try publish()
    try settle()
    do {
      return ExternalChanges(paths: try placesOfNews(at: location).map(\.string))
    } catch {
      throw FilePackageError(error, .read, StoredNode(location: location, path: .root))
    }
  }

  /// Reads the package anew, with the changes of other programs.
  ///
  /// The store gets another tree, which lacks the unsaved edits of the old one.
  ///
  /// - Parameter body: reads the new tree.
  /// - Throws: `noSuchFile`, `notAPackage`, `busy` or the system's reason, and the errors of `body`; the store then
  ///   still has the old tree.
  public func reload<Result>(_ body: (FileWrapper) throws -> Result) throws -> Result {
    let now = try StoredNode.look(at: location.path, following: false, on: location.disk)
    guard let found = now.status, found.kind == .directory else {
      throw FilePackageError(.notAPackage, .open, document: FileName(location.path).string)
    }
    if found.identity.isSameNode(as: baseline.status.identity) {
      try publish()
    } else {
      // The waiting save went with the directory that stood here before.
      session?.abandon()
      session = nil
      state.forgetWaiting()
    }
    let before = (tree, baseline, state)
    (baseline, state) = (StoreBaseline(found), .clean)
    tree = newTree()
    do {
      try recover()
      return try body(tree)
    } catch {
      (tree, baseline, state) = before
      throw error
    }
  }

  /// Returns a tree of the document as it was last saved.
  ///
  /// It is the present state of the disk, overlaid with the save that waits to be published, if there is one.
  func savedTree() throws(FilePackageError) -> FileWrapper {
    let tree = newTree()
    guard state.waiting != nil else { return tree }
    do {
      guard case .journal(let journal) = try findJournal(), let record = journal.live else { return tree }
      for operation in try outstanding(record, of: journal) { try tree.overlay(operation, at: location) }
      return tree
    } catch let error as SystemError {
      throw FilePackageError(error, .read, node, activity: "looking at the save that waits in its journal")
    } catch {
      throw error as? FilePackageError ?? FilePackageError(.inputOutput, .read, node)
    }
  }

  /// Returns a tree of the present state of the disk.
  func newTree() -> FileWrapper {
    let root = StoredNode(location: location, path: .root, status: baseline.status)
    return FileWrapper(
      state: FileWrapper.State(root, name: location.path.lastComponent.map(FileName.init)))
  }

  /// Holds the tree's baselines until `reload(_:)`: this store does not write over a child that another program
  /// changed, even if it reads that child.
  package func keepBaselines() { location.keepsBaselines = true }

  /// Releases the package and the tree, which belongs to another store.
  ///
  /// A save that is committed and not published stays in the journal for the next opening.
  package func relinquish() {
    maintenance.cancel()
    state = .clean
    baseline.stale = []
    session?.abandon()
    session = nil
    tree = FileWrapper(directoryWithFileWrappers: [:])
  }
}
