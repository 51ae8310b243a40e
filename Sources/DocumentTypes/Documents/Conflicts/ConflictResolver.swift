public import FilePackages
public import FoundationEssentials

/// Decides about a document's conflict versions.
///
/// The library has two resolvers: `merging` and `newest`. An application that asks its user makes its own.
public struct ConflictResolver<Content: DocumentContent>: Sendable {
  /// Decides a conflict.
  public typealias Decision = @Sendable (DocumentConflict<Content>) async throws -> ConflictOutcome<Content>

  let resolve: Decision

  /// Makes a resolver of a closure. The document saves nothing, removes nothing and refuses edits until it returns.
  ///
  /// If it throws, the document stays in conflict.
  public init(_ resolve: @escaping Decision) { self.resolve = resolve }

  /// Chooses the version with the latest save, by the clocks of the saving computers, or the document if it is not
  /// older.
  public static var newest: ConflictResolver {
    ConflictResolver { conflict in
      guard let newest = conflict.versions.first, let date = newest.version.modificationDate,
        date > (conflict.presentModificationDate ?? .distantPast)
      else { return .keepPresent }
      return .keep(newest.version)
    }
  }
}

extension ConflictResolver where Content: MergeableContent {
  /// Merges all versions by the content type's `merged(base:ours:theirs:)`.
  ///
  /// It decides nothing if both sides changed the same part, or if a version has no known common ancestor.
  public static var merging: ConflictResolver {
    ConflictResolver { conflict in
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
