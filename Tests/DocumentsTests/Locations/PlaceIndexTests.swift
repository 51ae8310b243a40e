import Documents
import DurableIO
import TestSupport
import Testing

@Suite("An index of places")
struct PlaceIndexTests {
  /// The names and nodes of a small tree, in which names share nodes and nothing is at some places.
  private static func place(_ random: inout some RandomNumberGenerator) -> ItemPlace {
    let depth = Int.random(in: 0...3, using: &random)
    let names = (0..<depth).map { _ in FileName("\(Int.random(in: 0...1, using: &random))") }
    let nodes = (0...depth).map { _ in
      Int.random(in: 0...4, using: &random) == 0
        ? nil : ItemPlace.Node(device: 1, inode: .random(in: 0...40, using: &random))
    }
    return ItemPlace(names: names, nodes: nodes)
  }

  @Test(arguments: 0..<200) func `agrees with a look at every place`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var (index, places) = (PlaceIndex(), [ItemPlace]())
    var (alone, notAlone) = (0, 0)
    for _ in 0..<60 {
      if places.count > 4 || (!places.isEmpty && Bool.random(using: &random)) {
        index.remove(places.remove(at: .random(in: 0..<places.count, using: &random)))
      } else {
        places.append(Self.place(&random))
        index.add(places[places.count - 1])
      }
      for (number, own) in places.enumerated() {
        let isOnly = places.enumerated().allSatisfy { other, place in
          other == number || !(place.isSame(as: own) || place.encloses(own) || own.encloses(place))
        }
        #expect(index.hasOnly(own) == isOnly)
        if isOnly { alone += 1 } else { notAlone += 1 }
      }
    }
    #expect(alone > 0 && notAlone > 0)
  }
}
