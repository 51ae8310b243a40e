public import FilePackages
public import FoundationEssentials

/// Decides about a document's conflict versions.
///
/// The library has two resolvers: `MergingResolver` and `NewestVersionResolver`. An application that asks its user
/// implements its own.
public protocol ConflictResolver<Content>: Sendable {
  /// The type of the document's content.
  associatedtype Content: DocumentContent

  /// Decides a conflict. The document saves nothing, removes nothing and refuses edits until this method returns.
  ///
  /// - Throws: any error that prevents a decision; the document then stays in conflict.
  func resolve(_ conflict: DocumentConflict<Content>) async throws -> ConflictOutcome<Content>
}

/// A document and its conflict versions.
public struct DocumentConflict<Content: DocumentContent>: Sendable {
  /// The content of the document on disk, without conflict copies.
  public var present: Content
  /// The time of the document's last save; nil if it is not known.
  public var presentModificationDate: Date?
  /// The conflict versions, the newest first.
  public var versions: [Version]

  /// One conflict version.
  public struct Version: Sendable {
    /// The facts about the version.
    public var version: ConflictVersion
    /// The content of the version.
    public var content: Content
    /// The common ancestor of the version and the document; nil if it is not known.
    public var base: Content?
  }
}

/// The outcome of a conflict.
public enum ConflictOutcome<Content: DocumentContent>: Sendable {
  /// The document stays as it is, and the conflict versions are removed.
  case keepPresent
  /// The document gets the content of that version.
  case keep(ConflictVersion)
  /// The document gets this content.
  case merged(Content)
  /// Nothing is decided: the document stays in conflict.
  case undecided
}

/// Chooses the version with the latest save, by the clocks of the saving computers.
public struct NewestVersionResolver<Content: DocumentContent>: ConflictResolver {
  /// Makes a resolver.
  public init() {}

  /// Returns the newest version, or the document if it is not older.
  public func resolve(_ conflict: DocumentConflict<Content>) async throws -> ConflictOutcome<Content> {
    guard let newest = conflict.versions.first, let date = newest.version.modificationDate,
      date > (conflict.presentModificationDate ?? .distantPast)
    else { return .keepPresent }
    return .keep(newest.version)
  }
}

/// Merges all versions by the content type's `merged(base:ours:theirs:)`.
///
/// It decides nothing if both sides changed the same part, or if a version has no known common ancestor.
public struct MergingResolver<Content: MergeableContent>: ConflictResolver {
  /// Makes a resolver.
  public init() {}

  /// Returns the merge of all versions, or `undecided`.
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
