package import DurableIO
package import FilePackages

/// A merge by child of two changed contents of a document with a common base, by their entries alone.
///
/// `PathMerge` decides about each path. `TextMerge` merges the bytes of some files that both sides changed. A conflict
/// version has only children that exist. So a child that one side removed and the other side changed is no conflict:
/// `kept` names it.
package struct EntryMerge: Sendable {
  /// A file whose bytes both sides changed.
  package struct ChangedFile: Sendable {
    package var base: TreeEntry?
    package var ours: TreeEntry
    package var theirs: TreeEntry
    /// The permissions of the merged file.
    package var mode: UInt16
  }

  /// The changes that make their content the merged one; nil removes an entry.
  package private(set) var changes: [PackagePath: TreeEntry?] = [:]
  /// The children that both sides changed, in order.
  package private(set) var conflicts: [PackagePath] = []
  /// The conflicts that a merge of the bytes may decide.
  package private(set) var changedFiles: [ChangedFile] = []
  /// The children that one side removed and that stay, since the other side changed them, in order.
  package private(set) var kept: [PackagePath] = []

  /// Merges the differences of the two sides from the base.
  package init(ours: [TreeDifference], theirs: [TreeDifference]) {
    var entries: [PackagePath: PathMerge<TreeEntry>.Entries] = [:]
    for own in ours { entries[own.path] = .init(base: own.old, ours: own.new, theirs: own.old) }
    for other in theirs {
      entries[other.path, default: .init(base: other.old, ours: other.old, theirs: nil)].theirs = other.new
    }
    for decision in PathMerge(entries).decisions {
      let (path, entries) = (decision.path, decision.entries)
      switch decision.outcome {
      case .take(.theirs): break
      case .take(.ours): changes[path] = .some(entries.ours)
      case .takeBytes(let side, let mode):
        guard var entry = entries[side] else { continue }
        entry.mode = mode.bits
        changes[path] = .some(entry)
      case .keep(let side):
        kept.append(path)
        if side == .ours { changes[path] = .some(entries.ours) }
      case .mergeBytes(let mode):
        conflicts.append(path)
        guard let own = entries.ours, let other = entries.theirs, let mode else { continue }
        changedFiles.append(ChangedFile(base: entries.base, ours: own, theirs: other, mode: mode.bits))
      case .conflict: conflicts.append(path)
      }
    }
  }

  /// Decides a conflict by an entry with the changes of both sides.
  package mutating func resolve(with entry: TreeEntry) {
    conflicts.removeAll { $0 == entry.path }
    changes[entry.path] = .some(entry)
  }
}

extension TreeEntry: MergeEntry {
  package typealias ComparisonError = Never

  package var fileKind: FileKind {
    switch kind {
    case .file: .file
    case .directory: .directory
    case .link: .symbolicLink
    }
  }

  package var mergeMode: MergeMode? {
    if case .link = kind { nil } else { MergeMode(mode) }
  }

  package func isIdentical(to other: TreeEntry) -> Bool { self == other }
}
