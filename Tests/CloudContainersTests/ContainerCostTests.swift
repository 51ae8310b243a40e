import CloudContainers
import Foundation
import ObjectStores
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// A store that counts its calls and the bytes of puts. `MemoryStore` would copy its objects with each put.
private final class MeteredStore: ObjectStore {
  private struct State {
    var objects: [ObjectKey: Data] = [:]
    var calls = 0
    var putBytes = 0
  }

  let place = "memory"
  private let state = Mutex(State())
  var callCount: Int { state.withLock { $0.calls } }
  var putBytes: Int { state.withLock { $0.putBytes } }

  func put(_ bytes: Data, at key: ObjectKey, ifAbsent: Bool) async throws(ObjectStoreError) -> Bool {
    state.withLock { state in
      state.calls += 1
      state.putBytes += bytes.count
      if ifAbsent, state.objects[key] != nil { return false }
      state.objects[key] = bytes
      return true
    }
  }

  func get(_ key: ObjectKey, range: Range<Int>?) async throws(ObjectStoreError) -> Data? {
    state.withLock { state in
      state.calls += 1
      return state.objects[key].map { bytes in range.map { bytes[$0.clamped(to: 0..<bytes.count)] } ?? bytes }
    }
  }

  func head(_ key: ObjectKey) async throws(ObjectStoreError) -> StoredObject? {
    state.withLock { state in
      state.calls += 1
      return state.objects[key].map { StoredObject(key: key, size: $0.count, modificationDate: Date()) }
    }
  }

  func list(
    _ prefix: String, after start: ObjectKey?, limit: Int
  ) async throws(ObjectStoreError) -> ObjectListing {
    state.withLock { state in
      state.calls += 1
      let found = state.objects.filter { key, _ in
        key.string.hasPrefix(prefix) && start.map { $0 < key } ?? true
      }.sorted { $0.key < $1.key }
      let objects = found.prefix(limit).map {
        StoredObject(key: $0.key, size: $0.value.count, modificationDate: Date())
      }
      return ObjectListing(objects: objects, hasMore: found.count > limit)
    }
  }

  func delete(_ key: ObjectKey) async throws(ObjectStoreError) {
    state.withLock { state in
      state.calls += 1
      state.objects[key] = nil
    }
  }
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
      let before = (store.callCount, store.putBytes)
      #expect(try await device.sync().documents.map(\.uploaded) == [true])
      let after = (store.callCount, store.putBytes)
      try await device.sync()
      return (after.0 - before.0, after.1 - before.1, store.callCount - after.0)
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
