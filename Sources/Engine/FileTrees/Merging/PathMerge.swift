package import DurableIO
package import PackageFormat

// PM1 A content that one side changed is in the merged tree, or its path or a folder above is named.
// PM2 A permission that one side gave or took is in the merged tree, if the child is.
// PM3 If one side changed nothing at a path, the merge takes the other side there, and names nothing.
// PM4 With the sides exchanged, the merged tree and the named paths are the same.

/// A node of a tree, as a merge of paths compares it.
package protocol MergeEntry {
  /// The error of a comparison of contents.
  associatedtype ComparisonError: Error

  /// A file, a folder or a symbolic link.
  var fileKind: FileKind { get }
  /// The permissions; nil for a symbolic link.
  var mergeMode: MergeMode? { get }

  /// Returns whether both are one state of one node. This reads no contents.
  func isIdentical(to other: Self) -> Bool
  /// Returns whether both have the same kind, and the same bytes or destination. All folders have the same.
  func hasSameBytes(as other: Self) throws(ComparisonError) -> Bool
}

/// By default an entry is a file without permissions.
extension MergeEntry {
  package var fileKind: FileKind { .file }
  package var mergeMode: MergeMode? { nil }

  package func isIdentical(to other: Self) -> Bool { false }
}

/// A side of a merge of paths.
package enum MergeSide: Sendable, Hashable {
  case ours, theirs
}

/// The three-way merge of the paths of two trees with a common base.
///
/// It is the one table for trees of documents, for entries of a container, and for conflict versions.
///
/// | Base → ours | Base → theirs | Outcome |
/// | --- | --- | --- |
/// | unchanged | anything | take theirs |
/// | anything | unchanged | take ours |
/// | the same content | the same content | take it, with the permissions of both sides |
/// | other permissions | other content | the bytes of one side, the permissions of both |
/// | other permissions | removed, or another kind | take theirs: the permissions go with the file |
/// | removed | other content | keep the child, and name it |
/// | other bytes of a file | other bytes again | merge the bytes, or else a conflict |
/// | other content | another kind | a conflict |
/// | a folder removed | a child in it added or changed | take theirs: the folder stays around the child |
/// | a folder became a file | a child in it added or changed | a conflict at the folder's path |
///
/// Each row also holds with the sides exchanged. A change of permissions or dates alone does not keep a child that the
/// other side removed.
package struct PathMerge<Entry: MergeEntry> {
  /// The entries at one path; nil for a side that has nothing there.
  package struct Entries {
    package var base: Entry?
    package var ours: Entry?
    package var theirs: Entry?

    package init(base: Entry?, ours: Entry?, theirs: Entry?) {
      (self.base, self.ours, self.theirs) = (base, ours, theirs)
    }

    package subscript(side: MergeSide) -> Entry? { side == .ours ? ours : theirs }
  }

  /// The decision about a path.
  package enum Outcome: Sendable, Hashable {
    /// The entry of one side, or nothing if that side has nothing there.
    case take(MergeSide)
    /// The entry of one side, which changed it while the other side removed it.
    case keep(MergeSide)
    /// The bytes of one side, with these permissions.
    case takeBytes(MergeSide, MergeMode)
    /// A file whose bytes both sides changed. If a merge of the bytes fails, it is a conflict.
    case mergeBytes(MergeMode?)
    /// Both sides changed it, and one result cannot have both changes.
    case conflict
  }

  /// One path with its outcome.
  package struct Decision {
    package var path: PackagePath
    package var entries: Entries
    package var outcome: Outcome
  }

  /// The outcomes at all paths, a folder before its children.
  package private(set) var decisions: [Decision] = []

  /// Decides about all paths.
  ///
  /// - Parameter entries: the entries by path. A path that no side changed may be absent.
  package init(_ entries: [PackagePath: Entries]) throws(Entry.ComparisonError) {
    var outcomes: [PackagePath: Outcome] = [:]
    for (path, entries) in entries { outcomes[path] = try Self.outcome(of: entries) }
    for (path, side) in Self.additions(entries, outcomes) {
      for folder in path.folders {
        guard let above = entries[folder], let outcome = outcomes[folder] else { continue }
        outcomes[folder] = above.outcome(outcome, around: side)
      }
    }
    for path in entries.keys.sorted() {
      guard let entries = entries[path], let outcome = outcomes[path] else { continue }
      decisions.append(Decision(path: path, entries: entries, outcome: outcome))
    }
  }

  /// Returns the paths that stay and that only one side has, with that side.
  private static func additions(
    _ entries: [PackagePath: Entries], _ outcomes: [PackagePath: Outcome]
  ) -> [(path: PackagePath, side: MergeSide)] {
    outcomes.compactMap { path, outcome in
      switch outcome {
      case .take(let side), .keep(let side):
        guard let entries = entries[path], entries[side] != nil, entries[side.other] == nil else {
          return nil
        }
        return (path, side)
      // Both sides have the path, so that both have folders above it.
      case .takeBytes, .mergeBytes, .conflict: return nil
      }
    }
  }

  // MARK: One path

  /// Returns the outcome at a path, regardless of the paths above and below it.
  ///
  /// It compares as few contents as possible.
  package static func outcome(of entries: Entries) throws(Entry.ComparisonError) -> Outcome {
    guard let ours = entries.ours else { return try survivor(.theirs, entries) }
    guard let theirs = entries.theirs else { return try survivor(.ours, entries) }
    if ours.isIdentical(to: theirs) { return .take(.theirs) }
    // If one side changed nothing, the other side is the result (PM3).
    if let base = entries.base {
      if base.isIdentical(to: ours) { return .take(.theirs) }
      if base.isIdentical(to: theirs) { return .take(.ours) }
    }
    if try ours.hasSameBytes(as: theirs) { return entries.combined(.theirs) }
    if let base = entries.base {
      if try base.hasSameBytes(as: ours) { return entries.combined(.theirs) }
      if try base.hasSameBytes(as: theirs) { return entries.combined(.ours) }
    }
    if ours.fileKind == .file && theirs.fileKind == .file { return .mergeBytes(entries.mergedMode) }
    return .conflict
  }

  /// Returns the outcome at a path at which at most this side has an entry.
  private static func survivor(
    _ side: MergeSide, _ entries: Entries
  ) throws(Entry.ComparisonError) -> Outcome {
    guard let entry = entries[side], let base = entries.base else { return .take(side) }
    // A change is not lost by a removal (PM1).
    return try base.hasSameBytes(as: entry) ? .take(side.other) : .keep(side)
  }
}

