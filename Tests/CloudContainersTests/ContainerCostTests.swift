import CloudContainers
import Foundation
import ObjectStores
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// A store that counts the bytes of puts.
private final class MeteredStore: ObjectStore {
  let store = MemoryStore()
  private let bytes = Mutex(0)
  var place: String { store.place }
  var putBytes: Int { bytes.withLock { $0 } }

  func put(_ bytes: Data, at key: ObjectKey, ifAbsent: Bool) async throws(ObjectStoreError) -> Bool {
    self.bytes.withLock { $0 += bytes.count }
    return try await store.put(bytes, at: key, ifAbsent: ifAbsent)
  }
  func get(_ key: ObjectKey, range: Range<Int>?) async throws(ObjectStoreError) -> Data? {
    try await store.get(key, range: range)
  }
  func head(_ key: ObjectKey) async throws(ObjectStoreError) -> StoredObject? { try await store.head(key) }
  func list(_ prefix: String, after start: ObjectKey?, limit: Int) async throws(ObjectStoreError)
    -> ObjectListing
  {
    try await store.list(prefix, after: start, limit: limit)
  }
  func delete(_ key: ObjectKey) async throws(ObjectStoreError) { try await store.delete(key) }
}

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
      let before = (store.store.callCount, store.putBytes)
      #expect(try await device.sync().documents.map(\.uploaded) == [true])
      let after = (store.store.callCount, store.putBytes)
      try await device.sync()
      return (after.0 - before.0, after.1 - before.1, store.store.callCount - after.0)
    }
  }

  @Test
  func `one changed child of 1,000 costs six requests and 64 KiB at most, and no change costs one request`()
    async throws
  {
    let cost = try await cost(children: 1_000)
    #expect(cost.requests <= 6 && cost.bytes <= 64 << 10 && cost.idle == 1, "\(cost)")
  }

  @Test(.tags(.scale)) func `one changed child of 100,000 costs eight requests and 128 KiB at most`()
    async throws
  {
    let cost = try await cost(children: 100_000)
    #expect(cost.requests <= 8 && cost.bytes <= 128 << 10 && cost.idle == 1, "\(cost)")
  }
}
