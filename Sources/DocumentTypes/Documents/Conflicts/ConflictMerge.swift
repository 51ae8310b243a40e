import DurableIO
import FilePackages
import FoundationEssentials

// K1 Every change of either side is in the merged tree, or in a conflict: the merge drops nothing.
// K2 If the common base is not known, the parts that both sides have count as the base. A child that one side removed
//    is then there again.

/// The merge of a conflict version into the document in its place.
///
/// `TreeMerge` merges the children. A text that both sides changed is merged by line. The content type merges its own
/// children.
struct ConflictMerge {
  /// Whether the merge has both sides of a part that both changed: lines between marks, or a file beside the other one.
  /// Otherwise it leaves that part undecided.
  let keepsBoth: Bool
  /// The name of the version, between marks and in filenames.
  let label: String
  /// The conflicts that are not decided.
  private(set) var conflicts: [MergeConflict] = []

  init(keepsBoth: Bool, label: String) {
    (self.keepsBoth, self.label) = (keepsBoth, label)
  }

  /// Merges a version into the tree of the document in its place; drops nothing (K1).
  ///
  /// - Parameters:
  ///   - tree: the document in its place.
  ///   - version: the version, which stays as it is.
  ///   - base: the common base, as far as it is known.
  ///   - content: the merge of the content type, for the children that it owns.
  mutating func merge(
    _ version: FileWrapper, into tree: FileWrapper, base known: FileWrapper?, by content: ContentMerge?
  ) throws {
    let base = try completed(known, tree, version)
    let children = try TreeMerge(base: base, ours: version, theirs: tree)
    let contents = try content?.merge(base, version, tree)
    let isOwned = { (path: String) in content?.owns(path) ?? false }
    var texts: [(path: String, text: String)] = []
    var copies: [(path: String, file: FileWrapper)] = []
    var open: [MergeConflict] = contents?.conflicts ?? []
    open += children.conflicts.filter { !isOwned($0.path) }
    for conflict in open {
      let sides = try Sides(conflict.path, base, version, tree)
      if let text = try sides.merged(label: label) {
        if text.isDecided || keepsBoth {
          texts.append((conflict.path, text.text))
          continue
        }
      } else if keepsBoth,
        let decided = try sides.keepingBoth(conflict, isOwned: isOwned(conflict.path))
      {
        copies += decided
        continue
      }
      conflicts.append(conflict)
    }
    if !conflicts.isEmpty { return }
    _ = try children.apply { !isOwned($0) }
    try contents?.write(tree)
    for (path, text) in texts {
      let file = FileWrapper(regularFileWithContents: Data(text.utf8))
      file.mergeMode = try tree.descendant(at: path)?.mergeMode
      try tree.setDescendant(file, at: path)
    }
    for (path, file) in copies { try tree.setDescendant(file, at: try freePath(for: path, in: tree)) }
  }

  // MARK: The common base

  /// Returns the base, completed by the parts that both sides have (K2).
  private func completed(
    _ known: FileWrapper?, _ tree: FileWrapper, _ version: FileWrapper
  ) throws -> FileWrapper {
    let base = known ?? FileWrapper(directoryWithFileWrappers: [:])
    let (present, other) = (try TreeNodes(of: tree), try TreeNodes(of: version))
    for (path, node) in present.sorted(by: { $0.key < $1.key }) {
      guard path.names != [PackageLayout.metadata], let twin = other[path],
        try base.descendant(at: path.string) == nil
      else { continue }
      if node.isDirectory && twin.isDirectory {
        if known == nil {
          try base.setDescendant(FileWrapper(directoryWithFileWrappers: [:]), at: path.string)
        }
      } else if known == nil, try node.hasSameContents(as: twin) {
        // The permissions of the base are not known.
        try base.setDescendant(node.isRegularFile ? node.newFile() : node.copy(), at: path.string)
      } else if let first = try node.text(), let second = try twin.text(), first != second {
        let common = Data(TextLines.common(first, second).utf8)
        try base.setDescendant(FileWrapper(regularFileWithContents: common), at: path.string)
      }
    }
    return base
  }

  // MARK: Names

  /// Returns a free path like `path`, with the label in the name, and with a number if that name is taken.
  private func freePath(for path: String, in tree: FileWrapper) throws -> String {
    var names = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    let last = FileName(names.removeLast())
    return try firstFree {
      let name = last.inserting($0 == 1 ? " (\(label))" : " (\(label) \($0))")
      return (names + [name.string]).joined(separator: "/")
    } isTaken: {
      try tree.descendant(at: $0) != nil
    }
  }
}

/// Both sides of one place, with their base.
private struct Sides {
  let base: FileWrapper?
  let version: FileWrapper?
  let present: FileWrapper?
  let path: String

  init(_ path: String, _ base: FileWrapper, _ version: FileWrapper, _ present: FileWrapper) throws {
    self.path = path
    self.base = try base.descendant(at: path)
    self.version = try version.descendant(at: path)
    self.present = try present.descendant(at: path)
  }

  /// An application's notes in the metadata are not text, and there is no place for a second copy.
  private var isMetadata: Bool { path == PackageLayout.metadata.string }

  /// Returns the merged text; nil if a side has no text.
  func merged(label: String) throws -> (text: String, isDecided: Bool)? {
    guard !isMetadata, let own = try present?.text(), let other = try version?.text() else { return nil }
    let merge = ThreeWayMerge(base: try base?.text() ?? "", ours: own, theirs: other)
    let text = merge.text(.marked(ours: "here", base: "before", theirs: label))
    return (text, merge.conflicts.isEmpty)
  }

  /// Returns the files that go beside those in the merged tree, so that both sides are there; nil if that cannot be.
  func keepingBoth(
    _ conflict: MergeConflict, isOwned: Bool
  ) throws -> [(path: String, file: FileWrapper)]? {
    switch conflict.kind {
    // The changed side stays. Only the removal by the other side is lost.
    case .removedByUs, .removedByThem:
      return conflict.kept == .both || present != nil || version != nil ? [] : nil
    case .bothMoved: return []
    case .bothChanged, .bothAdded:
      guard !isMetadata, let present, let version, !present.isDirectory, !version.isDirectory else {
        return nil
      }
      // The file is then the same on both sides, and the document's record of it differs.
      if isOwned, try unlessGone({ try present.hasSameContents(as: version) }) ?? false { return nil }
      let lost = conflict.kept == .ours ? present : version
      return [(path, lost.copy())]
    }
  }
}

extension FileWrapper {
  /// The size limit of a text that is merged by line, in bytes.
  private static let maximumText = 16 << 20

  /// Returns the text of a regular file; nil for every other child, and for a file that is gone.
  fileprivate func text() throws -> String? {
    guard isRegularFile, let data = try unlessGone({ try contents() }), data.count <= Self.maximumText,
      !data.contains(0)
    else { return nil }
    return String(validating: data, as: UTF8.self)
  }
}

extension TextLines {
  /// Returns the common lines of two texts, in their order.
  package static func common(_ first: String, _ second: String) -> String {
    let (left, right) = (TextLines(Array(first.utf8)), TextLines(Array(second.utf8)))
    var known: [ArraySlice<UInt8>: Int] = [:]
    let changes = LineDifference.changes(
      from: left.numbers(&known), to: right.numbers(&known), effort: ThreeWayMerge.usualEffort)
    var (bytes, line): ([UInt8], Int) = ([], 0)
    for change in changes {
      bytes += left.bytes(of: line..<change.left.lowerBound)
      line = change.left.upperBound
    }
    return String(decoding: bytes + left.bytes(of: line..<left.count), as: UTF8.self)
  }
}
