/// A problem in an archive that an import with its usual options refuses or leaves out.
public struct ImportObstacle: Sendable, Hashable, Codable {
  /// The kind of problem. Each case names the option or limit of an import to change.
  public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
    /// Control characters in a name or in a link's destination: `ImportOptions.allowsControlCharacters`.
    case controlCharacters
    /// Names that differ only in case or in how accents are written: `ImportOptions.allowsSimilarNames`.
    case similarNames
    /// A link that leads out of the package: `ImportOptions.allowsLinksOutside`.
    case outsideLink
    /// A file that macOS added for itself; an import leaves it out unless `ImportOptions.includesAppleDouble` is
    /// true.
    case appleDouble
    /// A name like that of the hidden folder; an import leaves it out unless `ImportOptions.includesHistory` is
    /// true.
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
  /// The limit that an import of the archive needs; nil if the kind is no limit.
  public var limit: UInt64?
}
