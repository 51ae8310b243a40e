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
  /// Where two versions, of the history or in conflict, differ, in order of paths: a folder before what is in it.
  ///
  /// Cost: the bytes of the children that saves between the two and the present changed; no other child is read.
  ///
  /// - Parameter other: the second version; nil for the document as it was last saved, with what other programs have made of
  ///   it on disk.
  /// - Returns: the differences, and the children of which nobody has what they were in one of the two.
  /// - Throws: `noSuchVersion`; the system's reason.
  public func differences(
    from version: UUID, to other: UUID? = nil
  ) throws -> (changes: [VersionDifference], lost: [String]) {
    let first = try side(version)
    var (second, places, lost) = (try savedTree(), first.places, Set(first.lost))
    if let other {
      let side = try side(other)
      second = side.tree
      places.formUnion(side.places)
      lost.formUnion(side.lost)
    }
    var changes: [VersionDifference] = []
    for place in places.sorted() where !lost.contains(place.string) {
      let old = try VersionHistory.node(at: place, in: first.tree)
      let new = try VersionHistory.node(at: place, in: second)
      if try !FileWrapper.isSame(old, new) {
        changes.append(VersionDifference(path: place.string, old: old, new: new))
      }
    }
    return (changes, lost.sorted())
  }

  /// A version, and where it differs from what is on disk.
  private func side(_ id: UUID) throws -> (places: Set<PackagePath>, tree: FileWrapper, lost: [String]) {
    if let conflict = try conflicts().first(where: { $0.id == id }) {
      return (
        Set(conflict.differences.map { PackagePath($0) }), try contents(ofConflict: id), conflict.missing
      )
    }
    let (history, index) = try find(id)
    let (tree, lost) = try contents(of: id)
    return (Set(history.chain.rows(of: index).map(\.path)), tree, lost)
  }
}

extension FileWrapper {
  /// The permission bits.
  public var permissions: UInt16 { state.withLock { $0.attributes.mode } }
}