extension PathMerge.Entries {
  /// Returns the outcome that has the bytes of one side and the permissions of both (PM2).
  fileprivate func combined(_ side: MergeSide) -> PathMerge<Entry>.Outcome {
    guard let mode = mergedMode, mode != self[side]?.mergeMode else { return .take(side) }
    return .takeBytes(side, mode)
  }

  /// The permissions with the changes of both sides; nil if the sides have nodes of two kinds, or without permissions.
  fileprivate var mergedMode: MergeMode? {
    guard let ours, let theirs, ours.fileKind == theirs.fileKind, let own = ours.mergeMode,
      let other = theirs.mergeMode
    else { return nil }
    // Another kind of node than the base has permissions of its own.
    return MergeMode(base: base?.fileKind == ours.fileKind ? base?.mergeMode : nil, ours: own, theirs: other)
  }

  /// Returns the outcome at the path of a folder in which an entry of one side stays.
  fileprivate func outcome(_ outcome: PathMerge<Entry>.Outcome, around side: MergeSide)
    -> PathMerge<Entry>.Outcome
  {
    switch outcome {
    case .mergeBytes, .conflict: return .conflict
    case .take(let taken), .keep(let taken), .takeBytes(let taken, _):
      guard let kind = self[taken]?.fileKind else { return .take(side) }
      return kind == .directory ? outcome : .conflict
    }
  }
}

extension MergeSide {
  /// The other side.
  package var other: MergeSide { self == .ours ? .theirs : .ours }
}
