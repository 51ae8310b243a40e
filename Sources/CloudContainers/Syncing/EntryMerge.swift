package import FilePackages

// Each change of one side is in the result, or its path is among the conflicts or the kept children.

/// A merge by child of two changed contents of a document with a common base, by their entries alone.
///
/// - Changes of different children merge; the same change on both sides is one change.
/// - If both sides changed the bytes of one child in different ways, it is a conflict. `TextMerge` decides some.
/// - If one side removed a child and the other side changed its bytes, the child stays, as changed. It is no conflict,
///   since a conflict version has only children that exist. `kept` names the child.
/// - A folder that one side removed stays if the other side has a new or changed child in it.
/// - A mode that one side changed is in the result, also if the other side changed the bytes. If both sides changed it,
///   the result has theirs. A mode alone keeps no child that the other side removed.
package struct EntryMerge: Sendable {
  /// The changes that make their content the merged one; nil removes an entry.
  package private(set) var changes: [PackagePath: TreeEntry?] = [:]
  /// The children that both sides changed, in order.
  package private(set) var conflicts: [PackagePath] = []
  /// The children that one side removed and that stay, since the other side changed them, in order.
  package private(set) var kept: [PackagePath] = []

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
      case (nil, .some):
        if theirs.isOfAttributes { changes[path] = .some(nil) } else { kept.append(path) }
      case (let new?, nil):
        if difference.isOfAttributes { continue }
        changes[path] = .some(new)
        kept.append(path)
      case (let new?, let their?):
        let base = difference.old
        if new.hasSameBytes(as: their) || base?.hasSameBytes(as: new) == true {
          // They have the bytes.
          let merged = their.withMode(ofEither: new, their, base: base)
          if merged != their { changes[path] = .some(merged) }
        } else if base?.hasSameBytes(as: their) == true {
          changes[path] = .some(new.withMode(ofEither: new, their, base: base))
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

extension TreeDifference {
  /// Whether the node stayed, with another mode or date.
  fileprivate var isOfAttributes: Bool {
    guard let old, let new else { return false }
    return old.hasSameBytes(as: new)
  }
}

extension TreeEntry {
  /// Returns the entry with the mode that one side gave it; with theirs if both gave it another one.
  ///
  /// Another kind of node than the base has its own mode.
  func withMode(ofEither ours: TreeEntry, _ theirs: TreeEntry, base: TreeEntry?) -> TreeEntry {
    guard let base, isFile == base.isFile, ours.isFile == theirs.isFile else { return self }
    var entry = self
    entry.mode = theirs.mode == base.mode ? ours.mode : theirs.mode
    return entry
  }

  private var isFile: Bool { if case .file = kind { true } else { false } }
}
