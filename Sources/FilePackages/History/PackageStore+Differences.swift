public import FoundationEssentials

extension PackageStore {
  /// Returns the differences between two versions of the history or in conflict, in order of paths.
  ///
  /// A folder comes before its children.
  ///
  /// Cost: the bytes of the children that saves between the two and the current state changed; it reads no other child.
  ///
  /// - Parameter other: the second version; nil for the document as it was last saved, with the changes of other
  ///   programs on disk.
  /// - Returns: the differences, and the children that are lost in one of the two versions.
  /// - Throws: `noSuchVersion`; the system's error.
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

  /// Returns a version, and the places where it differs from the disk.
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
