import CloudContainers
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("The requests and bytes of a container")
struct ContainerCostTests {
  private func cost(children: Int) async throws -> (requests: Int, bytes: Int, idle: Int) {
    try await withTemporaryDirectory { directory in
      let store = MeteredStore()
      let device = try await DeviceFixture("a", in: directory, store)
      let folder = device.url.appending(path: "Many.rtfd")
      for group in 0..<(children / 100) {
        let inner = folder.appending(path: "Group \(group)")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        for child in 0..<100 {
          let bytes = Data("child \(group) \(child)".utf8)
          try bytes.write(to: inner.appending(path: "\(child).txt"))
        }
      }
      try await device.sync()
      try Data(repeating: 1, count: 4096).write(to: folder.appending(path: "Group 3/7.txt"))
      let before = (store.callCount, store.putBytes)
      #expect(try await device.sync().documents.map(\.uploaded) == [true])
      let after = (store.callCount, store.putBytes)
      try await device.sync()
      return (after.0 - before.0, after.1 - before.1, store.callCount - after.0)
    }
  }

  @Test
  func `no change costs one request, and a listing of the last entry alone, ten minutes after the news`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let clock = ModelClock()
      let store = MeteredStore(now: { clock.now })
      let a = try await DeviceFixture("a", in: directory, store, clock: clock)
      let b = try await DeviceFixture("b", in: directory, store, clock: clock)
      try await b.sync()
      for number in 0..<100 { try a.write("note \(number)", to: "\(number).txt") }
      try await a.sync()
      try await b.sync()
      /// The requests and the listed objects of a poll.
      func poll() async throws -> (requests: Int, objects: Int) {
        let before = (store.callCount, store.listedCount)
        try await b.sync()
        return (store.callCount - before.0, store.listedCount - before.1)
      }
      // All clocks are equal, so the entries of the run have one time, and the mark follows.
      #expect(try await poll() == (1, 101))
      clock.advance(1)
      try a.write("one more", to: "more.txt")
      try await a.sync()
      clock.advance(660)
      #expect(try await poll().objects > 101)
      #expect(try await poll() == (1, 2))
      // An entry that a device wrote late is found within an hour.
      clock.advance(3_601)
      #expect(try await poll() == (1, 102))
      #expect(try await poll() == (1, 2))
      try a.write("another", to: "another.txt")
      try await a.sync()
      #expect(try await b.sync().discovered == 1)
    }
  }

  @Test
  func `one changed child of 1,000 costs six requests and 64 KiB at most, and no change costs one request`()
    async throws
  {
    let cost = try await cost(children: 1_000)
    #expect(cost.requests <= 6 && cost.bytes <= 64 << 10 && cost.idle == 1, "\(cost)")
  }

  @Test(
    .tags(.scale),
    .enabled(if: ProcessInfo.processInfo.environment["CLOUD_COSTS"] != nil, "CLOUD_COSTS is not set"))
  func `one changed child of 100,000 costs eight requests and 128 KiB at most`()
    async throws
  {
    let cost = try await cost(children: 100_000)
    #expect(cost.requests <= 8 && cost.bytes <= 128 << 10 && cost.idle == 1, "\(cost)")
  }
}
