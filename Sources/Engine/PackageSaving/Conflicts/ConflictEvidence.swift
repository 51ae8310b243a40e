import DurableIO
import FileTrees
import FoundationEssentials
import PackageFormat

/// The parts from which a package's versions can be assembled.
///
/// These are its children by their digests, the conflict copies, and the saves' notes of the states that they made.
struct ConflictEvidence {
  /// A conflict copy, and its original.
  struct Copy {
    var path: PackagePath
    var original: PackagePath
    var name: ConflictName
  }

  /// A conflict copy of the metadata.
  struct MetadataCopy {
    package var copy: Copy
    var metadata: PackageMetadata
    var name: ConflictName { copy.name }
    /// The mark of a copy that no known program names so.
    var mark: CopyMark?
  }

  package let location: Location
  /// The document's folders, each with its listing.
  private(set) var folders: [(folder: StoredNode, listing: DirectoryListing)] = []
  /// Every child, including conflict copies, by its path.
  private(set) var found: [PackagePath: NotedChild] = [:]
  /// The children without the conflict copies.
  private(set) var present: [PackagePath: NotedChild] = [:]
  /// The summary of these.
  private(set) var summary = ContentSummary()
  /// The conflict copies, except those of the metadata.
  private(set) var copies: [Copy] = []
  private(set) var metadataCopies: [MetadataCopy] = []
  /// The paths of all conflict copies among the children.
  private(set) var allCopies: Set<PackagePath> = []
  /// The conflict copies of the library's own files in the hidden folder.
  private(set) var hiddenCopies: Set<ConflictFile> = []

  /// The notes of the saves: those of the document, and those in conflict copies of its log.
  private var ledgers: [Ledger] = []
  /// The bytes of all of them together are no more than those of one log.
  private var roomForLogs = UInt64(PackageLayout.maximumLogSize)
  private let sources: ContentSources
  private var originals: [PackagePath: [PackagePath]] = [:]

  /// The metadata of the document on disk.
  private let current: PackageMetadata?
  /// The children that the sums leave out.
  private var uncounted: Set<PackagePath> { current?.uncounted ?? [] }

  init(_ location: Location, _ current: PackageMetadata?) throws(FilePackageError) {
    (self.location, self.current) = (location, current)
    sources = ContentSources(at: location)
    try findCopies()
    allCopies = Set(copies.map(\.path) + metadataCopies.map(\.copy.path))
    try readHidden()
    if !isEmpty { try readChildren() }
  }

  var isEmpty: Bool { allCopies.isEmpty }

  /// Returns the paths of a child's conflict copies.
  func copies(of path: PackagePath) -> [PackagePath] { originals[path] ?? [] }

  /// Returns the place of a child's content, under any name; nil if it is lost.
  func find(_ row: NotedChild) throws(FilePackageError) -> StoredNode? {
    let child = row.child
    if let present = found[child.path]?.child, present.content == child.content, present.kind == child.kind {
      return StoredNode(location: location, path: child.path)
    }
    return try sources.find(Entry(row))
  }

  // MARK: States

  /// Returns the children of a state; nil if no known save noted them.
  func state(at revision: UUID) -> StateTable? {
    ledgers.lazy.compactMap { $0.table(of: revision) }.first
  }

  /// Returns the last state from which two states were both made; nil if it is not known.
  func commonState(of first: UUID, and second: UUID) -> StateTable? {
    let others = Set(revisions(upTo: second))
    return revisions(upTo: first).last(where: others.contains).flatMap(state(at:))
  }

  private func revisions(upTo revision: UUID) -> [UUID] {
    for ledger in ledgers {
      let revisions = ledger.revisions
      if let end = revisions.firstIndex(of: revision) { return Array(revisions[...end]) }
    }
    return []
  }

  // MARK: Looking

  private mutating func findCopies() throws(FilePackageError) {
    let root = StoredNode(location: location, path: .root)
    let listing = try root.list()
    var marks: [CopyMark] = []
    for position in 0..<listing.count where listing.kind(at: position) == .file {
      let name = listing.name(at: position)
      if let mark = try Self.mark(ofMetadata: name, current, in: location) { marks.append(mark) }
    }
    try findCopies(in: root, listing, marks)
  }

  /// Returns the mark in the name of a copy of the metadata that no known program names so; nil for any other file.
  ///
  /// A name proves nothing: the file has to hold metadata. If no common program gives such names, that has to be another
  /// state of this document. Otherwise it may be another document's, which had the same name.
  static func mark(
    ofMetadata name: FileName, _ current: PackageMetadata?, in location: Location
  ) throws(FilePackageError) -> CopyMark? {
    guard let mark = CopyMark(ofMetadata: name), ConflictName(name) == nil,
      let metadata = try metadata(at: PackagePath([name]), in: location)
    else { return nil }
    if mark.isCommon { return mark }
    guard let current, metadata.identifier == current.identifier, metadata.revision != current.revision else {
      return nil
    }
    return mark
  }

  private mutating func findCopies(
    in folder: StoredNode, _ listing: DirectoryListing, _ marks: [CopyMark]
  ) throws(FilePackageError) {
    if folder.path.names.count > PackagePath.maximumDepth {
      throw FilePackageError(.tooDeep, .read, folder)
    }
    folders.append((folder, listing))
    for position in 0..<listing.count {
      let name = listing.name(at: position)
      let path = folder.path.appending(name)
      if PackageLayout.isOurs(path) { continue }
      switch listing.kind(at: position) {
      case .directory:
        let child = StoredNode(location: location, path: path)
        try findCopies(in: child, child.list(), marks)
      case .file, .symbolicLink:
        // A name counts only beside its original: otherwise any program could have given it.
        guard let (known, mark) = Self.conflictName(name, marks), listing.position(of: known.original) != nil
        else {
          continue
        }
        try add(Copy(path: path, original: folder.path.appending(known.original), name: known), mark)
      default: break
      }
    }
  }

