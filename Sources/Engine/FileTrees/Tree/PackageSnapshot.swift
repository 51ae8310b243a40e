package import DurableIO
import FoundationEssentials
package import PackageFormat
import Synchronization

/// A tree as it was at one moment: it never changes, and another thread can read it while the tree changes.
///
/// Its size depends on the changes: for a directory on disk, it has only the names that differ from the disk.
public struct PackageSnapshot: Sendable {
  package var root: Node
  /// The role of `Metadata.plist` in the tree.
  package var metadataRole = MetadataRole.values

  package init(root: Node, metadataRole: MetadataRole = .values) {
    (self.root, self.metadataRole) = (root, metadataRole)
  }

  /// One wrapper, frozen.
  package struct Node: Sendable {
    /// The wrapper, and below its revision at that moment; nil for a node that is no object.
    package var wrapper: FileWrapper?
    package var revision: UInt64 = 0
    package var attributes: NodeAttributes
    /// The node on disk that it was read from or last saved as.
    package var stored: StoredNode?
    /// The wrapper's own listing of the directory, if it has one: the save then misses a child that has vanished since.
    package var listing: DirectoryListing?
    /// The file whose content it is known to have: the one last written, or else the one it was read from.
    package var known: FileStatus?
    package var filename: FileName?
    package var content: Content
  }

  package indirect enum Content: Sendable {
    case file(FileContents)
    case link(FileWrapper.LinkDestination)
    /// The names that differ from the directory on disk, or all names of a directory that is only in memory.
    case directory([FileName: Change])
  }

  /// The change at one name. It is one word, since a dictionary has more places than names.
  package struct Change: Sendable {
    private final class Values: Sendable {
      package let baseline: DirectoryNode.Baseline
      let now: Node?

      init(_ baseline: DirectoryNode.Baseline, _ now: Node?) { (self.baseline, self.now) = (baseline, now) }
    }

    private let values: Values
    package var baseline: DirectoryNode.Baseline { values.baseline }
    /// The node under that name; nil if there is none any more.
    package var now: Node? { values.now }

    package init(baseline: DirectoryNode.Baseline, now: Node?) { values = Values(baseline, now) }
  }
}

extension FileWrapper {
  /// Returns the tree as it is now.
  ///
  /// Cost: the children that are objects or changed. All other children are read from disk when the snapshot is used.
  public func snapshot() -> PackageSnapshot {
    Self.structure.withLock { _ in
      PackageSnapshot(root: freeze(changesOnly: false), metadataRole: metadataRole)
    }
  }

  /// Freezes the differences from the disk. The cost is the changes, even if every child is an object.
  package func changesSnapshot() -> PackageSnapshot {
    Self.structure.withLock { _ in
      PackageSnapshot(root: freeze(changesOnly: true), metadataRole: metadataRole)
    }
  }

  fileprivate func freeze(changesOnly: Bool) -> PackageSnapshot.Node {
    let state = state.withLock { $0 }
    let stored = state.stored
    var listing: DirectoryListing?
    let content: PackageSnapshot.Content
    switch state.node {
    case .file: content = .file(state.contents ?? .data(Data()))
    case .link(let destination): content = .link(destination)
    case .directory(let directory):
      listing = directory.listing
      content = .directory(directory.freeze(changesOnly: changesOnly))
    }
    return PackageSnapshot.Node(
      wrapper: self, revision: state.revision, attributes: state.attributes, stored: stored,
      listing: listing, known: state.written ?? stored?.status,
      filename: state.filename.map { FileName($0) }, content: content)
  }
}

extension DirectoryNode {
  fileprivate func freeze(changesOnly: Bool) -> [FileName: PackageSnapshot.Change] {
    var frozen: [FileName: PackageSnapshot.Change] = [:]
    frozen.reserveCapacity(changesOnly ? changes.count : changes.count + children.count)
    for (name, baseline) in changes {
      frozen[name] = PackageSnapshot.Change(
        baseline: baseline, now: children[name]?.freeze(changesOnly: changesOnly))
    }
    if changesOnly { return frozen }
    for (name, child) in children where changes[name] == nil {
      frozen[name] = PackageSnapshot.Change(
        baseline: .present(nil), now: child.freeze(changesOnly: changesOnly))
    }
    return frozen
  }
}

// MARK: - Looking at everything

extension PackageSnapshot.Node {
  /// Returns all children of a directory by name: those in the snapshot, and the other ones from the disk.
  package func children(
    at path: PackagePath, looking: Bool
  ) throws(FilePackageError) -> [(name: FileName, node: PackageSnapshot.Node)] {
    guard case .directory(let changes) = content else { return [] }
    var children: [(name: FileName, node: PackageSnapshot.Node)] = []
    if let stored {
      if path.names.count > PackagePath.maximumDepth { throw FilePackageError(.tooDeep, .read, stored) }
      let listing = if let known = listing { known } else { try stored.list() }
      let positions = listing.sortedPositions().filter { position in
        listing.kind(at: position).isSupported
          && (changes.isEmpty || changes[listing.name(at: position)] == nil)
      }
      let names = positions.map(listing.name(at:))
      let nodes = looking ? try stored.children(names) : names.map { stored.child($0) }
      children = zip(positions, nodes).map { position, node in
        (listing.name(at: position), PackageSnapshot.Node(node, kind: listing.kind(at: position)))
      }
      if changes.isEmpty { return children }
    }
    for (name, change) in changes {
      if let now = change.now { children.append((name, now)) }
    }
    return children.sorted { $0.name < $1.name }
  }

  /// Makes a node that is on disk and is no object.
  package init(_ stored: StoredNode, kind: FileKind) {
    let content: PackageSnapshot.Content =
      switch kind {
      case .directory: .directory([:])
      case .symbolicLink: .link(.unread)
      default: .file(.stored(stored))
      }
    self.init(
      attributes: stored.status.map(NodeAttributes.init) ?? .newDirectory(), stored: stored,
      known: stored.status, filename: stored.path.name, content: content)
  }

  package var kind: FileKind {
    switch content {
    case .file: .file
    case .link: .symbolicLink
    case .directory: .directory
    }
  }

  /// Returns the destination of a symbolic link.
  package func destination() throws(FilePackageError) -> [UInt8] {
    guard case .link(let destination) = content else { return [] }
    if case .known(let bytes) = destination { return bytes }
    return try stored?.readLink() ?? []
  }

  /// Returns whether the attributes differ from those on disk so that a save must set them.
  package func hasNewAttributes(since status: FileStatus?) -> Bool {
    guard let status else { return false }
    if attributes.modeIsExact && attributes.mode != status.mode { return true }
    return attributes.modified.map { $0 != status.modified } ?? false
  }
}
