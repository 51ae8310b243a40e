public import FoundationEssentials
import Synchronization

/// One place at which two versions of a document differ.
public struct VersionDifference: Sendable {
  /// The place.
  public let path: String
  /// What the first version has there; nil for nothing.
  public let old: FileWrapper?
  /// What the second one has there; nil for nothing.
  public let new: FileWrapper?
}

extension PackageStore {
  /// Where two versions differ, in order of paths: a folder before what is in it.
  ///
  /// Cost: the bytes of the children that saves between the two and the present changed; no other child is read.
  ///
  /// - Parameter other: the second version; nil for what is on disk now.
  /// - Returns: the differences, and the children of which nobody has what they were in one of the two.
  /// - Throws: `noSuchVersion`; the system's reason.
  public func differences(
    from version: UUID, to other: UUID? = nil
  ) throws -> (changes: [VersionDifference], lost: [String]) {
    let (history, index) = try find(version)
    var places = Set(history.chain.rows(of: index).map(\.path))
    let first = try contents(of: version)
    var (second, lost) = (newTree(), Set(first.lost))
    if let other {
      let (history, index) = try find(other)
      places.formUnion(history.chain.rows(of: index).map(\.path))
      let contents = try contents(of: other)
      second = contents.tree
      lost.formUnion(contents.lost)
    }
    var changes: [VersionDifference] = []
    for place in places.sorted() where !lost.contains(place.string) {
      let old = try VersionHistory.node(at: place, in: first.tree)
      let new = try VersionHistory.node(at: place, in: second)
      if try !Self.isSame(old, new) {
        changes.append(VersionDifference(path: place.string, old: old, new: new))
      }
    }
    return (changes, lost.sorted())
  }

  private static func isSame(_ old: FileWrapper?, _ new: FileWrapper?) throws -> Bool {
    guard let old, let new else { return old == nil && new == nil }
    guard old.kind == new.kind else { return false }
    if old.isSymbolicLink { return try old.linkDestination() == new.linkDestination() }
    guard old.permissions == new.permissions else { return false }
    return try old.isDirectory || old.contents() == new.contents()
  }
}

extension FileWrapper {
  /// The permission bits.
  public var permissions: UInt16 { state.withLock { $0.attributes.mode } }
}
