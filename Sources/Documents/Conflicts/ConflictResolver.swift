public import FilePackages
public import FoundationEssentials

/// Decides what becomes of the versions of a document that were made apart.
///
/// `MergingResolver` and `NewestVersionResolver` are ready-made; an application that asks its user has one of its own.
public protocol ConflictResolver<Content>: Sendable {
  /// What the document's content is.
  associatedtype Content: DocumentContent

  /// Decides. Nothing is saved or removed before it returns, and the document cannot be edited.
  ///
  /// - Throws: whatever keeps it from deciding; the document is then in conflict still.
  func resolve(_ conflict: DocumentConflict<Content>) async throws -> ConflictResolution<Content>
}

/// A document, and the versions that are in conflict with it.
public struct DocumentConflict<Content: DocumentContent>: Sendable {
  /// The content of the document in its place, without the copies that a program has left.
  public var present: Content
  /// When it was last saved; nil where that is not known.
  public var presentDate: Date?
  /// The other versions, the newest first.
  public var versions: [Version]

  /// One other version.
  public struct Version: Sendable {
    /// What is known of it.
    public var version: ConflictVersion
    /// Its content.
    public var content: Content
    /// The content that it and the document were both made from; nil where that is not known.
    public var base: Content?
  }
}

/// What is to become of a conflict.
public enum ConflictResolution<Content: DocumentContent>: Sendable {
  /// The document stays as it is, and the other versions go.
  case keepPresent
  /// The document becomes that version.
  case keep(ConflictVersion)
  /// The document becomes what the content says.
  case merged(Content)
  /// Nothing is decided: the document is in conflict still.
  case undecided
}

/// Keeps the version that was saved last, by the clocks of those who saved.
public struct NewestVersionResolver<Content: DocumentContent>: ConflictResolver {
  /// Makes a resolver.
  public init() {}

  /// The newest version, or the document where it is as new.
  public func resolve(_ conflict: DocumentConflict<Content>) async throws -> ConflictResolution<Content> {
    guard let newest = conflict.versions.first, let date = newest.version.modificationDate,
      date > (conflict.presentDate ?? .distantPast)
    else { return .keepPresent }
    return .keep(newest.version)
  }
}

/// Merges as the content type does; where both sides changed the same, nothing is decided.
public struct MergingResolver<Content: MergeableContent>: ConflictResolver {
  /// Makes a resolver.
  public init() {}

  /// What all versions come to.
  public func resolve(_ conflict: DocumentConflict<Content>) async throws -> ConflictResolution<Content> {
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
