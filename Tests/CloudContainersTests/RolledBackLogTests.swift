import CloudContainers
import ObjectStores
import StoreTestSupport
import TestSupport
import Testing

@Suite("A store that lost entries of its log", .temporaryDirectory)
struct RolledBackLogTests {
  @Test(arguments: [false, true])
  func `and got others of the same numbers is noticed by the machine that knew the lost ones`(
    hasLookedAgain: Bool
  ) async throws {
    let clock = ModelClock()
    let (store, a, b) = try await DeviceFixture.two(clock: clock)
    try await a.share("Trip.imageNotes", ["1.txt": "one", "2.txt": "two"], with: b)
    let backup = store.backUp()
    clock.advance(60)
    try await a.upload("Trip.imageNotes", ["1.txt": "ONE"])
    if hasLookedAgain { try await a.sync() }
    store.restore(backup)
    clock.advance(60)
    // The version and its entry get the numbers of those that are lost.
    try await b.upload("Trip.imageNotes", ["2.txt": "TWO"])
    // LG2
    #expect(try await a.sync().lost == ["Trip.imageNotes"])
    try await sync(b, a, b)
    expectTexts(["Trip.imageNotes/1.txt": "ONE", "Trip.imageNotes/2.txt": "TWO"], on: a, b)
    for device in [a, b] { #expect(try await device.sync().documents.isEmpty) }
  }

  /// The entries that are lost, from the last one on.
  @Test(arguments: [[0], [1], [2], [0, 1], [0, 2], [0, 1, 2, 3, 4]])
  func `has all documents again after a repair on the machine that knew them`(lost: [Int]) async throws {
    let (store, a, b) = try await DeviceFixture.two()
    for number in 1...3 {
      try await a.upload("\(number)", to: "\(number).txt")
      if number == 1 { try await b.sync() }
    }
    let keys = Array(store.keys.filter { $0.string.hasPrefix("log/") }.reversed())
    for number in lost where number < keys.count { try await store.delete(keys[number]) }
    _ = try await a.container.repair()
    try await sync(b, a, b)
    #expect(try await b.container.items().map(\.name) == ["1.txt", "2.txt", "3.txt"])
    try await a.upload("4", to: "4.txt")
    #expect(try await b.sync().discovered == 1)
    #expect(try await a.container.check(reads: true).isWhole)
  }

  @Test func `tells a machine that is behind which one it needs, and goes on after a repair`() async throws {
    let (store, a, b) = try await DeviceFixture.two()
    try await sync(a, b)
    for number in 1...3 {
      try await a.upload("\(number)", to: "\(number).txt")
    }
    let keys = store.keys.filter { $0.string.hasPrefix("log/") }
    try await store.delete(keys[keys.count - 2])
    try b.write("b", to: "b.txt")
    let error = await #expect(throws: CloudDataError.self) { try await b.container.sync() }
    #expect(error?.code == .damagedLog && error?.key == keys[keys.count - 2].string)
    #expect(try await b.container.check().finding != .whole)
    #expect(try await a.container.repair().entries == 1)
    try await b.sync()
    #expect(try await b.container.items().count == 4)
  }

  @Test func `is noticed by each machine whose last entry is gone`() async throws {
    let (store, a, b) = try await DeviceFixture.two()
    try a.write("a", to: "a.txt")
    try await sync(a, b)
    let backup = store.backUp()
    try await b.upload("b", to: "b.txt")
    try await a.container.delete(itemNamed: "a.txt")
    store.restore(backup)
    #expect(try await a.sync().lost == ["a.txt", "b.txt"])
    try await b.sync()
    #expect(try await b.container.items().map(\.name) == ["a.txt", "b.txt"])
  }
}
