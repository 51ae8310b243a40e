import Foundation
import ObjectStores
import Synchronization
import Testing

import CloudContainers

@Suite("A store with limits")
struct PacedStoreTests {
  /// A clock that each wait sets forward.
  private final class JumpingClock: Sendable {
    private let time = Mutex(Duration.zero)
    var now: Duration { time.withLock { $0 } }
    func sleep(_ duration: Duration) { time.withLock { $0 += duration } }
  }

  @Test func `sends and receives its rate on average, in both directions together`() async throws {
    let clock = JumpingClock()
    let store = PacedStore(
      MemoryStore(), PacedStore.Limits(bytesPerSecond: 1_000), now: { clock.now }, sleep: { clock.sleep($0) })
    for number in 0..<5 { try await store.put(Data(count: 500), at: #require(ObjectKey("blobs/\(number)"))) }
    // The first object goes at once, and each later one when those before have had their time.
    #expect(clock.now == .seconds(2))
    #expect(try await store.get("blobs/0", range: nil)?.count == 500)
    #expect(clock.now == .seconds(3))
    #expect(try await store.get("blobs/0", range: 0..<100)?.count == 100)
    #expect(clock.now == .milliseconds(3_100))
    // No content, no wait.
    _ = try await store.list("", after: nil, limit: 10)
    _ = try await store.head("blobs/0")
    #expect(try await store.get("blobs/none", range: nil) == nil)
    try await store.delete("blobs/0")
    #expect(clock.now == .milliseconds(3_100))
    // Time without calls is not saved up.
    clock.sleep(.seconds(100))
    try await store.put(Data(count: 1_000), at: "blobs/5")
    try await store.put(Data(count: 1_000), at: "blobs/6")
    #expect(clock.now == .milliseconds(104_100))
  }

  @Test(arguments: [1, 3])
  func `makes so many calls at once`(calls: Int) async throws {
    let base = GatedStore(MemoryStore())
    for number in 0..<8 { try await base.put(Data([1]), at: #require(ObjectKey("blobs/\(number)"))) }
    base.close()
    let store = PacedStore(base, PacedStore.Limits(calls: calls))
    try await withThrowingTaskGroup(of: Data?.self) { group in
      for number in 0..<8 {
        let key = try #require(ObjectKey("blobs/\(number)"))
        group.addTask { try await store.get(key, range: nil) }
      }
      while base.waiting < calls { await Task.yield() }
      for _ in 0..<100 { await Task.yield() }
      #expect(base.waiting == calls)
      base.open()
      for try await bytes in group { #expect(bytes == Data([1])) }
    }
    // A call that fails gives its turn back.
    base.setOffline(true)
    for _ in 0..<5 {
      await #expect(throws: ObjectStoreError.self) { try await store.get("blobs/0", range: nil) }
    }
    base.setOffline(false)
    #expect(try await store.get("blobs/0", range: nil) == Data([1]))
  }
}
