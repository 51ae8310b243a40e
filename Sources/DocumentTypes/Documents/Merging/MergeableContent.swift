/// A content that can merge two contents with a common origin.
///
/// A document with unsaved edits merges if another program changes its file.
@preconcurrency
public protocol MergeableContent: DocumentContent {
  /// Merges two contents.
  ///
  /// Each change of one side has to be in the result or in the conflicts. If both sides made the same change, or one
  /// side made none, there is no conflict.
  ///
  /// - Parameters:
  ///   - base: the common origin of both contents.
  ///   - ours: the content of this document, with its unsaved edits.
  ///   - theirs: the content on disk; the document writes the result over it.
  static func merged(base: Self, ours: Self, theirs: Self) throws -> MergeResult<Self>

  /// Returns whether the content holds all data of a child, so that `merged(base:ours:theirs:)` also merges the child.
  ///
  /// By default no child is the content's own. Then a child that both sides changed is a conflict, beside the conflicts
  /// of the contents.
  static func ownsChild(at path: String) -> Bool
}

extension MergeableContent {
  /// False.
  public static func ownsChild(at path: String) -> Bool { false }
}

/// A merged content and its conflicts.
public struct MergeResult<Content: Sendable>: Sendable {
  /// The merged content; for each conflict it holds the side that the conflict names.
  public var content: Content
  /// The conflicts to decide, by their place in the document.
  public var conflicts: [MergeConflict]

  /// Makes a result.
  public init(_ content: Content, conflicts: [MergeConflict] = []) {
    (self.content, self.conflicts) = (content, conflicts)
  }
}

/// One place of a document that both sides changed in different ways.
///
/// `kept` names the side in the merged document; a program that resolves the conflict saves the other side.
public struct MergeConflict: Sendable, Hashable {
  /// The changes of the two sides.
  public enum Kind: String, Sendable, Hashable, Codable {
    /// Both changed it.
    case bothChanged
    /// Both added a child or value at an empty place.
    case bothAdded
    /// Our side removed it, and the other side changed it.
    case removedByUs
    /// The other side removed it, and our side changed it.
    case removedByThem
    /// Both gave it another name or place.
    case bothMoved
  }

  /// The side with its change in the merged document.
  public enum Side: String, Sendable, Hashable, Codable {
    /// This document's, the other one's, or both.
    case ours, theirs, both
  }

  /// The child's path.
  public var path: String
  /// The changes of the two sides.
  public var kind: Kind
  /// The side in the merged document.
  public var kept: Side
  /// The lines in conflict, if the child is a text.
  public var lines: [ThreeWayMerge.Conflict]

  /// Makes a conflict.
  public init(_ path: String, _ kind: Kind, kept: Side, lines: [ThreeWayMerge.Conflict] = []) {
    (self.path, self.kind, self.kept, self.lines) = (path, kind, kept, lines)
  }
}

extension MergeConflict: CustomStringConvertible {
  /// One line, such as `'Text.txt': both sides changed it`.
  public var description: String {
    let words =
      switch kind {
      case .bothAdded: "both sides added it, with different contents"
      case .removedByUs, .removedByThem: "one side removed it, and the other changed it"
      case .bothMoved: "both sides moved it"
      case .bothChanged: "both sides changed it"
      }
    return "'\(displayString(path))': \(words)"
  }
}

/// Merges one value that two sides may have changed; in a conflict the value is ours.
public func mergedValue<Value: Equatable>(base: Value, ours: Value, theirs: Value) -> (
  value: Value, isConflict: Bool
) {
  if ours == theirs || base == theirs { return (ours, false) }
  if base == ours { return (theirs, false) }
  return (ours, true)
}
