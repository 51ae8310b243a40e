import FilePackages
import Foundation
import ObjectStores
import StoreTestSupport
import Synchronization
import Testing

import CloudContainers

@Suite("The blobs of a container")
struct BlobStoreTests {
  @Test
  func `have the name of their bytes, and no other key is a blob`() throws {
    let name = BlobName(of: Data("abc".utf8))
    let digits = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    #expect(name.key.string == "blobs/ba/\(digits)")
    #expect(BlobName(name.key) == name)
    for other in [
      "blobs/bb/\(digits)", "blobs/ba/\(digits.uppercased())", "blobs/ba/\(digits)0", "blobs/ba/x",
    ] {
      #expect(BlobName(try #require(ObjectKey(other))) == nil)
    }
  }

  @Test
  func `come back byte for byte, and a known one is not stored again`() async throws {
    let counter = CallCounter()
    let blobs = BlobStore(counter.store())
    let bytes = Data("text".utf8)
    let name = try await blobs.put(bytes)
    // A blob that the store has is not stored again (BL2).
    #expect(try await blobs.put(bytes) == name)
    #expect(try await blobs.get(name) == bytes)
    #expect(counter[.put] == 1 && counter[.head] == 0)
    let missing = BlobName(of: Data("other".utf8))
    await #expect(throws: CloudDataError(.missing, in: "memory", key: missing.key.string, child: "a.txt")) {
      try await blobs.get(missing, child: "a.txt")
    }
  }

  @Test
  func `are refused if a byte is wrong, with the child and the server`() async throws {
    // No other bytes than those of the name (BL1).
    let store = MemoryStore(place: "s3://bucket")
    let blobs = BlobStore(store)
    let name = try await blobs.put(Data("right".utf8))
    try await store.put(Data("wrong".utf8), at: name.key)
    let error = await #expect(throws: CloudDataError.self) {
      try await blobs.get(name, child: "Images/7.png")
    }
    #expect(error?.code == .wrongBytes)
    #expect(error?.description.contains("'Images/7.png' in s3://bucket") == true)
    // An endless one is read up to its largest size.
    try await store.put(Data(count: 100), at: name.key)
    await #expect(throws: CloudDataError(.tooLarge, in: "s3://bucket", key: name.key.string)) {
      try await blobs.get(name, maximumSize: 10)
    }
  }

  @Test
  func `are stored eight at a time, and equal ones once`() async throws {
    let store = SlowStore()
    let blobs = BlobStore(store)
    for _ in 0..<3 {
      try await withThrowingTaskGroup(of: BlobName.self) { group in
        for number in 0..<20 { group.addTask { try await blobs.put(Data([UInt8(number)])) } }
        try await group.waitForAll()
      }
    }
    #expect(store.puts == 20)
    #expect(store.most == BlobStore.maximumCalls)
  }

  @Test
  func `can be stored again after a failure`() async throws {
    let isBroken = Mutex(true)
    let blobs = BlobStore(MemoryStore { _ in isBroken.withLock { $0 } ? .refusal(.noSpace) : nil })
    await #expect(throws: ObjectStoreError.self) { try await blobs.put(Data([1])) }
    isBroken.withLock { $0 = false }
    #expect(try await blobs.get(blobs.put(Data([1]))) == Data([1]))
  }

  @Test
  func `leave their turn if a waiting task is cancelled`() async throws {
    let store = SlowStore(waits: true)
    let blobs = BlobStore(store)
    let running = (0..<8).map { number in Task { try await blobs.put(Data([UInt8(number)])) } }
    while store.puts < 8 { await Task.yield() }
    let waiting = Task { try await blobs.put(Data([100])) }
    for _ in 0..<100 { await Task.yield() }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(store.puts == 8)
    store.open()
    for task in running { _ = try await task.value }
    _ = try await blobs.put(Data([101]))
    #expect(store.puts == 9)
  }
}
