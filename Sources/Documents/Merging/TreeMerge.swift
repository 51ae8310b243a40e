public import FilePackages
import FoundationEssentials

// (1) A change of one side is carried out, or is a conflict that has its wrapper.
// (2) What neither side changed, and what only the other side changed, stays the very object of their tree, so that
//     saving that tree writes our changes and nothing else.

/// Two trees that were made from one, put together child by child.
///
/// - Different children merge; the same change on both sides is one change.
/// - A child that both changed in different ways is a conflict, in which ours stands in the merged tree. One that one
///   side removed and the other one changed stays, and is a conflict, too.
/// - A child that one side renamed keeps what the other one wrote into it. Renames are known by the file on disk.
/// - Folders are merged by what is in them; a folder that one side removed goes when nothing is left in it.
/// - Contents are compared, not dates and modes. Of `Metadata.plist` only the application's values count.
///
/// It reads nothing but contents that may be the same and are not known to be. It makes an object of every child:
/// O(children) steps, each with a status of the file on disk where it was never looked at.
public struct TreeMerge: Sendable {
  /// A child that both sides changed, and what each has there; nil where it has nothing.
  public struct Conflict: Sendable {
    /// What it is about.
    public var conflict: MergeConflict
    /// The child of the tree that both were made from.
    public var base: FileWrapper?
    /// The child of our tree.
    public var ours: FileWrapper?
    /// The child of their tree.
    public var theirs: FileWrapper?
  }

  /// What is to be done to their tree.
  enum Step: Sendable {
    case remove(PackagePath)
    /// Once it is empty.
    case removeFolder(PackagePath)
    case move(PackagePath, to: PackagePath)
    case put(FileWrapper, at: PackagePath)

    var path: PackagePath {
      switch self {
      case .remove(let path), .removeFolder(let path), .move(_, let path), .put(_, let path): path
      }
    }
  }

  /// In the order in which they are carried out.
  private(set) var steps: [Step] = []
  /// What is to be decided, by path.
  public private(set) var conflicts: [Conflict] = []
  private let theirs: FileWrapper

  /// Decides what the merged tree is; none of the three trees changes.
  ///
  /// - Throws: what the system says when a folder cannot be listed. A file that cannot be read counts as changed.
  public init(base: FileWrapper, ours: FileWrapper, theirs: FileWrapper) throws {
    self.theirs = theirs
    var trees = try MergedTrees(
      base: TreeNodes(of: base), ours: TreeNodes(of: ours), theirs: TreeNodes(of: theirs))
    trees.followRenames()
    conflicts = trees.conflicts
    decide(trees)
    conflicts.sort { PackagePath($0.conflict.path) < PackagePath($1.conflict.path) }
  }

  /// Whether their tree is the merged one.
  public var isUnchanged: Bool { steps.isEmpty }

  /// Makes their tree the merged one, and returns it. To be called once.
  ///
  /// - Parameter isIncluded: whether a place is to be merged; others stay as they have it.
  /// - Throws: what the system says when a folder cannot be listed.
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
        // What is in a folder is put there by steps of its own.
        if node.isDirectory, try theirs.descendant(at: path.string)?.isDirectory == true { continue }
        let copy = node.isDirectory ? FileWrapper(directoryWithFileWrappers: [:]) : node.copy()
        try theirs.setDescendant(copy, at: path.string)
      }
    }
    return theirs
  }

  // MARK: Deciding

  private mutating func decide(_ trees: MergedTrees) {
    var removals: [PackagePath] = []
    var folders: [PackagePath] = []
    var puts: [(PackagePath, FileWrapper)] = []
    // What stands in the merged tree and is not a folder.
    var leaves: Set<PackagePath> = []
    for path in trees.paths {
      let (base, own, other) = (trees.base[path], trees.ours[path], trees.theirs[path])
      var isOurs = false
      if own.isSame(as: other) || base.isSame(as: own) {
        // Theirs stays.
      } else if base.isSame(as: other) {
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
    // What is in a folder goes first; one in which something stays, stays.
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

  /// A file of ours where they have a folder in which something stays, or the other way round.
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
    // Of a folder that one side removed, or turned into something else, its children tell.
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
  /// Whether both are nothing, folders, or leaves with the same contents.
  fileprivate func isSame(as other: FileWrapper?) -> Bool {
    guard let self, let other else { return self == nil && other == nil }
    if self.isDirectory || other.isDirectory { return self.isDirectory && other.isDirectory }
    // What cannot be read may be anything: it counts as changed, and nothing is lost by that.
    return (try? self.hasSameContents(as: other)) ?? false
  }
}

extension FileWrapper {
  fileprivate var isEmptyFolder: Bool {
    get throws { try isDirectory && childCount() == 0 && unsupportedNames().isEmpty }
  }
}

extension PackagePath {
  /// The folders that it is in, but for the root.
  var folders: [PackagePath] {
    (1..<Swift.max(names.count, 1)).map { PackagePath(Array(names.prefix($0))) }
  }
}
