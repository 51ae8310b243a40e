public import Foundation

extension NSSortDescriptor {
  /// Makes a descriptor that orders the items of an `NSMetadataQuery` by an attribute. In ascending order, items
  /// without the attribute are first.
  ///
  /// Foundation on Linux marks this initialiser as unavailable. To compare objects other than items of a query is a
  /// programming error.
  public convenience init(key: String?, ascending: Bool) {
    let name = key ?? ""
    self.init(keyPath: \NSMetadataItem.[attribute: name], ascending: ascending) { one, other in
      let (one, other) = (AttributeValue(one), AttributeValue(other))
      return one.order(other)
        ?? (one == other ? .orderedSame : one == .none ? .orderedAscending : .orderedDescending)
    }
  }
}
