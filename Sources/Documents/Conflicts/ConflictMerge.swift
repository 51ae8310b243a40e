import DurableIO
import FilePackages
import FoundationEssentials

// (1) What either side has is in the merged tree, or in a conflict: nothing is dropped.
// (2) Where the state that both were made from is not known, what both have counts as that state: what one side removed
//     is then there again.

/// What brings a version that is in conflict together with the document in its place.
///
/// Children that one side changed are as that side has them, texts that both changed are merged by line, and what belongs to a
/// content type is merged as the type does.
struct ConflictMerge {
  /// What stands where both sides changed the same.
  enum Undecided: Sendable {
    /// Nothing is decided.
    case left
    /// What both have: lines between marks, a file beside the other one.
    case both
  }

  let undecided: Undecided
  /// What to call the version, between marks and in names.
  let label: String
  /// What is still to be decided.
  private(set) var conflicts: [MergeConflict] = []

  init(_ undecided: Undecided, label: String) {
    (self.undecided, self.label) = (undecided, label)
  }

  /// Makes the tree of the document in its place what both come to.
  ///
  /// - Parameters:
  ///   - tree: the document in its place.
  ///   - version: the version, which stays as it is.
  ///   - base: the state that both were made from, as far as somebody has it.
  ///   - content: how the content type merges, for the children that it says are its own.
  mutating func merge(
    _ version: FileWrapper, into tree: FileWrapper, base known: FileWrapper?, by content: ContentMerge?
  ) throws {
    let base = try completed(known, tree, version)
    let children = try TreeMerge(base: base, ours: version, theirs: tree)
    let contents = try content?.merge(base: base, version: version, present: tree)
    let isOwned = { (path: String) in content?.owns(path) ?? false }
    var texts: [(path: String, text: String)] = []
    var copies: [(path: String, file: FileWrapper)] = []
    var open: [MergeConflict] = contents?.conflicts ?? []
    open += children.conflicts.map(\.conflict).filter { !isOwned($0.path) }
    for conflict in open {
      let sides = try Sides(conflict.path, base, version, tree)
      if let text = sides.merged(label: label) {
        if text.isDecided || undecided == .both {
          texts.append((conflict.path, text.text))
          continue
        }
      } else if undecided == .both, let decided = sides.keepingBoth(conflict, isOwned: isOwned(conflict.path))
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
      try tree.setDescendant(FileWrapper(regularFileWithContents: Data(text.utf8)), at: path)
    }
    for (path, file) in copies { try tree.setDescendant(file, at: try freePath(for: path, in: tree)) }
  }

  // MARK: The state that both were made from

  /// (2)
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
        try base.setDescendant(node.copy(), at: path.string)
      } else if let first = node.text, let second = twin.text, first != second {
        let common = Data(TextLines.common(first, second).utf8)
        try base.setDescendant(FileWrapper(regularFileWithContents: common), at: path.string)
      }
    }
    return base
  }

  // MARK: Names

  /// A name like that, with what the version is called, and a number where it is taken.
  private func freePath(for path: String, in tree: FileWrapper) throws -> String {
    var names = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    let last = names.removeLast()
    let dot = last.lastIndex(of: ".").flatMap { $0 == last.startIndex ? nil : $0 } ?? last.endIndex
    var number = 1
    while true {
      let suffix = number == 1 ? " (\(label))" : " (\(label) \(number))"
      // Room for it within the 255 bytes of a name.
      var stem = String(last[..<dot])
      while stem.utf8.count + suffix.utf8.count + last[dot...].utf8.count > 255 { stem.removeLast() }
      let candidate = (names + [stem + suffix + last[dot...]]).joined(separator: "/")
      if try tree.descendant(at: candidate) == nil { return candidate }
      number += 1
    }
  }
}

/// What both sides have at one place.
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

  /// What an application notes in the metadata is no text, and has no place for two.
  private var isMetadata: Bool { path == PackageLayout.metadata.string }

  /// The text that both come to; nil where one has none.
  func merged(label: String) -> (text: String, isDecided: Bool)? {
    guard !isMetadata, let own = present?.text, let other = version?.text else { return nil }
    let merge = ThreeWayMerge(base: base?.text ?? "", ours: own, theirs: other)
    let text = merge.text(.marked(ours: "here", base: "before", theirs: label))
    return (text, merge.conflicts.isEmpty)
  }

  /// The files that have to be put beside those in the merged tree, so that both sides are there; nil where that cannot be.
  func keepingBoth(_ conflict: MergeConflict, isOwned: Bool) -> [(path: String, file: FileWrapper)]? {
    switch conflict.kind {
    // What was changed stays; that the other one removed it is all that is not there.
    case .removedByUs, .removedByThem:
      return conflict.kept == .both || present != nil || version != nil ? [] : nil
    case .bothMoved: return []
    case .bothChanged, .bothAdded:
      guard !isMetadata, let present, let version, !present.isDirectory, !version.isDirectory else {
        return nil
      }
      // Then it is not the file that differs, but what the document says of it.
      if isOwned, (try? present.hasSameContents(as: version)) ?? false { return nil }
      let lost = conflict.kept == .ours ? present : version
      return [(path, lost.copy())]
    }
  }
}

extension FileWrapper {
  /// The largest text that is merged by line, in bytes.
  private static let maximumText = 16 << 20

  /// The text of a regular file; nil for everything else.
  fileprivate var text: String? {
    guard isRegularFile, let data = try? contents(), data.count <= Self.maximumText, !data.contains(0) else {
      return nil
    }
    return String(validating: data, as: UTF8.self)
  }
}

extension TextLines {
  /// The lines that two texts have in common, in their order.
  static func common(_ first: String, _ second: String) -> String {
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
