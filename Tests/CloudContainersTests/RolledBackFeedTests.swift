import CloudContainers
import Foundation
import ObjectStores
import StoreTestSupport
import TestSupport
import Testing

@Suite("A store that lost entries of its feed")
struct RolledBackFeedTests {
  @Test(arguments: [false, true])
  func `and got others of the same numbers is noticed by the machine that knew the lost ones`(
    hasLookedAgain: Bool
  ) async throws {
    try await withTemporaryDirectory { directory in
      let clock = ModelClock()
      let store = MemoryStore(now: { clock.now })
      let a = try await DeviceFixture("a", in: directory, store, clock: clock)
      let b = try await DeviceFixture("b", in: directory, store, clock: clock)
      try await a.makePackage("Trip.imageNotes", ["1.txt": "one", "2.txt": "two"])
      try await a.sync()
      try await b.sync()
      try await b.container.download(itemNamed: "Trip.imageNotes")
      let backup = store.backUp()
      clock.advance(60)
      try await a.edit("Trip.imageNotes", ["1.txt": "ONE"])
      try await a.sync()
      if hasLookedAgain { try await a.sync() }
      store.restore(backup)
      clock.advance(60)
      // The version and the entry of the feed get the numbers of those that are lost.
      try await b.edit("Trip.imageNotes", ["2.txt": "TWO"])
      try await b.sync()
      #expect(try await a.sync().lost == ["Trip.imageNotes"])
      for device in [b, a, b] { try await device.sync() }
      for device in [a, b] {
        #expect(device.text("Trip.imageNotes/1.txt") == "ONE")
        #expect(device.text("Trip.imageNotes/2.txt") == "TWO")
        #expect(try await device.sync().documents.isEmpty)
      }
    }
  }

  /// The entries of the feed that are lost; all with the mark at its end if there are none.
  @Test(arguments: [[1], [2], [3], [1, 2], [2, 3], []])
  func `and nothing else has lost no document`(numbers: [Int]) async throws {
    try await withTemporaryDirectory { directory in
      let store = MemoryStore()
      let a = try await DeviceFixture("a", in: directory, store)
      let b = try await DeviceFixture("b", in: directory, store)
      try await b.sync()
      for number in 1...3 {
        try a.write("\(number)", to: "\(number).txt")
        try await a.sync()
        if number == 1 { try await b.sync() }
      }
      let keys = store.keys.filter { $0.string.hasPrefix("feed/") }
      for key in numbers.isEmpty ? keys : numbers.map(ContainerFeed.key) { try await store.delete(key) }
      for _ in 0..<2 {
        for device in [a, b] { #expect(try await device.sync().lost.isEmpty) }
      }
      // The second device knows no entry that is lost, if those are the last ones. The first one tells the loss.
      #expect(try await b.container.items().map(\.name) == ["1.txt", "2.txt", "3.txt"])
      try a.write("4", to: "4.txt")
      try await a.sync()
      #expect(try await b.sync().discovered == 1)
      try await b.container.sync(everything: true)
      #expect(try await b.container.items().count == 4)
      #expect(try await a.container.check(reads: true).isWhole)
    }
  }

  @Test func `is noticed by the machine whose last entry follows one that it has not read`() async throws {
    try await withTemporaryDirectory { directory in
      let store = MemoryStore()
      let a = try await DeviceFixture("a", in: directory, store)
      let b = try await DeviceFixture("b", in: directory, store)
      try a.write("a", to: "a.txt")
      for device in [a, b] { try await device.sync() }
      let backup = store.backUp()
      try b.write("b", to: "b.txt")
      try await b.sync()
      try await a.container.delete(itemNamed: "a.txt")
      store.restore(backup)
      #expect(try await a.sync().lost == ["a.txt"])
      #expect(try await b.sync().lost == ["b.txt"])
    }
  }
}