  private static func conflictName(_ name: FileName, _ marks: [CopyMark]) -> (ConflictName, CopyMark?)? {
    if let known = ConflictName(name) { return (known, nil) }
    // A copy of the metadata has its own mark, also if another one differs in the date only.
    if let own = CopyMark(ofMetadata: name), marks.contains(own) {
      return ConflictName(name, own).map { ($0, own) }
    }
    for mark in marks {
      if let known = ConflictName(name, mark) { return (known, mark) }
    }
    return nil
  }

  private mutating func add(_ copy: Copy, _ mark: CopyMark?) throws(FilePackageError) {
    if copy.original.names == [PackageLayout.metadata] {
      // If it is no metadata, it is a file like any other.
      guard let metadata = try Self.metadata(at: copy.path, in: location) else { return }
      metadataCopies.append(MetadataCopy(copy: copy, metadata: metadata, mark: mark))
    } else {
      copies.append(copy)
      originals[copy.original, default: []].append(copy.path)
    }
  }

  /// Returns the metadata in a file; nil if the file holds none, or is gone.
  ///
  /// - Throws: the system's error. A copy that the disk fails to give must not pass for no conflict.
  static func metadata(
    at path: PackagePath, in location: Location
  ) throws(FilePackageError) -> PackageMetadata? {
    do {
      guard let node = try location.node(at: path), let status = node.status, status.kind == .file,
        status.size <= UInt64(PackageMetadata.maximumSize)
      else { return nil }
      let data = try FileContents.stored(node).data()
      return try? PackageMetadata(decoding: data)
    } catch {
      let error = FilePackageError(any: error, .read, StoredNode(location: location, path: path))
      if [.noSuchFile, .changedOnDisk].contains(error.code) { return nil }
      throw error
    }
  }

  // MARK: The hidden folder

  private mutating func readHidden() throws(FilePackageError) {
    let folder = StoredNode(location: location, path: PackagePath([PackageLayout.hidden]))
    let names = try folder.namesIfPresent()
    var hidden: [FileName] = []
    let name = PackageLayout.log
    for copy in names where copy == name || ConflictName(copy)?.original == name || isNumbered(copy, name) {
      if copy != name { hidden.append(copy) }
      // Without a copy, a look is a listing.
      guard !isEmpty, let bytes = try read(copy, in: folder), let ledger = Ledger(log: bytes) else {
        continue
      }
      ledgers.append(ledger)
    }
    hidden += names.filter {
      ConflictName($0)?.original == PackageLayout.lock || isNumbered($0, PackageLayout.lock)
    }
    for node in try folder.children(hidden) {
      guard let status = node.status else { continue }
      hiddenCopies.insert(ConflictFile(path: node.path, size: status.size, modified: status.modified))
    }
  }

  /// Returns whether a name such as `log-LAPTOP` or `log 2` has the mark of a copy of the metadata.
  private func isNumbered(_ name: FileName, _ original: FileName) -> Bool {
    metadataCopies.contains { copy in copy.mark.flatMap { ConflictName(name, $0) }?.original == original }
  }

  private mutating func read(_ name: FileName, in folder: StoredNode) throws(FilePackageError) -> [UInt8]? {
    return try folder.child(name).attempt(.read) {
      let directory = try location.openDirectory(folder.path)
      guard let status = try location.disk.statusIfPresent(of: name, in: directory), status.kind == .file,
        status.size <= roomForLogs
      else { return nil }
      roomForLogs -= status.size
      return try location.disk.readAll(
        location.disk.openFile(name, in: directory), atMost: PackageLayout.maximumLogSize)
    }
  }

  // MARK: Children

  private mutating func readChildren() throws(FilePackageError) {
    let root = StoredNode(location: location, path: .root)
    // A child in its place with the noted size and date is not read.
    let known = ledgers.first.flatMap { ledger in ledger.revision.flatMap { ledger.table(of: $0) } }
    try PackageSnapshot.Node(root, kind: .directory).forEachChild(leavingOut: uncounted) {
      path, node throws(FilePackageError) in
      let row = try NotedChild(reading: node, at: path, unless: known?.row(at: path))
      found[path] = row
      sources.add(row)
      if allCopies.contains(path) { return }
      present[path] = row
      summary.add(row.child)
    }
  }
}

extension StoredNode {
  /// Returns the names in the folder in byte order; none if there is no such folder.
  fileprivate func namesIfPresent() throws(FilePackageError) -> [FileName] {
    do throws(FilePackageError) {
      let listing = try list()
      return listing.sortedPositions().map(listing.name(at:))
    } catch {
      if error.code == .noSuchFile { return [] }
      throw error
    }
  }
}

extension Location {
  /// Returns the folders of the conflict versions in the hidden folder.
  func keptConflicts() throws(FilePackageError) -> [StoredNode] {
    let folder = StoredNode(location: self, path: PackageLayout.conflictsPath)
    // In a package of another program, the name may be that of a file.
    let isThere = try folder.attempt(.read) { try openHiddenFolder() != nil }
    guard isThere else { return [] }
    // A version that a program is making, or was when it ended, is none yet.
    let names = try folder.namesIfPresent().filter { !$0.bytes.starts(with: PackageLayout.siblingPrefix) }
    return try folder.children(names).filter { $0.status?.kind == .directory }
  }
}
