public import FilePackages
import FoundationEssentials

// TM1 The merge carries out each change of one side, or makes a conflict with its wrapper.
// TM2 If our side did not change a child, their tree keeps its very object. A save of their tree then writes only our
//     changes.

/// A merge by child of two trees with a common origin.
///
/// - Changes of different children merge; the same change on both sides is one change.
/// - If both sides changed a child in different ways, it is a conflict, and the merged tree has ours.
/// - If one side removed a child and the other side changed it, it is a conflict, and the child stays.
/// - A child that one side renamed keeps the contents that the other side wrote. The file on disk identifies it.
/// - Folders merge by their children. A folder that one side removed goes if it is empty after the merge.
/// - Contents are compared, not dates and modes; in `Metadata.plist`, only the application's values.
///
/// It reads only contents that may be the same and are not known to be. It makes an object of every child in
/// O(children) steps, each with a status of the file if the tree has not read it yet.
public struct TreeMerge: Sendable {
  /// A child that both sides changed, on all three sides; nil for a side without it.
  public struct Conflict: Sendable {
    /// The place and the kind of the conflict.
    public var conflict: MergeConflict
    /// The child of the common origin.
    public var base: FileWrapper?
    /// The child of our tree.
    public var ours: FileWrapper?
    /// The child of their tree.
    public var theirs: FileWrapper?
  }

  /// A change to their tree.
  enum Step: Sendable {
    case remove(PackagePath)
    /// Removes a folder if it is empty by then.
    case removeFolder(PackagePath)
    case move(PackagePath, to: PackagePath)
    case put(FileWrapper, at: PackagePath)

    var path: PackagePath {
      switch self {
      case .remove(let path), .removeFolder(let path), .move(_, let path), .put(_, let path): path
      }
    }
  }

  /// The steps in their order.
  private(set) var steps: [Step] = []
  /// The conflicts to decide, by path.
  public private(set) var conflicts: [Conflict] = []
  private let theirs: FileWrapper

  /// Decides the steps to the merged tree; changes none of the three trees.
  ///
  /// - Throws: the error of the system if a folder cannot be listed, or if a file that may be the same cannot be read.
  ///   A file that another program removed or replaced counts as changed.
  public init(base: FileWrapper, ours: FileWrapper, theirs: FileWrapper) throws {
    self.theirs = theirs
    var trees = try MergedTrees(
      base: TreeNodes(of: base), ours: TreeNodes(of: ours), theirs: TreeNodes(of: theirs))
    trees.followRenames()
    conflicts = trees.conflicts
    try decide(trees)
    conflicts.sort { PackagePath($0.conflict.path) < PackagePath($1.conflict.path) }
  }

  /// Whether their tree is already the merged one.
  public var isUnchanged: Bool { steps.isEmpty }

  /// Makes their tree the merged one, and returns it.
  ///
  /// Call it once.
  ///
  /// - Parameter isIncluded: whether to merge a path; at all other paths their child stays.
  /// - Throws: the error of the system if a folder cannot be listed.
  public func apply(where isIncluded: (String) -> Bool = { _ in true }) throws -> FileWrapper {
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
      case .put(let node, let path):
        // Steps of their own put the children into a folder.
        if node.isDirectory, try theirs.descendant(at: path.string)?.isDirectory == true { continue }
        let copy = node.isDirectory ? FileWrapper(directoryWithFileWrappers: [:]) : node.copy()
        try theirs.setDescendant(copy, at: path.string)
      }
    }
    return theirs
  }

  // MARK: Deciding

  /// Makes a step or a conflict of each change (TM1).
  private mutating func decide(_ trees: MergedTrees) throws {
    var removals: [PackagePath] = []
    var folders: [PackagePath] = []
    var puts: [(PackagePath, FileWrapper)] = []
    // All nodes of the merged tree except folders.
    var leaves: Set<PackagePath> = []
    for path in trees.paths {
      let (base, own, other) = (trees.base[path], trees.ours[path], trees.theirs[path])
      var isOurs = false
      if try own.isSame(as: other) || base.isSame(as: own) {
        // Theirs stays, with its object (TM2).
      } else if try base.isSame(as: other) {
        isOurs = true
      } else if let conflict = Self.conflict(path, base, own, other) {
        conflicts.append(conflict)
        isOurs = conflict.conflict.kept == .ours
      }
      if let other, !isOurs, !other.isDirectory { leaves.insert(path) }
      guard isOurs else { continue }
      if let other {
        if other.isDirectory {
          folders.append(path)
        } else if own == nil || own?.isDirectory == true {
          removals.append(trees.origins[path] ?? path)
        }
      }
      if let own { puts.append((path, own)) }
    }
    let removed = Set(removals)
    let moves = trees.origins.filter { !removed.contains($0.value) }.sorted { $0.value < $1.value }
    steps = removals.map { .remove($0) } + moves.map { .move($0.value, to: $0.key) }
    // Children go before their folder; a folder with a remaining child stays.
    let occupied = Set(leaves.flatMap(\.folders))
    steps += folders.sorted(by: >).filter { !occupied.contains($0) }.map { .removeFolder($0) }
    for (path, own) in puts {
      if path.folders.contains(where: leaves.contains) || (occupied.contains(path) && !own.isDirectory) {
        keepTheirs(path, instead: own, trees)
      } else {
        steps.append(.put(own, at: path))
      }
    }
  }

  /// Settles a path at which a file of one side meets a folder of the other side with remaining children: theirs stays.
  private mutating func keepTheirs(_ path: PackagePath, instead own: FileWrapper, _ trees: MergedTrees) {
    if let known = conflicts.firstIndex(where: { $0.conflict.path == path.string }) {
      conflicts[known].conflict.kept = .theirs
      return
    }
    let kind: MergeConflict.Kind = trees.base[path] == nil ? .bothAdded : .bothChanged
    conflicts.append(
      Conflict(
        conflict: MergeConflict(path.string, kind, kept: .theirs), base: trees.base[path], ours: own,
        theirs: trees.theirs[path]))
  }

  private static func conflict(
    _ path: PackagePath, _ base: FileWrapper?, _ own: FileWrapper?, _ other: FileWrapper?
  ) -> Conflict? {
    // If one side removed or replaced a folder, its children make the conflicts.
    if own == nil && other?.isDirectory == true || other == nil && own?.isDirectory == true { return nil }
    let kind: MergeConflict.Kind
    if own == nil {
      kind = .removedByUs
    } else if other == nil {
      kind = .removedByThem
    } else {
      kind = base == nil ? .bothAdded : .bothChanged
    }
    let kept: MergeConflict.Side =
      own == nil || own?.isDirectory != other?.isDirectory && other != nil ? .theirs : .ours
    return Conflict(
      conflict: MergeConflict(path.string, kind, kept: kept), base: base, ours: own, theirs: other)
  }
}

extension FileWrapper? {
  /// Returns whether both are nil, folders, or leaves with the same contents.
  fileprivate func isSame(as other: FileWrapper?) throws -> Bool {
    guard let self, let other else { return self == nil && other == nil }
    if self.isDirectory || other.isDirectory { return self.isDirectory && other.isDirectory }
    return try unlessGone { try self.hasSameContents(as: other) } ?? false
  }
}

extension FileWrapper {
  fileprivate var isEmptyFolder: Bool {
    get throws { try isDirectory && childCount() == 0 && unsupportedNames().isEmpty }
  }
}
