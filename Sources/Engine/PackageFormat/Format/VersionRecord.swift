package import DurableIO
package import FoundationEssentials

/// A version of the history: its metadata, and its differences from the next state.
package struct VersionRecord: Sendable, Hashable {
  /// The document's metadata in that version.
  package var metadata: PackageMetadata
  /// The state that came after it.
  package var next: UUID
  /// Whether the retention policy may drop it; false if a caller added it.
  package var isDiscardable = true
  /// The nodes at the places that differ in the next state; each place occurs once, in order.
  package var rows: [Row] = []

  package init(_ metadata: PackageMetadata, next: UUID) {
    (self.metadata, self.next) = (metadata, next)
  }

  /// The identifier of the version.
  package var revision: UUID { metadata.revision }

  /// The bytes that only this version has.
  package var keptBytes: UInt64 {
    rows.reduce(0) { $0 &+ ($1.node?.kept == nil ? 0 : $1.node?.size ?? 0) }
  }

  /// The node at one place.
  package struct Row: Sendable, Hashable {
    package var path: PackagePath
    /// Nil if there was no node.
    package var node: Entry?
    /// The node of earlier versions at this place, unless they have a row of their own.
    ///
    /// If it is another one, another program changed, removed or put it: only another file may have its bytes.
    package var earlier: Entry?

    package init(_ path: PackagePath, _ node: Entry?, earlier: Entry?) {
      (self.path, self.node, self.earlier) = (path, node, earlier)
    }

    /// Makes a row of a node that earlier versions have, too.
    package init(_ path: PackagePath, _ node: Entry?) { self.init(path, node, earlier: node) }

    /// The row for earlier versions at the same place.
    var ofEarlier: Self { Self(path, earlier) }
  }
}

extension VersionRecord {
  /// Returns this version for a history without the next one: its differences from the state after that.
  func merged(over dropped: VersionRecord) -> VersionRecord {
    var merged = self
    merged.next = dropped.next
    let own = Set(rows.map(\.path))
    merged.rows += dropped.rows.filter { !own.contains($0.path) }.map(\.ofEarlier)
    merged.rows.sort { $0.path < $1.path }
    return merged
  }
}

/// The versions of one document; dropping some passes their content to the versions that need it.
package struct VersionChain {
  /// The oldest first; each leads to the next one, the last to the current state.
  package private(set) var versions: [VersionRecord]
  /// The state that the last one leads to.
  package private(set) var tip: UUID

  package init(_ versions: [VersionRecord] = [], tip: UUID) {
    (self.versions, self.tip) = (versions, tip)
  }

  /// Adds the newest version.
  ///
  /// If it is a state from which other versions were made, those are no part of the line any more: another program
  /// brought that state back.
  package mutating func append(_ version: VersionRecord) {
    cut(at: version.revision)
    versions.append(version)
    tip = version.next
  }

  /// Leaves the versions before a state, if that state is one of them.
  package mutating func cut(at state: UUID) {
    guard tip != state, let index = versions.firstIndex(where: { $0.revision == state }) else { return }
    self = VersionChain(Array(versions[..<index]), tip: state)
  }

  /// The index of the first complete version: a save before it kept nothing.
  package var start: Int {
    var start = versions.count
    while start > 0, versions[start - 1].next == (start < versions.count ? versions[start].revision : tip) {
      start -= 1
    }
    return start
  }

  /// Returns the numbers of the states that the versions should have between them and do not have, the oldest first.
  ///
  /// A part of the files is then older than the rest, or a save kept no version. Thinning leaves no gap, since the
  /// version before a removed one leads to the next one. A merge of documents that were edited apart leaves none
  /// either: the history is that of one of them.
  package func gaps(before current: PackageMetadata) -> [Gap] {
    let states = versions.dropFirst().map(\.metadata) + [current]
    var gaps: [Gap] = []
    var merged: Set<UUID> = []
    for (version, state) in zip(versions, states).reversed() {
      if state.parentRevisions.count > 1 { merged.formUnion(state.parentRevisions) }
      if version.next == state.revision || merged.contains(version.next) { continue }
      gaps.append(Gap(after: version.metadata.generation, before: state.generation))
    }
    gaps.reverse()
    if versions.isEmpty, tip != current.revision { gaps.append(Gap()) }
    return gaps
  }

  /// A gap between two versions, or between the last one and the current state.
  package struct Gap: Hashable {
    /// The numbers of the missing states; nil if they do not follow from those beside the gap.
    package var generations: ClosedRange<Int>?

    init() {}

    fileprivate init(after version: Int, before next: Int) {
      if version + 1 < next { generations = (version + 1)...(next - 1) }
    }
  }

  /// Returns the differences of a version from the current state.
  package func rows(of index: Int) -> [VersionRecord.Row] {
    var rows: [PackagePath: VersionRecord.Row] = [:]
    for row in versions[index].rows { rows[row.path] = row }
    for version in versions[(index + 1)...] {
      for row in version.rows where rows[row.path] == nil { rows[row.path] = row.ofEarlier }
    }
    return rows.values.sorted { $0.path < $1.path }
  }

  /// Drops versions; earlier versions take over the rows that they need.
  package mutating func drop(_ revisions: Set<UUID>) {
    var kept: [VersionRecord] = []
    for version in versions {
      if revisions.contains(version.revision) {
        // If no version leads to this one, its rows are dropped with it.
        guard let last = kept.last, last.next == version.revision else { continue }
        kept[kept.count - 1] = last.merged(over: version)
      } else {
        kept.append(version)
      }
    }
    versions = kept
  }

  /// The kept files that its versions need, with their sizes.
  package var kept: [FileName: UInt64] {
    let nodes = versions.lazy.flatMap(\.rows).compactMap(\.node)
    return Dictionary(nodes.compactMap { node in node.kept.map { ($0, node.size) } }) { first, _ in first }
  }
}
