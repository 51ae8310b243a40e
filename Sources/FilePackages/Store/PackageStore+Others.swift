import DurableIO
import FoundationEssentials
import SystemPackage

// (1) What this store wrote is never taken for another program's: everything is compared by identity with what the
//     tree knows of it since it was read or saved.
// (2) Nothing is compared while a save waits to be published, since the disk is then neither the one nor the other.

/// What other programs did to an open package.
public struct ExternalChanges: Sendable, Hashable {
  /// The children that they changed, made or removed, as paths in byte order; a folder that came or went stands for
  /// all that is in it.
  public var paths: [String] = []
  /// Whether another directory stands in the package's place.
  public var isReplaced = false

  /// Makes a set of changes, by default none.
  public init(paths: [String] = [], isReplaced: Bool = false) {
    (self.paths, self.isReplaced) = (paths, isReplaced)
  }

  /// Whether nothing happened.
  public var isEmpty: Bool { paths.isEmpty && !isReplaced }
}

extension PackageStore {
  /// Finds what other programs did to the package since this store read or saved it.
  ///
  /// A save that waits to be published is published first: the links that it has made meanwhile move the times of files, which
  /// would pass for other programs' changes.
  ///
  /// Only what is known can be found changed: the names in folders that were listed, and the children that are
  /// objects. Nothing else can be in anybody's way. Cost: a getdents64(2) loop for each listed folder, a statx(2) for
  /// each child that is an object.
  ///
  /// - Throws: `noSuchFile` when the package is not in its place any more; the system's reason.
  public func changesByOthers() throws(FilePackageError) -> ExternalChanges {
    let now = try StoredNode.look(at: location.path, following: false, on: location.disk)
    guard now.status?.identity.isSameNode(as: status.identity) == true else {
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

  /// Reads the package anew, with what other programs wrote: the tree is another one from now on, and what was edited
  /// in the old one is not in it.
  ///
  /// - Parameter body: reads what is to be had from the new tree.
  /// - Throws: `noSuchFile`, `notAPackage`, `busy` or the system's reason, and what `body` throws; the store then has
  ///   the old tree.
  public func reload<Result>(_ body: (FileWrapper) throws -> Result) throws -> Result {
    let now = try StoredNode.look(at: location.path, following: false, on: location.disk)
    guard let found = now.status, found.kind == .directory else {
      throw FilePackageError(.notAPackage, .open, document: FileName(location.path).string)
    }
    let before = (tree, status, metadataState, othersWroteValues)
    let failed = (unsettled, uncertain, stale, damage)
    if found.identity.isSameNode(as: status.identity) {
      try publish()
    } else {
      // What waited went with the directory that stood here before.
      session?.abandon()
      (session, pending) = (nil, nil)
    }
    status = found
    (unsettled, uncertain, stale, damage) = (nil, nil, [], nil)
    othersWroteValues = false
    tree = newTree()
    do {
      try recover()
      return try body(tree)
    } catch {
      if pending?.tree === tree { pending = nil }
      (tree, status, metadataState, othersWroteValues) = before
      (unsettled, uncertain, stale, damage) = failed
      throw error
    }
  }

  /// A tree of the document as it was last saved: of what is on disk at this moment and, laid over that, of a save that waits
  /// to be published.
  func savedTree() throws(FilePackageError) -> FileWrapper {
    let tree = newTree()
    guard pending != nil else { return tree }
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

  /// A tree of what is on disk at this moment.
  func newTree() -> FileWrapper {
    let root = StoredNode(location: location, path: .root, status: status)
    return FileWrapper(
      state: FileWrapper.State(root, name: location.path.lastComponent.map(FileName.init)))
  }

  /// What other programs change is theirs until `reload(_:)`: reading a child that they changed does not make it this
  /// store's to write over.
  package func keepBaselines() { location.keepsBaselines = true }

  /// Lets go of the package and of the tree, which belongs to another store by now. What is committed and not
  /// published stays in the journal for the next opening.
  package func relinquish() {
    publishing?.cancel()
    checkpoint?.cancel()
    (pending, unsettled, uncertain, stale) = (nil, nil, nil, [])
    session?.abandon()
    session = nil
    tree = FileWrapper(directoryWithFileWrappers: [:])
  }
}
