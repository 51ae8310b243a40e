package import FilePackages

// Each change of one side is in the result, or its path is a conflict.

/// A merge by child of two changed contents of a document with a common base, by their entries alone.
///
/// - Changes of different children merge; the same change on both sides is one change.
/// - If both sides changed the bytes of one child in different ways, it is a conflict. `TextMerge` decides some.
/// - If one side removed a child and the other side changed it, the child stays, as changed.
/// - A folder that one side removed stays if the other side has a new or changed child in it.
/// - If both sides changed only modes and dates of a child, the result has theirs.
package struct EntryMerge: Sendable {
  /// The changes that make their content the merged one; nil removes an entry.
  package private(set) var changes: [PackagePath: TreeEntry?] = [:]
  /// The children that both sides changed, in order.
  package private(set) var conflicts: [PackagePath] = []

  /// Merges the differences of the two sides from the base.
  package init(ours: [TreeDifference], theirs: [TreeDifference]) {
    let own = Dictionary(ours.map { ($0.path, $0) }) { first, _ in first }
    let other = Dictionary(theirs.map { ($0.path, $0) }) { first, _ in first }
    for difference in ours {
      let path = difference.path
      guard let theirs = other[path] else {
        changes[path] = .some(difference.new)
        continue
      }
      switch (difference.new, theirs.new) {
      case (nil, nil): break
      case (nil, .some): break
      case (let new?, nil): changes[path] = .some(new)
      case (let new?, let their?):
        if new.hasSameBytes(as: their) {
          if their.mode == theirs.old?.mode, new.mode != their.mode { changes[path] = .some(new) }
        } else if let base = difference.old, base.hasSameBytes(as: new) {
          // Only they changed the bytes.
        } else if let base = difference.old, base.hasSameBytes(as: their) {
          changes[path] = .some(new)
        } else {
          conflicts.append(path)
        }
      }
    }
    keepFolders(of: ours.compactMap(\.new), removedBy: other, bySide: .theirs)
    keepFolders(of: theirs.compactMap(\.new), removedBy: own, bySide: .ours)
    conflicts = Array(Set(conflicts)).sorted()
  }

  /// Decides a conflict by an entry with the changes of both sides.
  package mutating func resolve(with entry: TreeEntry) {
    conflicts.removeAll { $0 == entry.path }
    changes[entry.path] = .some(entry)
  }

  private enum Side { case ours, theirs }

  /// Keeps the folders around entries of one side that the other side removed. If the other side has a file there
  /// now, it is a conflict.
  private mutating func keepFolders(
    of entries: [TreeEntry], removedBy other: [PackagePath: TreeDifference], bySide side: Side
  ) {
    for entry in entries {
      var folder = entry.path.parent
      while !folder.isRoot {
        if let removal = other[folder] {
          if let new = removal.new {
            if case .directory = new.kind {} else { conflicts.append(folder) }
          } else if let old = removal.old, case .directory = old.kind {
            switch side {
            // The folder is gone from theirs, and comes back.
            case .theirs: changes[folder] = .some(old)
            // The folder is in theirs, and stays.
            case .ours: changes[folder] = nil
            }
          }
        }
        folder = folder.parent
      }
    }
  }
}
