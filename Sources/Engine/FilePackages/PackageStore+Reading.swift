package import DurableIO
public import FoundationEssentials
package import SystemPackage

/// The changes that other programs made to an open package.
public struct ExternalChanges: Sendable, Hashable {
  /// The children that other programs changed, made or removed, as paths in byte order; an added or removed folder
  /// stands for its whole content.
  public var paths: [String] = []
  /// Whether another directory is in the package's place.
  public var isReplaced = false

  /// Makes a set of changes, by default none.
  public init(paths: [String] = [], isReplaced: Bool = false) {
    (self.paths, self.isReplaced) = (paths, isReplaced)
  }

  /// Whether there are no changes.
  public var isEmpty: Bool { paths.isEmpty && !isReplaced }
}

extension ExternalChanges: CustomStringConvertible {
  /// One line, such as `changed: Text.txt, Images`.
  public var description: String {
    if isReplaced { return "another directory stands in the package's place" }
    return paths.isEmpty ? "no changes" : "changed: " + paths.map(displayString).joined(separator: ", ")
  }
}

// Reading beside other programs that write.

extension PackageStore {
  /// Opens a package and calls `body` while no program that uses this library publishes a save of it.
  ///
  /// Everything that `body` reads belongs to one state. Other programs can commit saves meanwhile, and publish them
  /// after `body`. If a program waits more than ten seconds for that, its save returns unpublished, and its report says
  /// so.
  ///
  /// - Throws: as `open(at:)`; `busy` if other programs never leave the package alone for long enough; the errors of
  ///   `body`.
  public static func reading<Result: Sendable>(
    at url: URL, _ body: @Sendable (PackageStore) async throws -> Result
  ) async throws -> Result {
    try await reading(FilePath(of: url, for: .open), on: PosixDisk(), body)
  }

  package static func reading<Result: Sendable>(
    _ path: FilePath, on disk: any Disk, _ body: @Sendable (PackageStore) async throws -> Result
  ) async throws -> Result {
    for _ in 0..<50 {
      let store = try await open(path, on: disk)
      if let lock = try await store.lockForReading() {
        let result = try await body(store)
        withExtendedLifetime(lock) {}
        return result
      }
    }
    throw FilePackageError(.busy, .open, document: FileName(path).string)
  }

  private func lockForReading() throws(FilePackageError) -> OpenNode? { try writer.lockForReading() }

  // MARK: Entries

  /// Calls `body` with every node of the package on disk except the hidden folder.
  ///
  /// A folder comes before its content; names come in byte order. The method makes no objects of children. It holds the
  /// listings of one folder and of those above it in memory. Cost: one getdents64(2) loop a folder; with `attributes`,
  /// a statx(2) a node.
  ///
  /// - Throws: `tooDeep`, the system's reason, and the errors of `body`.
  public func forEachEntry(attributes: Bool = true, _ body: (PackageEntry) throws -> Void) throws {
    try writer.node.forEachEntry(attributes: attributes, body)
  }

  // MARK: Changes by other programs

  /// Finds the changes that other programs made to the package since this store read or saved it.
  ///
  /// The store first publishes a committed save: the links of that save change the times of files, which would look
  /// like other programs' changes.
  ///
  /// The store finds only changes of names in folders that the tree has listed, and changes of children that are
  /// objects. No other change can conflict with the tree. Cost: a getdents64(2) loop for each listed folder, a statx(2)
  /// for each child that is an object.
  ///
  /// - Throws: `noSuchFile` if the package is not in its place any more; the system's reason.
  public func changesByOthers() throws(FilePackageError) -> ExternalChanges {
    defer { scheduleDueWork() }
    let now = try StoredNode.look(at: location.path, following: false, on: location.disk)
    guard now.status?.identity.isSameNode(as: writer.baseline.status.identity) == true else {
      return ExternalChanges(isReplaced: true)
    }
    // While a save waits, the disk has neither the old state nor the new one.
    try writer.publish()
    try writer.rebase()
    return try StoredNode(location: location, path: .root).attempt(.read) {
      ExternalChanges(paths: try writer.package.placesOfNews(at: location).map(\.string))
    }
  }

  /// Reads the package again, with the changes of other programs.
  ///
  /// The store gets another tree, which lacks the unsaved edits of the old one.
  ///
  /// - Parameter body: reads the new tree.
  /// - Throws: `noSuchFile`, `notAPackage`, `busy` or the system's reason, and the errors of `body`; the store then
  ///   still has the old tree.
  public func reload<Result>(_ body: (FileWrapper) throws -> Result) throws -> Result {
    defer { scheduleDueWork() }
    return try writer.reload(body)
  }

  /// Continues with the package at `url`, after another program moved it there.
  ///
  /// Later saves write there, and the tree reads its unread children there.
  ///
  /// - Throws: `changedOnDisk` if the package at `url` is not the one that this store knows; the store then stays as it
  ///   was.
  public func follow(to url: URL) throws(FilePackageError) {
    let path = try FilePath(of: url, for: .open)
    guard writer.baseline.isPackage(at: Location(path, on: location.disk)) else {
      throw FilePackageError(
        .changedOnDisk, .open, document: url.path, reason: "it is not the package that was opened")
    }
    location.path = path
  }
}

extension PackageStore: WatchBaseline {
  /// Returns the places at which the disk differs from the state that the tree was read from or last saved as.
  ///
  /// The store compares the inode number, size and times of a file, never its contents; of a folder, only the inode
  /// number. A changed mode alone does not count. Cost: one status for each path, and opening its folder.
  public func news(of document: URL, at paths: [String], found: [String]) -> [String] {
    writer.package.news(of: document, at: paths, found: found)
  }

  /// Returns the places at which the disk differs from the state that the tree was read from or last saved as.
  ///
  /// If the store cannot compare them, it returns the package itself.
  public func news(of document: URL) -> [String] { writer.package.news(of: document) }
}
