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
  /// The conflict copies of the library's own files in the hidden folder.
  private(set) var hiddenCopies: Set<ConflictFile> = []

  /// The notes of the saves: those of the document, and those in conflict copies of its log.
  private var ledgers: [Ledger] = []
  /// The bytes of all of them together are no more than those of one log.
  private var roomForLogs = UInt64(PackageLayout.maximumLogSize)
  private var places: [ContentHash: PackagePath] = [:]
  private var originals: [PackagePath: [PackagePath]] = [:]

  /// The metadata of the document on disk.
  private let current: PackageMetadata?
  /// The children that the sums leave out.
  private var uncounted: Set<PackagePath> { current?.uncounted ?? [] }

  init(_ location: Location, _ current: PackageMetadata?) throws(FilePackageError) {
    (self.location, self.current) = (location, current)
    try findCopies()
    try readHidden()
    guard !copies.isEmpty || !metadataCopies.isEmpty else { return }
    try readChildren()
  }

  /// The paths of all conflict copies among the children.
  var allCopies: Set<PackagePath> { Set(copies.map(\.path) + metadataCopies.map(\.copy.path)) }

  var isEmpty: Bool { copies.isEmpty && metadataCopies.isEmpty }

  /// Returns the paths of a child's conflict copies.
  func copies(of path: PackagePath) -> [PackagePath] { originals[path] ?? [] }

  /// Returns the path of a file with a child's content, under any name.
  package func find(_ child: ChildSummary) -> PackagePath? {
    if let present = found[child.path], present.child.content == child.content,
      present.child.kind == child.kind
    {
      return child.path
    }
    return places[child.content].flatMap { kind(at: $0) == child.kind ? $0 : nil }
  }

  private func kind(at path: PackagePath) -> FileKind? { found[path]?.child.kind ?? .file }

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
  /// A name proves nothing: the file has to hold metadata, of this document and of another state.
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
    if folder.path.names.count >= PackagePath.maximumDepth {
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
    guard let name = path.name else { return nil }
    do {
      guard let node = try StoredNode(location: location, path: path.parent).children([name]).first,
        let status = node.status, status.kind == .file, status.size <= UInt64(PackageMetadata.maximumSize)
      else { return nil }
      let data = try FileContents.stored(node).data()
      return try? PackageMetadata(decoding: data)
    } catch {
      let error = error as? FilePackageError ?? FilePackageError(.inputOutput, .read, document: name.string)
      if [.noSuchFile, .changedOnDisk].contains(error.code) { return nil }
      throw error
    }
  }

  // MARK: The hidden folder

  private mutating func readHidden() throws(FilePackageError) {
    let folder = StoredNode(location: location, path: PackagePath([PackageLayout.hidden]))
    guard let names = try Self.namesIfPresent(in: folder) else { return }
    var hidden: [FileName] = []
    let name = PackageLayout.log
    for copy in names where copy == name || ConflictName(copy)?.original == name || isNumbered(copy, name) {
      if copy != name { hidden.append(copy) }
      guard let bytes = try read(copy, in: folder), let ledger = Ledger(log: bytes) else { continue }
      ledgers.append(ledger)
      try noteKept(by: ledger)
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

  private mutating func noteKept(by ledger: Ledger) throws(FilePackageError) {
    // No read of memory fails.
    guard let (chain, _) = try? ledger.chain() else { return }
    for row in chain.versions.flatMap(\.rows) {
      guard let node = row.node, let hash = node.content, let name = node.kept else { continue }
      let path = PackageLayout.keptPath.appending(name)
      guard let status = try statusIfPresent(at: path), status.kind == .file, status.size == node.size,
        status.modified == node.modified
      else { continue }
      places[hash] = path
    }
  }

  /// Returns the status at a path; nil if nothing is or can be there.
  private func statusIfPresent(at path: PackagePath) throws(FilePackageError) -> FileStatus? {
    guard let name = path.name else { return nil }
    do throws(FilePackageError) {
      return try StoredNode(location: location, path: path.parent).children([name]).first?.status
    } catch {
      if [.noSuchFile, .wrongKind, .invalidName].contains(error.code) { return nil }
      throw error
    }
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

  private static func namesIfPresent(in folder: StoredNode) throws(FilePackageError) -> [FileName]? {
    do throws(FilePackageError) {
      let listing = try folder.list()
      return listing.sortedPositions().map(listing.name(at:))
    } catch {
      if error.code == .noSuchFile { return nil }
      throw error
    }
  }

  /// Returns the folders in `.docpkg/conflicts`.
  func keptFolders() throws(FilePackageError) -> [(name: FileName, modified: FileTime)] {
    let folder = StoredNode(location: location, path: PackageLayout.conflictsPath)
    guard let names = try Self.namesIfPresent(in: folder) else { return [] }
    return try folder.children(names).compactMap { node in
      guard let name = node.path.name, let status = node.status, status.kind == .directory else { return nil }
      return (name, status.modified)
    }
  }

  // MARK: Children

  private mutating func readChildren() throws(FilePackageError) {
    let root = StoredNode(location: location, path: .root)
    // A child in its place with the noted size and date is not read.
    let known = ledgers.first.flatMap { ledger in ledger.revision.flatMap { ledger.table(of: $0) } }
    var rows: [PackagePath: NotedChild] = [:]
    try visit(PackageSnapshot.Node(root, kind: .directory), at: .root) { row in
      rows[row.child.path] = row
    } _: {
      path, size, modified in
      guard let row = known?.row(at: path), row.child.kind == .file, row.child.size == size,
        row.modified == modified
      else { return nil }
      return row
    }
    found = rows
    let left = allCopies
    for (path, row) in found {
      if row.child.kind == .file || row.child.kind == .symbolicLink { places[row.child.content] = path }
      if left.contains(path) { continue }
      present[path] = row
      summary.add(row.child)
    }
  }

  private func visit(
    _ node: PackageSnapshot.Node, at path: PackagePath, _ body: (NotedChild) -> Void,
    _ known: (PackagePath, UInt64, FileTime) -> NotedChild?
  ) throws(FilePackageError) {
    if PackageLayout.isOurs(path) || uncounted.contains(path) { return }
    if !path.isRoot {
      let modified = node.known?.modified ?? FileTime(seconds: 0, nanoseconds: 0)
      if node.kind == .file, let row = known(path, node.known?.size ?? 0, modified),
        row.child.isExecutable == (node.attributes.mode & 0o100 != 0)
      {
        body(row)
      } else {
        body(NotedChild(child: try ChildSummary(reading: node, at: path), modified: modified))
      }
    }
    guard node.kind == .directory else { return }
    for (name, child) in try node.children(at: path, looking: true) {
      try visit(child, at: path.appending(name), body, known)
    }
  }
}
