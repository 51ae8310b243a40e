public import FilePackages
public import FoundationEssentials

/// A decision about a document's conflict versions.
///
/// `MergingResolver` and `NewestVersionResolver` are ready-made. An application that asks its user has a resolver of
/// its own.
public protocol ConflictResolver<Content>: Sendable {
  /// The type of the document's content.
  associatedtype Content: DocumentContent

  /// Decides a conflict. Before the return, nothing is saved or removed, and the user cannot edit the document.
  ///
  /// - Throws: any error that prevents a decision; the document then stays in conflict.
  func resolve(_ conflict: DocumentConflict<Content>) async throws -> ConflictOutcome<Content>
}

/// A document and its conflict versions.
public struct DocumentConflict<Content: DocumentContent>: Sendable {
  /// The content of the document in its place, without conflict copies.
  public var present: Content
  /// The time of the document's last save; nil if it is not known.
  public var presentModificationDate: Date?
  /// The conflict versions, the newest first.
  public var versions: [Version]

  /// One conflict version.
  public struct Version: Sendable {
    /// The facts about the version.
    public var version: ConflictVersion
    /// Its content.
    public var content: Content
    /// The common base of the version and the document; nil if it is not known.
    public var base: Content?
  }
}

/// The outcome of a conflict.
public enum ConflictOutcome<Content: DocumentContent>: Sendable {
  /// The document stays as it is, and the conflict versions go.
  case keepPresent
  /// The document becomes that version.
  case keep(ConflictVersion)
  /// The document gets this content.
  case merged(Content)
  /// Nothing is decided: the document stays in conflict.
  case undecided
}

/// Keeps the version with the latest save, by the clocks of the computers that saved.
public struct NewestVersionResolver<Content: DocumentContent>: ConflictResolver {
  /// Makes a resolver.
  public init() {}

  /// Returns the newest version, or the document if it is as new.
  public func resolve(_ conflict: DocumentConflict<Content>) async throws -> ConflictOutcome<Content> {
    guard let newest = conflict.versions.first, let date = newest.version.modificationDate,
      date > (conflict.presentModificationDate ?? .distantPast)
    else { return .keepPresent }
    return .keep(newest.version)
  }
}

/// Merges as the content type does. If both sides changed the same part, nothing is decided.
public struct MergingResolver<Content: MergeableContent>: ConflictResolver {
  /// Makes a resolver.
  public init() {}

  /// Returns the merge of all versions.
  public func resolve(_ conflict: DocumentConflict<Content>) async throws -> ConflictOutcome<Content> {
    var merged = conflict.present
    for version in conflict.versions.reversed() {
      guard let base = version.base else { return .undecided }
      let result = try Content.merged(base: base, ours: version.content, theirs: merged)
      if !result.conflicts.isEmpty { return .undecided }
      merged = result.content
    }
    return .merged(merged)
  }
}
