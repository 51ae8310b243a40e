/// A problem in an archive that an import with its usual options refuses or leaves out.
public struct ImportObstacle: Sendable, Hashable, Codable {
  /// The problem, and so the option of an import that helps.
  public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
    /// Control characters in a name or in a link's destination: `ImportOptions.allowsControlCharacters`.
    case controlCharacters
    /// Names that differ only in case or in how accents are written: `ImportOptions.allowsSimilarNames`.
    case similarNames
    /// A link that leads out of the package: `ImportOptions.allowsLinksOutside`.
    case outsideLink
    /// A name that macOS adds for itself; an import leaves it out unless `ImportOptions.includesAppleDouble` is
    /// set.
    case appleDouble
    /// A name like that of the hidden folder; an import leaves it out unless `ImportOptions.includesHistory` is
    /// set.
    case hiddenName
    /// More nested folders than `ImportLimits.depth`.
    case depth
    /// More entries than `ImportLimits.entries`.
    case entries
    /// More bytes than `ImportLimits.bytes`.
    case bytes
    /// Too many bytes in relation to the size of the archive: `ImportLimits.ratio`.
    case ratio
  }

  /// The kind of problem.
  public var kind: Kind
  /// The first child with the problem, as a path from the package on; nil for a problem of the whole archive.
  public var path: String?
  /// The number of children with the problem.
  public var count = 1
  /// The limit that an import of the archive needs.
  public var limit: UInt64?
}
