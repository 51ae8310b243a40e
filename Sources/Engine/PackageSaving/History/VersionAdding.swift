import DurableIO
package import FileTrees
package import FoundationEssentials
package import PackageFormat
import SystemPackage

extension PackageWriter {
  /// Adds a version to the history: see `PackageStore.addVersion(_:date:)`.
  ///
  /// - Returns: the identifier of the version.
  package func addVersion(_ contents: FileWrapper, date: Date?) throws(FilePackageError) -> UUID {
    try publish()
    guard let current = try baseline.metadata.get() else { throw package.keepsNone }
    // The lock is held, so that the children in place stay unchanged.
    return try withPackageLock { session throws(FilePackageError) in
      try node.attempt(.save) {
        let table = try package.table(of: current)
        let new = try CountedChildren(contents.snapshot().root, current, sparing: nil)
        let old = try CountedChildren(package.present, current, sparing: table)
        var added = VersionRecord(try newMetadata(of: contents, new, date, current), next: current.revision)
        added.isDiscardable = false
        let addition = VersionAddition(
          of: new, over: old, hasEarlier: try package.history()?.available.isEmpty == false)
        // The files of the new version and of the version before it are durable before the history names them. A power
        // cut leaves either files that no version needs, or the version.
        try addition.keep(in: session)
        added.rows = addition.rows
        try rewriteHistory(beginning: current.revision) { history in
          var versions = history.chain.versions
          if let last = versions.indices.last, history.chain.tip == current.revision {
            versions[last] = versions[last].leading(to: added.revision, addition.earlier)
          }
          return (VersionChain(versions + [added], tip: current.revision), history.policy)
        }
        return added.revision
      }
    }
  }

  private func newMetadata(
    of contents: FileWrapper, _ children: CountedChildren, _ date: Date?, _ current: PackageMetadata
  ) throws -> PackageMetadata {
    let plist = try contents.child(named: PackageLayout.metadata.string)
    // Metadata that are not a document's do not describe this version.
    let known = try plist.flatMap { $0.isRegularFile ? try $0.contents() : nil }
    var metadata = known.flatMap { try? PackageMetadata(decoding: $0) } ?? current
    let saved = known == nil ? nil : metadata.modificationDate
    metadata.identifier = current.identifier
    metadata.revision = .new
    (metadata.parentRevisions, metadata.contentRevision) = ([], nil)
    metadata.modificationDate = date ?? saved ?? clock()
    metadata.summary = children.summary
    return metadata
  }
}

/// The children of a tree that the sums of a document count.
private struct CountedChildren {
  var nodes: [PackagePath: (node: PackageSnapshot.Node, child: ChildSummary)] = [:]
  var summary = ContentSummary()

  init(
    _ root: PackageSnapshot.Node, _ metadata: PackageMetadata, sparing table: StateTable?
  ) throws(FilePackageError) {
    try root.forEachChild(leavingOut: metadata.uncounted) { path, node throws(FilePackageError) in
      let child = try NotedChild(reading: node, at: path, unless: table?.row(at: path)).child
      nodes[path] = (node, child)
      summary.add(child)
    }
  }
}

/// The files to keep for a version that is added before the current state.
private struct VersionAddition {
  /// The new version's differences from the current state.
  private(set) var rows: [VersionRecord.Row] = []
  /// The rows of the current state, and so of the version before, at the same places.
  private(set) var earlier: [VersionRecord.Row] = []
  /// The files and links to keep, by their kept names.
  private var kept: [FileName: (path: PackagePath, node: PackageSnapshot.Node, content: ContentHash)] = [:]

  init(of new: CountedChildren, over old: CountedChildren, hasEarlier: Bool) {
    for path in Set(new.nodes.keys).union(old.nodes.keys).sorted() {
      let (node, before) = (new.nodes[path], old.nodes[path])
      if node?.child == before?.child { continue }
      rows.append(VersionRecord.Row(path, node.map { add($0.node, $0.child) }))
      if hasEarlier { earlier.append(VersionRecord.Row(path, before.map { add($0.node, $0.child) })) }
    }
  }

  /// Adds a node to keep.
  private mutating func add(_ node: PackageSnapshot.Node, _ child: ChildSummary) -> Entry {
    if node.kind == .directory { return Entry(.directory, node.attributes) }
    var entry = Entry(node.kind, node.attributes, size: child.size, content: child.content)
    entry.isKept = true
    if let name = entry.kept, kept[name] == nil { kept[name] = (child.path, node, child.content) }
    return entry
  }

  /// Makes the files to keep; they are durable when it returns.
  func keep(in session: PackageSession) throws {
    if kept.isEmpty { return }
    let staging = session.hidden.staging
    // With a progress of its own: this is no save of the document.
    let place = Location(session.hidden.location.path, on: session.hidden.location.disk)
    var maker = NodeMaker(
      at: place, on: session.disk, StagedSave.Options(), hashes: false,
      synchronizesMany: kept.count >= StagedSave.manyFiles)
    let files = kept.sorted { $0.key < $1.key }.map { (name: FileName("added-\(UUID.new.token)"), $0.value) }
    do {
      for (name, (path, node, _)) in files {
        // The digests are known.
        if case .file(let contents) = node.content {
          _ = try maker.make(contents, node.attributes, at: path, as: name, in: staging.descriptor)
        } else {
          _ = try maker.makeLink(node, node.attributes.modified, at: path, as: name, in: staging.descriptor)
        }
      }
      try maker.finish()
      for (name, (_, node, content)) in files {
        try session.kept.keep(name, in: staging.descriptor, node.kind, content)
      }
    } catch {
      // On a full disk they would only take room. What stays goes with the session.
      for (name, _) in files { try? session.disk.removeFile(name, in: staging.descriptor) }
      throw error
    }
    try session.kept.synchronize()
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
