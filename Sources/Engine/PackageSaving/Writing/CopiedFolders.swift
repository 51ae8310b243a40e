import DurableIO
package import FileTrees
import FoundationEssentials
package import PackageFormat
import SystemPackage

/// The folders of a tree as a copy or an archive of it has them, at any depth.
///
/// A document beneath the tree is as it was last saved: a save that waits in its log is published first. Hidden
/// folders are left out, or have their histories without the files of open stores. Leftovers beside documents are left
/// out.
package final class CopiedFolders {
  private let includesHistory: Bool
  /// The hidden folders with a history and the leftovers that are left out, as paths in the order of the visit.
  package private(set) var leftOut: [PackagePath] = []
  /// The documents that contain the folder that was entered last, the innermost last.
  private var entered: [Document] = []

  /// A document beneath the tree. No program that uses this library publishes a save of it while this value exists.
  private struct Document {
    var path: PackagePath
    var lock: OpenNode
    // A session of a recovery ends with the writer.
    var writer: PackageWriter
  }

  /// - Parameter includesHistory: whether hidden folders are folders as any other, with their histories.
  package init(includesHistory: Bool) { self.includesHistory = includesHistory }

  /// Returns the folder with the children that the copy has.
  ///
  /// Callers enter a folder after the folders that contain it, and before its own children.
  ///
  /// - Throws: `busy` if other programs never leave a document alone for long enough; the system's reason.
  package func enter(
    _ folder: PackageSnapshot.Node, at path: PackagePath
  ) throws(FilePackageError) -> PackageSnapshot.Node {
    entered.removeAll { !path.isWithin($0.path) }
    var folder = folder
    guard case .directory(let changes) = folder.content, !path.names.contains(PackageLayout.hidden) else {
      return folder
    }
    if folder.listing == nil { folder.listing = try folder.stored?.list() }
    if !path.isRoot, changes.isEmpty, let stored = folder.stored, folder.listing?.hasHiddenFolder == true {
      let document = try Self.document(at: stored, path)
      entered.append(document)
      var root = document.writer.tree.snapshot().root
      root.listing = try root.stored?.list()
      (root.attributes, root.filename) = (folder.attributes, folder.filename)
      folder = root
    }
    leaveOutLeftovers(of: &folder, at: path)
    if includesHistory {
      try addHidden(to: &folder)
    } else {
      try leaveOutHidden(of: &folder, at: path)
    }
    return folder
  }

  /// Opens a document and takes its lock for readers.
  private static func document(
    at stored: StoredNode, _ path: PackagePath
  ) throws(FilePackageError) -> Document {
    for _ in 0..<50 {
      let node = try StoredNode.look(at: stored.filePath, following: false, on: stored.disk)
      guard let status = node.status, status.kind == .directory else {
        throw FilePackageError(.changedOnDisk, .read, stored)
      }
      let writer = PackageWriter(node, status: status)
      try writer.recover()
      if let lock = try writer.lockForReading() { return Document(path: path, lock: lock, writer: writer) }
    }
    throw FilePackageError(.busy, .read, stored)
  }

  /// Leaves out the new and old states that a killed save left beside a document.
  private func leaveOutLeftovers(of folder: inout PackageSnapshot.Node, at path: PackagePath) {
    guard let listing = folder.listing else { return }
    let leftovers = listing.fileNames.filter { $0.bytes.starts(with: PackageLayout.siblingPrefix) }
    folder.listing = listing.without(Set(leftovers))
    leftOut += leftovers.sorted().map(path.appending)
  }

  private func leaveOutHidden(
    of folder: inout PackageSnapshot.Node, at path: PackagePath
  ) throws(FilePackageError) {
    guard case .directory(var changes) = folder.content else { return }
    // In a folder that was built in memory, the hidden folder may be an object.
    var isLoss = changes.removeValue(forKey: PackageLayout.hidden)?.now != nil
    if let package = folder.hiddenFolderPlace { isLoss = try HiddenFolderCopy.hasHistory(at: package) }
    folder.content = .directory(changes)
    folder.listing = folder.listing?.without([PackageLayout.hidden])
    if isLoss { leftOut.append(path.appending(PackageLayout.hidden)) }
  }

  private func addHidden(to folder: inout PackageSnapshot.Node) throws(FilePackageError) {
    guard case .directory(var changes) = folder.content, changes[PackageLayout.hidden] == nil,
      let package = folder.hiddenFolderPlace
    else { return }
    folder.listing = folder.listing?.without([PackageLayout.hidden])
    let hidden = try HiddenFolderCopy.node(at: package)
    changes[PackageLayout.hidden] = PackageSnapshot.Change(baseline: .present(nil), now: hidden)
    folder.content = .directory(changes)
  }
}

