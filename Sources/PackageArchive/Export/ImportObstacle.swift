/// Something in an archive that an import with its usual options refuses or leaves out.
public struct ImportObstacle: Sendable, Hashable, Codable {
  /// What it is, and so which of an import's options helps.
  public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
    /// Control characters in a name or in a link's destination: `ImportOptions.allowsControlCharacters`.
    case controlCharacters
    /// Names that differ only in case or in how accents are written: `ImportOptions.allowsSimilarNames`.
    case similarNames
    /// A link that leads out of the package: `ImportOptions.allowsLinksOutside`.
    case outsideLink
    /// Left out: what looks like macOS's own, unless `ImportOptions.includesAppleDouble`.
    case appleDouble
    /// Left out: a name like that of the hidden folder, unless `ImportOptions.includesHistory`.
    case hiddenName
    /// More folders within folders than `ImportLimits.depth`.
    case depth
    /// More entries than `ImportLimits.entries`.
    case entries
    /// More bytes than `ImportLimits.bytes`.
    case bytes
    /// Many more bytes than those of the archive: `ImportLimits.ratio`.
    case ratio
  }

  /// What it is.
  public var kind: Kind
  /// The first child that it is about, from the package on; nil where it is about all together.
  public var path: String?
  /// How many children it is about.
  public var count = 1
  /// The limit that an import needs.
  public var limit: UInt64?
}
