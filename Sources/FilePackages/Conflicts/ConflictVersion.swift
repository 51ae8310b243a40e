public import FoundationEssentials

/// What somebody else made of a document, and nobody has decided yet what becomes of it.
///
/// Two kinds come about: what another program wrote where a save had something else to put, which the save keeps; and what a
/// program that synchronises folders brought from another computer, where the document had been changed, too. Such a
/// program knows single files: it leaves copies of some beside the others. With the digests that each save notes, whole
/// versions are put together from them again.
public struct ConflictVersion: Sendable, Hashable, Identifiable {
  /// How it came about.
  public enum Origin: Sendable, Hashable, Codable {
    /// Another program wrote it into the open document, and a save or the document has kept it.
    case otherProgram
    /// A program that synchronises folders has left it; its name as far as it shows.
    case synchronization(by: String)
  }

  /// What finds it again: the revision where that is known.
  public let id: UUID
  /// How it came about.
  public let origin: Origin
  /// The document's metadata in that version; nil where only some children are known.
  public let metadata: PackageMetadata?
  /// When it was saved, or kept.
  public let modificationDate: Date?
  /// The children that it has otherwise than the document in its place, as paths in byte order.
  public let differences: [String]
  /// Those of which nobody has what the version had: it is not whole without them.
  public let missing: [String]
  /// Whether it is known to be exactly what was saved. False also where only some children are known, and the others are those of
  /// the document in its place.
  public let isWhole: Bool

  /// The computer that saved it, where that is known.
  public var savingComputer: String? { metadata?.savingComputer }
}