extension PackageSnapshot.Node {
  /// The place of the package whose hidden folder this folder may contain on disk; nil if it contains none.
  fileprivate var hiddenFolderPlace: Location? {
    guard let stored else { return nil }
    // The listing of an open package does not name the hidden folder.
    let mayHaveOne = listing?.hasHiddenFolder == true || stored.path.isRoot && stored.location.isPackage
    return mayHaveOne ? Location(stored.filePath, on: stored.disk) : nil
  }
}

extension DirectoryListing {
  fileprivate var hasHiddenFolder: Bool {
    position(of: PackageLayout.hidden).map { kind(at: $0) == .directory } ?? false
  }
}

/// The hidden folder of a package as a copy or an archive of the package has it.
enum HiddenFolderCopy {
  /// Returns the hidden folder without the files that only open stores need; nil if it has no others.
  ///
  /// This function first moves the files of versions that a killed program left among the staged ones.
  static func node(at location: Location) throws(FilePackageError) -> PackageSnapshot.Node? {
    try keepStaged(at: location)
    return try hidden(location).attempt(.read, "listing") {
      guard let listing = try listing(at: location) else { return nil }
      let left = listing.without(Set(listing.fileNames.filter(PackageLayout.isOfSession)))
      if left.count == 0 { return nil }
      var node = PackageSnapshot.Node(
        try StoredNode(location: location, path: .root).children([PackageLayout.hidden])[0], kind: .directory)
      node.listing = left
      if let log = try log(at: location) {
        node.content = .directory([
          PackageLayout.log: PackageSnapshot.Change(baseline: .present(nil), now: log)
        ])
      }
      return node
    }
  }

  /// Returns a log with what counts for a copy: no save that waits, and no bytes of earlier files; nil if there is
  /// none that can be read.
  private static func log(at location: Location) throws -> PackageSnapshot.Node? {
    guard let log = try SaveLog.find(of: location).log else { return nil }
    let package = try location.disk.status(of: location.openDirectory(.root))
    let bytes = try SaveLog.contents(SaveLog.ledger(insteadOf: log), after: log.sequence, of: package)
    let wrapper = FileWrapper(regularFileWithContents: Data(bytes))
    wrapper.preferredFilename = PackageLayout.log.string
    return wrapper.snapshot().root
  }

  /// Keeps the files of versions that are among the staged ones; writes nothing and locks nothing if there are none.
  private static func keepStaged(at location: Location) throws(FilePackageError) {
    let disk = location.disk
    try StoredNode(location: location, path: .root).attempt(.read, "completing the history of") {
      guard let folder = try location.openHiddenFolder(), try disk.exists(PackageLayout.staging, in: folder),
        try !disk.stagedNames(in: disk.openDirectory(PackageLayout.staging, in: folder)).isEmpty,
        try SaveLog.find(in: folder, on: disk, forWriting: false).ledger?.policy != nil
      else { return }
      let session = try PackageSession(location, LockWait(), logCapacity: SaveLog.capacity)
      defer { session.hidden.unlock() }
      try session.refresh(PackageMetadata.read(from: location.path, on: disk))
    }
  }

  /// Returns whether the hidden folder has more than the files of open stores and the notes of saves, such as versions
  /// or conflicts.
  static func hasHistory(at location: Location) throws(FilePackageError) -> Bool {
    try hidden(location).attempt(.read, "listing") {
      guard let listing = try listing(at: location) else { return false }
      if listing.fileNames.contains(where: { !PackageLayout.isOfSession($0) && $0 != PackageLayout.log }) {
        return true
      }
      return try SaveLog.find(of: location).ledger?.policy != nil
    }
  }

  private static func listing(at location: Location) throws(SystemError) -> DirectoryListing? {
    guard let folder = try location.openHiddenFolder() else { return nil }
    return try location.disk.list(folder)
  }

  private static func hidden(_ location: Location) -> StoredNode {
    StoredNode(location: location, path: PackagePath([PackageLayout.hidden]))
  }
}
