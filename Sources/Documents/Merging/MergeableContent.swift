/// A content that can be put together from two that were made from one: what a document does when its file is
/// changed outside while there are unsaved edits.
public protocol MergeableContent: DocumentContent {
  /// Puts two contents together.
  ///
  /// Each change of one side has to be in the result, or in the conflicts: nothing is dropped. Where both sides
  /// made the same change, or one of them none, there is no conflict.
  ///
  /// - Parameters:
  ///   - base: the content that both were made from.
  ///   - ours: the content of this document, with its unsaved edits.
  ///   - theirs: what is on disk. The result is written over it.
  static func merged(base: Self, ours: Self, theirs: Self) throws -> MergeResult<Self>

  /// Whether a child of the package is all in the content, so that merging contents merges it: by default none is, and
  /// a child that both sides changed is a conflict beside what the contents say.
  static func ownsChild(at path: String) -> Bool
}

extension MergeableContent {
  /// False.
  public static func ownsChild(at path: String) -> Bool { false }
}

/// A merged content, and what could not be merged.
public struct MergeResult<Content: Sendable>: Sendable {
  /// With what stands where there are conflicts, as each says.
  public var content: Content
  /// What is to be decided, by the place within the document.
  public var conflicts: [MergeConflict]

  /// Makes a result.
  public init(_ content: Content, conflicts: [MergeConflict] = []) {
    (self.content, self.conflicts) = (content, conflicts)
  }
}

/// One place of a document that both sides changed in different ways.
///
/// In the merged document stands what `kept` says; the other side's is for whoever resolves the conflict to keep.
public struct MergeConflict: Sendable, Hashable {
  /// What the two sides did there.
  public enum Kind: String, Sendable, Hashable, Codable {
    /// Both changed what was there.
    case bothChanged
    /// Both put something there where there was nothing.
    case bothAdded
    /// Our side removed what the other one changed.
    case removedByUs
    /// The other side removed what ours changed.
    case removedByThem
    /// Both gave it another name or place.
    case bothMoved
  }

  /// Whose change is in the merged document.
  public enum Side: String, Sendable, Hashable, Codable {
    /// This document's, the other's, or both.
    case ours, theirs, both
  }

  /// The child's path.
  public var path: String
  /// What the two sides did.
  public var kind: Kind
  /// What stands in the merged document.
  public var kept: Side
  /// The lines in question, where it is a text.
  public var lines: [ThreeWayMerge.Conflict]

  /// Makes a conflict.
  public init(_ path: String, _ kind: Kind, kept: Side, lines: [ThreeWayMerge.Conflict] = []) {
    (self.path, self.kind, self.kept, self.lines) = (path, kind, kept, lines)
  }
}

/// One value that two sides may have changed.
public func mergedValue<Value: Equatable>(base: Value, ours: Value, theirs: Value) -> (
  value: Value, isConflict: Bool
) {
  if ours == theirs || base == theirs { return (ours, false) }
  if base == ours { return (theirs, false) }
  return (ours, true)
}
