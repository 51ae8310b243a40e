import FilePackages
import FoundationEssentials

// TM1 The merge carries out each change of one side, or names its path in a conflict.
// TM2 If our side did not change a child, their tree keeps its very object. A save of their tree then writes only our
//     changes.

/// A merge by child of two trees with a common origin.
///
/// - Changes of different children merge; the same change on both sides is one change.
/// - If both sides changed a child in different ways, it is a conflict, and the merged tree has ours.
/// - If one side removed a child and the other side changed it, it is a conflict, and the child stays.
/// - A child that one side renamed keeps the contents that the other side wrote. The file on disk identifies it.
/// - Folders merge by their children. A folder that one side removed is removed if it is empty after the merge.
/// - The merged child has each permission that one side gave or took, also if the other side changed the contents.
/// - Contents and permissions are compared, not dates; in `Metadata.plist`, only the application's values.
///
/// `PathMerge` decides about each path.
///
/// The merge reads only contents whose attributes do not show whether they are the same. It makes an object of every
/// child, O(children), and looks at the attributes of each file that the tree has not read yet.
package struct TreeMerge: Sendable {
  /// A change to their tree.
  enum Step: Sendable {
    case remove(PackagePath)
    /// Removes a folder if it is empty by then.
    case removeFolder(PackagePath)
    case move(PackagePath, to: PackagePath)
    /// Puts a copy of a node, with other permissions if there are any.
    case put(FileWrapper, MergeMode?, at: PackagePath)
    case setMode(MergeMode, of: PackagePath)

    var path: PackagePath {
      switch self {
      case .remove(let path), .removeFolder(let path), .move(_, let path), .put(_, _, let path),
        .setMode(_, let path):
        path
      }
    }
  }

  /// The steps in their order.
  private(set) var steps: [Step] = []
  /// The conflicts to decide, by path.
  package private(set) var conflicts: [MergeConflict] = []
  private let theirs: FileWrapper

  /// Decides the steps to the merged tree; changes none of the three trees.
  ///
  /// - Throws: the error of the system if a folder cannot be listed, or if a file that may be the same cannot be read.
  ///   A file that another program removed or replaced counts as changed.
  package init(base: FileWrapper, ours: FileWrapper, theirs: FileWrapper) throws {
    self.theirs = theirs
    var trees = try MergedTrees(
      base: TreeNodes(of: base), ours: TreeNodes(of: ours), theirs: TreeNodes(of: theirs))
    trees.followRenames()
    conflicts = trees.conflicts
    try decide(trees)
    conflicts.sort { PackagePath($0.path) < PackagePath($1.path) }
  }

  /// Makes their tree the merged one, and returns it.
  ///
  /// Call it once.
  ///
  /// - Parameter isIncluded: whether to merge a path; at all other paths their child stays.
  /// - Throws: the error of the system if a folder cannot be listed.
  package func apply(where isIncluded: (String) -> Bool = { _ in true }) throws -> FileWrapper {
    for step in steps where isIncluded(step.path.string) {
      switch step {
      case .remove(let path): try theirs.removeDescendant(at: path.string)
      case .removeFolder(let path):
        guard let folder = try theirs.descendant(at: path.string), try folder.isEmptyFolder else { continue }
        try theirs.removeDescendant(at: path.string)
      case .move(let old, let new):
        guard let node = try theirs.descendant(at: old.string) else { continue }
        try theirs.removeDescendant(at: old.string)
        try theirs.setDescendant(node, at: new.string)
      case .put(let node, let mode, let path):
        // Steps of their own put the children into a folder.
        if node.isDirectory, try theirs.descendant(at: path.string)?.isDirectory == true { continue }
        let copy = node.isDirectory ? FileWrapper(directoryWithFileWrappers: [:]) : node.copy()
        copy.mergeMode = mode ?? node.mergeMode
        try theirs.setDescendant(copy, at: path.string)
      case .setMode(let mode, let path): try theirs.descendant(at: path.string)?.mergeMode = mode
      }
    }
    return theirs
  }

  // MARK: Deciding

  /// Makes a step or a conflict of each change (TM1).
  private mutating func decide(_ trees: MergedTrees) throws {
    var removals: [PackagePath] = []
    var folders: [PackagePath] = []
    var puts: [Step] = []
    // Their files in the places of our folders. They stay, so that our children have no place.
    var blocks: Set<PackagePath> = []
    let renames = Dictionary(
      conflicts.enumerated().map { ($1.path, $0) }, uniquingKeysWith: { first, _ in first })
    for decision in try PathMerge(trees.entries).decisions {
      let (path, own, other) = (decision.path, decision.entries.ours, decision.entries.theirs)
      let bothChanged: MergeConflict.Kind = decision.entries.base == nil ? .bothAdded : .bothChanged
      var (side, mode): (MergeSide, MergeMode?) = (.theirs, nil)
      switch decision.outcome {
      case .take(let taken): side = taken
      case .takeBytes(let taken, let merged): (side, mode) = (taken, merged)
      case .keep(let kept):
        side = kept
        note(kept == .ours ? .removedByThem : .removedByUs, path, kept: side)
      case .mergeBytes(let merged):
        (side, mode) = (.ours, merged)
        note(bothChanged, path, kept: side)
      case .conflict:
        side = own?.isDirectory == other?.isDirectory ? .ours : .theirs
        if own?.isDirectory == true && side == .theirs { blocks.insert(path) }
        note(bothChanged, path, kept: side)
      }
      guard side == .ours else {
        // Theirs stays, with its object (TM2).
        if let mode { puts.append(.setMode(mode, of: path)) }
        continue
      }
      if let own, path.folders.contains(where: blocks.contains) {
        if own.isDirectory { continue }
        // A conflict of its own is the last one.
        let last = conflicts.indices.last.flatMap { conflicts[$0].path == path.string ? $0 : nil }
        if let known = renames[path.string] ?? last {
          conflicts[known].kept = .theirs
        } else {
          note(bothChanged, path, kept: .theirs)
        }
        continue
      }
      if let other, own?.isDirectory != other.isDirectory {
        if other.isDirectory { folders.append(path) } else { removals.append(trees.origins[path] ?? path) }
      }
      if let own { puts.append(.put(own, mode, at: path)) }
    }
    let removed = Set(removals)
    let moves = trees.origins.filter { !removed.contains($0.value) }.sorted { $0.value < $1.value }
    steps = removals.map { .remove($0) } + moves.map { .move($0.value, to: $0.key) }
    // Children go before their folder.
    steps += folders.reversed().map { .removeFolder($0) } + puts
  }

  private mutating func note(_ kind: MergeConflict.Kind, _ path: PackagePath, kept side: MergeSide) {
    conflicts.append(MergeConflict(path.string, kind, kept: side == .ours ? .ours : .theirs))
  }
}

extension FileWrapper {
  fileprivate var isEmptyFolder: Bool {
    get throws { try isDirectory && childCount() == 0 && unsupportedNames().isEmpty }
  }
}
