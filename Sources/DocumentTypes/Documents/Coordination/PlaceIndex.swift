import DurableIO

/// A count of places, by which a place finds those that are the same, around it or in it.
package struct PlaceIndex {
  private var names: [[FileName]: Counts] = [:]
  private var nodes: [ItemPlace.Node: Counts] = [:]

  /// The number of places here, and below.
  private struct Counts: Equatable {
    var here = 0
    var below = 0
  }

  package init() {}

  package mutating func add(_ place: ItemPlace) { count(place, 1) }

  package mutating func remove(_ place: ItemPlace) { count(place, -1) }

  private mutating func count(_ place: ItemPlace, _ change: Int) {
    Self.count(place.names, here: change, in: &names)
    if let node = place.node { Self.count(node, here: change, in: &nodes) }
    for length in place.names.indices { Self.count(Array(place.names[..<length]), below: change, in: &names) }
    for node in place.nodesAbove { Self.count(node, below: change, in: &nodes) }
  }

  private static func count<Key>(
    _ key: Key, here: Int = 0, below: Int = 0, in table: inout [Key: Counts]
  ) {
    var counts = table[key] ?? Counts()
    counts.here += here
    counts.below += below
    table[key] = counts == Counts() ? nil : counts
  }

  /// Returns whether a place, one of those that were added, is the only one of its item, and no other is around it or
  /// in it.
  package func hasOnly(_ place: ItemPlace) -> Bool {
    let above = place.nodesAbove
    guard names[place.names] == Counts(here: 1, below: 0),
      place.names.indices.allSatisfy({ names[Array(place.names[..<$0])]?.here ?? 0 == 0 })
    else { return false }
    let isOnlyNode = place.node.map { nodes[$0] == Counts(here: 1, below: above.contains($0) ? 1 : 0) }
    return isOnlyNode ?? true
      && above.allSatisfy { nodes[$0]?.here ?? 0 == ($0 == place.node ? 1 : 0) }
  }
}

extension ItemPlace {
  /// The nodes of the folders above it. A folder that is mounted in itself counts once, and may be the place's own.
  fileprivate var nodesAbove: Set<Node> { Set(nodes.dropFirst().compactMap { $0 }) }
}
