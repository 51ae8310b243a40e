import DurableIO
package import FileTrees
import FoundationEssentials
package import PackageFormat
import Synchronization
import SystemPackage

/// The versions of one document on disk.
///
/// Loading it costs the size of the log; it does not look at the document's children.
package struct VersionHistory {
  package let location: Location
  /// The metadata of the current state, published or not.
  let current: PackageMetadata
  package let chain: VersionChain
  package let policy: RetentionPolicy
  /// Whether a version is damaged, so that the versions before it are unavailable.
  let isDamaged: Bool
  /// The visible places of the files that a committed save will keep, by their kept names.
  private var visible: [FileName: PackagePath] = [:]
  /// The staged files, which may be kept files before a session moves them.
  private var staged: [PackagePath] = []

  /// Loads the history; nil if the document has none.
  ///
  /// - Parameters:
  ///   - present: the metadata on disk.
  ///   - saved: the metadata of a committed save that is unpublished. Its state is the current one, and the state on
  ///     disk is a version.
  static func load(
    _ location: Location, _ present: PackageMetadata, waiting saved: PackageMetadata? = nil
  ) throws(FilePackageError) -> VersionHistory? {
    let (disk, node) = (location.disk, StoredNode(location: location, path: .root))
    return try node.attempt(.read, "reading the history of") {
      guard let folder = try location.openHiddenFolder(),
        let log = try SaveLog.find(in: folder, on: disk, forWriting: false).get(.read, of: node)
      else { return nil }
      // A record without the mark of a published one counts if the document has its state.
      let waits = saved.flatMap { saved in
        saved.revision != present.revision && log.live?.state?.revision == saved.revision ? saved : nil
      }
      let current = waits ?? present
      guard let policy = log.ledger.policy else { return nil }
      let (chain, isDamaged) = try log.ledger.chain(of: current.revision)
      var history = VersionHistory(
        location: location, current: current, chain: chain, policy: policy, isDamaged: isDamaged)
      if try disk.exists(PackageLayout.staging, in: folder) {
        let names = try disk.stagedNames(in: disk.openDirectory(PackageLayout.staging, in: folder))
        history.staged = names.map(PackageLayout.stagingPath.appending)
      }
      if waits != nil {
        for change in log.live?.changes.rows ?? [] {
          if let kept = change.keptName { history.visible[kept] = change.path }
        }
      }
      return history
    }
  }

  /// The complete versions, by their indices in the chain.
  package var available: Range<Int> {
    chain.tip == current.revision ? chain.start..<chain.versions.count : 0..<0
  }

  /// The versions before a gap, which cannot be put together.
  var lost: [UUID] {
    let first = available.isEmpty ? chain.versions.count : available.lowerBound
    return chain.versions[..<first].map(\.revision)
  }

  func index(of revision: UUID) -> Int? {
    available.last { chain.versions[$0].revision == revision }
  }

  // MARK: Putting a version together

  /// Gives a tree these nodes.
  ///
  /// Cost: a status for each row, apart from `find`.
  ///
  /// - Parameters:
  ///   - rows: the places that differ from the tree, in order.
  ///   - find: returns the file or link with the content of a node; nil if its content is lost.
  /// - Returns: the places whose content is lost; the tree is unchanged there.
  static func apply(
    _ rows: [VersionRecord.Row], to tree: FileWrapper,
    finding find: (Entry) throws -> StoredNode?
  ) throws -> [PackagePath] {
    var lost: [PackagePath] = []
    for row in rows.reversed() where row.node == nil {
      if try node(at: row.path, in: tree) != nil { try tree.removeDescendant(at: row.path.string) }
    }
    for row in rows {
      guard let node = row.node else { continue }
      if try !put(node, at: row.path, in: tree, finding: find) { lost.append(row.path) }
    }
    return lost
  }

  private static func put(
    _ node: Entry, at path: PackagePath, in tree: FileWrapper,
    finding find: (Entry) throws -> StoredNode?
  ) throws -> Bool {
    if node.kind == .directory {
      let present = path.isRoot ? tree : try Self.node(at: path, in: tree)
      if let present, present.isDirectory {
        present.mergeMode = MergeMode(node.mode)
      } else {
        let folder = FileWrapper(directoryWithFileWrappers: [:])
        folder.state.withLock {
          $0.attributes = NodeAttributes(mode: node.mode, modeIsExact: true, modified: node.modified)
        }
        try tree.setDescendant(folder, at: path.string)
      }
      return true
    }
    guard let stored = try find(node) else { return false }
    try tree.setDescendant(.with(contentOf: stored, node.attributes(from: stored)), at: path.string)
    return true
  }

  /// Returns the kept file of a version's node, or the file that a save will keep; nil if the content is lost.
  ///
  /// A version shows no unknown content: if the content of a place is lost, the version reports it as lost.
  ///
  /// Cost: a status; for a file with the right size and another date, such as a copy of the package has, reading it.
  package func find(_ node: Entry) throws(FilePackageError) -> StoredNode? {
    guard let name = node.kept else { return nil }
    if let kept = try location.keptNode(of: node) { return kept }
    if let path = visible[name], let found = try location.node(at: path), try found.has(node) { return found }
    for path in staged {
      if let found = try location.node(at: path), try found.has(node, reading: true) { return found }
    }
    return nil
  }

  /// Returns the node at a path of a tree; nil also if the path leads through a file or a link.
  static func node(at path: PackagePath, in tree: FileWrapper) throws -> FileWrapper? {
    do {
      return try tree.descendant(at: path.string)
    } catch let error as FilePackageError where error.code == .wrongKind {
      return nil
    }
  }
}

extension Entry {
  /// Returns the attributes of the node, which gets its bytes from a file.
  func attributes(from source: StoredNode) -> NodeAttributes {
    var attributes = NodeAttributes(mode: mode, modeIsExact: true, modified: modified)
    // Of a file that no save kept, only the executable bit is known.
    if !isKept, let found = source.status?.mode, (found ^ mode) & 0o100 == 0 { attributes.mode = found }
    return attributes
  }
}

extension FileWrapper {
  /// Makes a file or link with the content of a node on disk; a link has the attributes of a new one.
  static func with(contentOf stored: StoredNode, _ attributes: NodeAttributes) throws -> FileWrapper {
    if stored.status?.kind == .symbolicLink {
      return FileWrapper(state: State(node: .link(.known(try stored.readLink())), attributes: .newLink()))
    }
    return FileWrapper(state: State(node: .file(.stored(stored)), attributes: attributes))
  }
}
