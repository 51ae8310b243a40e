import CloudContainers
import FilePackages
import Foundation
import ObjectStores
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@Suite("The feed of a container")
struct FeedChainTests {
  private func version(_ sequence: Int = 1) -> FeedEntry.Version {
    var generator = SystemRandomNumberGenerator()
    return FeedEntry.Version(
      .random(using: &generator), sequence, VersionDigest(of: Data("\(sequence)".utf8)))
  }

  /// The entries of a store.
  private func entries(_ store: any ObjectStore) async throws -> [FeedEntry] {
    let news = try await ContainerFeed(store).news(after: .start)
    #expect(news.state == .whole && news.problems.isEmpty)
    return news.entries
  }

  // MARK: Bytes

  @Test func `has entries that no damage changes, and refuses others`() throws {
    let entry = FeedEntry(
      after: ContentHash(of: [1]), .committed, by: "a1b2c3d4", [version(), version(1 << 50)])
    let bytes = entry.bytes
    #expect(try FeedEntry(decoding: bytes) == entry)
    for index in bytes.indices {
      var damaged = bytes
      damaged[index] ^= 0x41
      #expect((try? FeedEntry(decoding: damaged)) != entry)
      #expect((try? FeedEntry(decoding: bytes[..<index])) != entry)
    }
    var newer = bytes
    newer[0] = 2
    #expect(throws: FeedEntry.Problem.newerFormat) { try FeedEntry(decoding: newer) }
    #expect(throws: FeedEntry.Problem.invalid) { try FeedEntry(decoding: Data()) }
    #expect(throws: FeedEntry.Problem.tooLarge) {
      try FeedEntry(decoding: Data(count: FeedEntry.maximumSize + 1))
    }
    let nothing = [version(0)]
    #expect(throws: FeedEntry.Problem.invalid) {
      try FeedEntry(decoding: FeedEntry(after: .empty, .committed, by: "a", nothing).bytes)
    }
    #expect(
      try FeedEntry(decoding: FeedEntry(after: .empty, .lost, by: "a", nothing).bytes).versions == nothing)
    for device in ["", "a/b", String(repeating: "a", count: 65)] {
      let entry = FeedEntry(after: .empty, .committed, by: device, [version()])
      #expect(throws: FeedEntry.Problem.invalid) { try FeedEntry(decoding: entry.bytes) }
    }
    let full = (0..<FeedEntry.maximumCount).map { _ in version() }
    let longest = FeedEntry(after: .empty, .committed, by: String(repeating: "a", count: 64), full)
    #expect(longest.bytes.count == FeedEntry.maximumSize)
    #expect(try FeedEntry(decoding: longest.bytes) == longest)
  }

  @Test func `has keys in the order of their numbers, and marks behind them`() throws {
    let numbers = [1, 9, 10, 4_711, 9_999_999_999_999_999]
    let keys = numbers.map(ContainerFeed.key)
    #expect(keys == keys.sorted() && keys.map(ContainerFeed.number) == numbers)
    for key: ObjectKey in ["feed/mark/a", "feed/1", "feed/0000000000000000", "heads/0000000000000001"] {
      #expect(ContainerFeed.number(of: key) == nil)
    }
    #expect(try #require(keys.last) < "feed/mark/a")
  }

  // MARK: Writing

  @Test func `takes an entry of an earlier call for the same one, and no other entry of its number`()
    async throws
  {
    let feed = ContainerFeed(MemoryStore())
    let entry = FeedEntry(after: FeedPosition.start.hash, .committed, by: "a", [version()])
    let made = try await feed.append(entry, after: .start)
    #expect(made?.number == 1)
    #expect(try await feed.append(entry, after: .start) == made)
    let other = FeedEntry(after: FeedPosition.start.hash, .committed, by: "b", [version()])
    #expect(try await feed.append(other, after: .start) == nil)
    #expect(try await entries(feed.store) == [entry])
  }

  @Test func `has the news of all machines that write at once, and each learns all`() async throws {
    try await withTemporaryDirectory { directory in
      let store = MemoryStore(trouble: { .delay($0.number % 3) })
      var devices: [DeviceFixture] = []
      for number in 0..<6 { devices.append(try await DeviceFixture("\(number)", in: directory, store)) }
      for round in 0..<4 {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for (number, device) in devices.enumerated() {
            try device.write("text", to: "\(round) \(number).txt")
            group.addTask {
              let report = try await device.container.sync()
              #expect(report.problems.isEmpty)
            }
          }
          try await group.waitForAll()
        }
      }
      let versions = try await entries(store).flatMap(\.versions)
      #expect(versions.count == 24 && Set(versions).count == 24)
      for device in devices {
        try await device.sync()
        #expect(try await device.container.items().count == 24)
      }
    }
  }

  @Test func `has one entry for each 256 versions of a run`() async throws {
    try await withTemporaryDirectory { directory in
      let store = MeteredStore()
      let a = try await DeviceFixture("a", in: directory, store)
      for number in 0..<600 { try a.write("note", to: "\(number).txt") }
      try await a.sync()
      #expect(try await entries(store).map(\.versions.count) == [256, 256, 88])
    }
  }

  @Test(arguments: [MemoryStore.Trouble.refusal(.unreachable), .lostAnswer])
  func `gets the news of a run that was cut off once, with the next one`(
    trouble: MemoryStore.Trouble
  ) async throws {
    try await withTemporaryDirectory { directory in
      let isCut = Mutex(false)
      let store = MemoryStore(trouble: { call in
        let isEntry = call.operation == .put && call.key.flatMap(ContainerFeed.number) != nil
        return isEntry && isCut.withLock { $0 } ? trouble : nil
      })
      let a = try await DeviceFixture("a", in: directory, store)
      let b = try await DeviceFixture("b", in: directory, store)
      for device in [a, b] { try await device.sync() }
      for name in ["1.txt", "2.txt"] { try a.write(name, to: name) }
      isCut.withLock { $0 = true }
      #expect(try await a.container.sync().problems.count == 1)
      #expect(try await a.container.session.state.unannounced().count == 2)
      isCut.withLock { $0 = false }
      // The rehearsal announces nothing.
      let keys = store.keys
      _ = try await a.container.plan()
      #expect(store.keys == keys)
      try await a.sync()
      #expect(try await a.container.session.state.unannounced().isEmpty)
      #expect(try await entries(store).map(\.versions.count) == [2])
      #expect(try await b.sync().discovered == 2)
    }
  }

  @Test func `gets the news of an operation that is no run, and of one that fails after its version`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let store = MemoryStore()
      let a = try await DeviceFixture("a", in: directory, store)
      let b = try await DeviceFixture("b", in: directory, store)
      try a.write("one", to: "Notes.txt")
      for device in [a, b] { try await device.sync() }
      try a.write("two", to: "Notes.txt")
      await #expect(throws: FilePackageError.self) {
        try await a.container.restore(itemNamed: "Notes.txt", version: 7)
      }
      #expect(try await b.sync().discovered == 1)
      try await a.container.delete(itemNamed: "Notes.txt")
      try await b.sync()
      #expect(try await b.container.items().isEmpty)
    }
  }

  // MARK: Reading

  @Test func `is read past an entry that is damaged, which the run names once`() async throws {
    try await withTemporaryDirectory { directory in
      let store = MemoryStore()
      let a = try await DeviceFixture("a", in: directory, store)
      let b = try await DeviceFixture("b", in: directory, store)
      for device in [a, b] { try await device.sync() }
      for number in 1...3 {
        try a.write("\(number)", to: "\(number).txt")
        try await a.sync()
      }
      try await store.put(Data([1, 2, 3]), at: ContainerFeed.key(2))
      let report = try await b.container.sync()
      #expect(report.discovered == 3 && report.lost.isEmpty)
      let errors = report.problems.compactMap { $0 as? CloudDataError }
      #expect(errors.map(\.code) == [.unreadableNews] && errors.first?.key == ContainerFeed.key(2).string)
      #expect(
        report.problems.map { "\($0)" }.first?.contains("has an entry of its feed that is damaged") == true)
      try a.write("4", to: "4.txt")
      try await a.sync()
      let next = try await b.container.sync()
      #expect(next.discovered == 1 && next.problems.isEmpty)
    }
  }

  @Test func `keeps its last entry when garbage goes, and a machine that was away lists all versions`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let clock = ModelClock()
      let store = MemoryStore(now: { clock.now })
      let a = try await DeviceFixture("a", in: directory, store, clock: clock)
      let b = try await DeviceFixture("b", in: directory, store, clock: clock)
      func numbers() -> [Int] { store.keys.compactMap(ContainerFeed.number) }
      try await b.sync()
      for number in 1...3 {
        try a.write("\(number)", to: "\(number).txt")
        try await a.sync()
        if number == 1 { try await b.sync() }
        clock.advance(86_400)
      }
      _ = try await a.container.collectGarbage(isDryRun: false)
      #expect(numbers() == [2, 3])
      clock.advance(30 * 86_400)
      _ = try await a.container.collectGarbage(isDryRun: false)
      #expect(numbers() == [3])
      let report = try await b.sync()
      #expect(report.discovered == 2 && report.lost.isEmpty)
      try a.write("4", to: "4.txt")
      try await a.sync()
      #expect(numbers() == [3, 4])
      #expect(try await b.sync().discovered == 1)
    }
  }
}
