public import Foundation

extension NSSortDescriptor {
  /// Makes the order of the items of an `NSMetadataQuery` by an attribute. Items without the attribute are first.
  ///
  /// Foundation on Linux marks this initialiser as unavailable. The order is for items of a query alone: to compare
  /// other objects is a programming error.
  public convenience init(key: String?, ascending: Bool) {
    let name = key ?? ""
    self.init(keyPath: \NSMetadataItem.[attribute: name], ascending: ascending) { one, other in
      let (one, other) = (AttributeValue(one), AttributeValue(other))
      return one.order(other)
        ?? (one == other ? .orderedSame : one == .none ? .orderedAscending : .orderedDescending)
    }
  }
}
