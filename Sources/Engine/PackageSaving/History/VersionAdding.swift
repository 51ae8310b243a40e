import DurableIO
package import FileTrees
package import FoundationEssentials
package import PackageFormat
import Synchronization
import SystemPackage

/// The addition of a version to a history.
package struct VersionAdding {
  private let writer: PackageWriter

  package init(_ writer: PackageWriter) { self.writer = writer }

  /// - Returns: the identifier of the version.
  package func add(_ contents: FileWrapper, date: Date?) throws(FilePackageError) -> UUID {
    try writer.publish()
    guard let current = try writer.baseline.metadata.get() else { throw writer.package.keepsNone }
    // The lock is held, so that the children in place stay unchanged.
    return try writer.withPackageLock { session throws(FilePackageError) in
      try add(contents, date: date, over: current, session.kept)
    }
  }

  private func add(
    _ contents: FileWrapper, date: Date?, over current: PackageMetadata, _ kept: KeptFiles
  ) throws(FilePackageError) -> UUID {
    return try writer.node.attempt(.save) {
      var added = VersionRecord(try newMetadata(of: contents, date, current), next: current.revision)
      added.isDiscardable = false
      let addition = try VersionAddition(
        of: contents, over: writer.package.newTree(),
        hasEarlier: try writer.package.history()?.available.isEmpty == false)
      // The files of the new version and of the version before it are durable before the history names them. A power
      // cut leaves either files that no version needs, or the version.
      try addition.keep(in: writer.location, kept)
      added.rows = addition.rows
      try HistoryRewriting(writer).rewrite(beginning: current.revision) { history in
        var versions = history.chain.versions
        if let last = versions.indices.last, history.chain.tip == current.revision {
          versions[last] = versions[last].leading(to: added.revision, addition.earlier)
        }
        return (VersionChain(versions + [added], tip: current.revision), history.policy)
      }
      return added.revision
    }
  }

  private func newMetadata(
    of contents: FileWrapper, _ date: Date?, _ current: PackageMetadata
  ) throws -> PackageMetadata {
    let plist = try contents.child(named: PackageLayout.metadata.string)
    // Metadata that are not a document's do not describe this version.
    let known = try plist.flatMap { $0.isRegularFile ? try $0.contents() : nil }
    var metadata = known.flatMap { try? PackageMetadata(decoding: $0) } ?? current
    let saved = known == nil ? nil : metadata.modificationDate
    metadata.identifier = current.identifier
    metadata.revision = .new
    (metadata.parentRevisions, metadata.contentRevision) = ([], nil)
    metadata.modificationDate = date ?? saved ?? writer.clock()
    metadata.summary = try ContentSummary(reading: contents.snapshot(), leavingOut: metadata.uncounted)
    return metadata
  }
}

/// The files to keep for a version that is added before the current state.
private struct VersionAddition {
  /// The new version's differences from the current state.
  private(set) var rows: [VersionRecord.Row] = []
  /// The rows of the current state, and so of the version before, at the same places.
  private(set) var earlier: [VersionRecord.Row] = []
  private var files = FileWrapper(directoryWithFileWrappers: [:])
  private var nodes: [FileName: (kind: FileKind, content: ContentHash)] = [:]

  init(of contents: FileWrapper, over present: FileWrapper, hasEarlier: Bool) throws {
    let (new, old) = (try Self.tree(contents), try Self.tree(present))
    for path in Set(new.keys).union(old.keys).sorted() {
      let (node, before) = (new[path], old[path])
      if let node, let before, try Self.isSame(node, before) { continue }
      rows.append(VersionRecord.Row(path, try node.map { try add($0) }))
      if hasEarlier { earlier.append(VersionRecord.Row(path, try before.map { try add($0) })) }
    }
  }

  private static func tree(_ tree: FileWrapper) throws -> [PackagePath: FileWrapper] {
    var nodes: [PackagePath: FileWrapper] = [:]
    func add(_ folder: FileWrapper, _ path: PackagePath) throws {
      for (key, child) in try folder.children() {
        let place = path.appending(FileName(key))
        if PackageLayout.isOurs(place) { continue }
        nodes[place] = child
        if child.isDirectory { try add(child, place) }
      }
    }
    try add(tree, .root)
    return nodes
  }

  private static func isSame(_ left: FileWrapper, _ right: FileWrapper) throws -> Bool {
    guard left.kind == right.kind else { return false }
    return try left.isDirectory
      || (left.permissions & 0o100 == right.permissions & 0o100 || left.isSymbolicLink)
        && left.hasSameContents(as: right)
  }

  /// Adds a node to keep.
  private mutating func add(_ wrapper: FileWrapper) throws -> Entry {
    var node = Entry(wrapper.kind, wrapper.state.withLock { $0.attributes })
    if wrapper.isDirectory { return node }
    let child = try ChildSummary(reading: wrapper.snapshot().root, at: .root)
    (node.size, node.content, node.isKept) = (child.size, child.content, true)
    guard let name = node.kept, nodes[name] == nil else { return node }
    nodes[name] = (node.kind, child.content)
    let copy = wrapper.copy()
    copy.preferredFilename = name.string
    files.addFileWrapper(copy)
    return node
  }

  /// Writes the files to keep; they are durable when it returns.
  func keep(in location: Location, _ kept: KeptFiles) throws {
    if nodes.isEmpty { return }
    let name = FileName("added-\(UUID.new.token)")
    let place = PackageLayout.stagingPath.appending(name)
    var path = location.path
    for name in place.names { path = path.appending(name.string) }
    try files.write(to: path, options: [], original: nil, on: location.disk)
    let folder = try location.openDirectory(place)
    for (name, node) in nodes.sorted(by: { $0.key < $1.key }) {
      try kept.keep(name, in: folder, node.kind, node.content)
    }
    try kept.synchronize()
    // The next session removes what stays.
    try? location.disk.removeDirectory(name, in: location.openDirectory(PackageLayout.stagingPath))
  }
}

extension VersionRecord {
  /// Returns this version for a history with another version between it and the current state.
  ///
  /// It keeps its content. If it shares a child with the current state and the new version differs there, the store
  /// keeps the child for it.
  ///
  /// - Parameter shared: the rows of the current state at the places where the new version differs.
  fileprivate func leading(to revision: UUID, _ shared: [Row]) -> VersionRecord {
    var version = self
    version.next = revision
    let own = Set(rows.map(\.path))
    version.rows = (rows + shared.filter { !own.contains($0.path) }).sorted { $0.path < $1.path }
    return version
  }
}
