package import DurableIO
package import FoundationEssentials

/// One version that is kept: the metadata that the document had, and what has to be laid over the state that came after
/// it to have it back.
package struct VersionRecord: Sendable, Hashable {
  /// The document's metadata in that version.
  package var metadata: PackageMetadata
  /// The state that came after it.
  package var next: UUID
  /// Whether retention may drop it: not where somebody added it by hand.
  package var isDiscardable = true
  /// What stood at each place that is something else in the next state; each place is there once, in order.
  package var rows: [Row] = []

  package init(_ metadata: PackageMetadata, next: UUID) {
    (self.metadata, self.next) = (metadata, next)
  }

  /// What identifies it.
  package var revision: UUID { metadata.revision }

  /// Bytes that only this version has.
  package var keptBytes: UInt64 {
    rows.reduce(0) { $0 &+ ($1.node?.place == nil ? 0 : $1.node?.size ?? 0) }
  }

  /// What stood at one place.
  package struct Row: Sendable, Hashable {
    package var path: PackagePath
    /// Nil where nothing did.
    package var node: Node?
    /// What the versions before this one had there, where they do not say themselves.
    package var earlier = Earlier.same

    package init(_ path: PackagePath, _ node: Node?, earlier: Earlier = .same) {
      (self.path, self.node, self.earlier) = (path, node, earlier)
    }
  }

  /// What versions have at a place that a later one tells of.
  package enum Earlier: UInt8, Sendable, Hashable {
    /// What the later one has.
    case same
    /// Something else, which another program changed and nobody has any more.
    case lost
    /// Nothing: another program put there what the later one has.
    case nothing
  }

  /// A file, a link or a folder that stood there.
  package struct Node: Sendable, Hashable {
    package var kind: FileKind
    package var mode: UInt16
    package var size: UInt64 = 0
    package var modified: FileTime
    /// The hash of its content; nil for a folder.
    package var content: ContentHash?
    /// Where it is kept, within the folder for versions; nil for a folder that stayed, and for what nobody has any more.
    package var place: PackagePath?

    package init(_ kind: FileKind, _ attributes: NodeAttributes, size: UInt64 = 0) {
      (self.kind, self.size) = (kind, size)
      mode = attributes.mode
      modified = attributes.modified ?? FileTime(seconds: 0, nanoseconds: 0)
    }

    /// A file that another program changed before it was kept.
    static let lost = Node(.file, NodeAttributes(mode: 0o666, modeIsExact: false, modified: nil))

    /// Whether nobody has what it was.
    package var isLost: Bool { kind != .directory && place == nil }
  }
}

extension VersionRecord {
  /// This version where the one that came after it is dropped: what has to be laid over the state after that.
  func merged(over dropped: VersionRecord) -> VersionRecord {
    var merged = self
    merged.next = dropped.next
    let own = Set(rows.map(\.path))
    merged.rows += dropped.rows.filter { !own.contains($0.path) }.map(\.ofEarlier)
    merged.rows.sort { $0.path < $1.path }
    return merged
  }
}

extension VersionRecord.Row {
  /// What the versions before have there.
  var ofEarlier: VersionRecord.Row {
    switch earlier {
    case .same: self
    case .lost: VersionRecord.Row(path, .lost)
    case .nothing: VersionRecord.Row(path, nil)
    }
  }
}

/// The versions of one document, and what of it has to be kept when some are dropped.
struct VersionChain {
  /// The oldest first; each leads to the next one, the last to the present state.
  private(set) var versions: [VersionRecord]
  /// The state that the last one leads to.
  private(set) var tip: UUID

  init(_ versions: [VersionRecord] = [], tip: UUID) {
    (self.versions, self.tip) = (versions, tip)
  }

  /// Adds the newest.
  mutating func append(_ version: VersionRecord) {
    versions.append(version)
    tip = version.next
  }

  /// Where the versions begin that can be put together: before it, a save kept nothing.
  var start: Int {
    var start = versions.count
    while start > 0, versions[start - 1].next == (start < versions.count ? versions[start].revision : tip) {
      start -= 1
    }
    return start
  }

  /// What has to be laid over the present state to have a version back.
  func rows(of index: Int) -> [VersionRecord.Row] {
    var rows: [PackagePath: VersionRecord.Row] = [:]
    for row in versions[index].rows { rows[row.path] = row }
    for version in versions[(index + 1)...] {
      for row in version.rows where rows[row.path] == nil { rows[row.path] = row.ofEarlier }
    }
    return rows.values.sorted { $0.path < $1.path }
  }

  /// Drops versions; those before them get what they need of them.
  mutating func drop(_ revisions: Set<UUID>) {
    var kept: [VersionRecord] = []
    for version in versions {
      if revisions.contains(version.revision) {
        // What nothing leads to goes with it.
        guard let last = kept.last, last.next == version.revision else { continue }
        kept[kept.count - 1] = last.merged(over: version)
      } else {
        kept.append(version)
      }
    }
    versions = kept
  }

  /// Where something is kept, within the folder for versions.
  var places: Set<PackagePath> {
    Set(versions.flatMap(\.rows).compactMap { $0.node?.place })
  }
}
