/// The versions that the container has of one document.
public struct VersionListing: Sendable {
  /// The versions, the last one first.
  public internal(set) var versions: [CloudVersion] = []
  /// The errors of versions that cannot be read.
  public internal(set) var problems: [any Error] = []
}
