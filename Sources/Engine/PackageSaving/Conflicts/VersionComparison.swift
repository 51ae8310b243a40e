package import FileTrees
package import FoundationEssentials
import PackageFormat

extension OpenPackage {
  /// Returns the differences between two versions; nil stands for the document as it was last saved.
  package func differences(
    from version: UUID, to other: UUID?
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

  /// Returns a version, and the places where it differs from the disk.
  private func side(_ id: UUID) throws -> (places: Set<PackagePath>, tree: FileWrapper, lost: [String]) {
    let set = try ConflictSet(self)
    if let conflict = set[id]?.version {
      let places = Set(conflict.differences.map { PackagePath($0) })
      return (places, try set.contents(of: id), conflict.missing)
    }
    let (history, index) = try find(id)
    let (tree, lost) = try contents(of: id)
    return (Set(history.chain.rows(of: index).map(\.path)), tree, lost)
  }
}
