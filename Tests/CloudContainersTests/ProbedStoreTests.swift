import CloudContainers
import Foundation
import ObjectStores
import StoreTestSupport
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("A store that lets several writers make the same object", .temporaryDirectory)
struct ProbedStoreTests {
  private func makeFolder(_ name: String) throws -> URL {
    let url = URL(filePath: folder.appending(name).string, directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url
  }

  @Test func `gets no further machine, although it has a container`() async throws {
    let isSound = Mutex(true)
    let server = try S3Server { request in
      request.method == "PUT" && !isSound.withLock { $0 } ? .droppedCondition : nil
    }
    _ = try await CloudContainer.add(makeFolder("a"), to: server.store(), address: "s3://documents")
    isSound.withLock { $0 = false }
    let error = await #expect(throws: ObjectStoreError.self) {
      try await CloudContainer.add(makeFolder("b"), to: server.store(), address: "s3://documents")
    }
    #expect(error?.code == .unsound && error?.reason?.contains("several writers") == true)
  }

  @Test func `is found out by the first sync with another endpoint, and by no later one`() async throws {
    let isSound = Mutex(true)
    let store = MemoryStore(trouble: { call in
      call.operation == .put && !isSound.withLock { $0 } ? .droppedCondition : nil
    })
    let url = try makeFolder("a")
    _ = try await CloudContainer.add(
      url, to: store, address: "s3://documents", options: ["endpoint": "https://one.example"]
    ).sync()
    let settings = url.appending(path: ".docpkg-cloud/container.plist")
    let text = try String(contentsOf: settings, encoding: .utf8)
    try Data(text.replacing("one.example", with: "two.example").utf8).write(to: settings)
    isSound.withLock { $0 = false }
    let moved = try await CloudContainer.open(url, in: store)
    await expect(\ObjectStoreError.code, .unsound) { try await moved.sync() }
    isSound.withLock { $0 = true }
    try await moved.sync()
    let before = store.callCount
    try await moved.sync()
    #expect(store.callCount - before == 1)
  }
}
