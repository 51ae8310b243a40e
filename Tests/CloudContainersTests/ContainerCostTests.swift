import CloudContainers
import Foundation
import ObjectStores
import TestSupport
import Testing

@Suite("The requests and bytes of a container", .temporaryDirectory)
struct ContainerCostTests {
  private func cost(children: Int) async throws -> (requests: Int, bytes: Int, idle: Int) {
    let store = MeteredStore()
    let device = try await DeviceFixture("a", store)
    let folder = device.url.appending(path: "Many.rtfd")
    for group in 0..<(children / 100) {
      let inner = folder.appending(path: "Group \(group)")
      try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
      for child in 0..<100 {
        try Data("child \(group) \(child)".utf8).write(to: inner.appending(path: "\(child).txt"))
      }
    }
    for _ in 0..<2 { try await device.sync() }
    try Data(repeating: 1, count: 4096).write(to: folder.appending(path: "Group 3/7.txt"))
    let bytes = store.putBytes
    let requests = try await store.requests {
      let report = try await device.sync()
      #expect(report.documents.map(\.uploaded) == [true])
    }
    let sent = store.putBytes - bytes
    // The look after an entry of its own reads the entry, and notes its date.
    #expect(try await store.requests { try await device.sync() } == 2)
    return (requests, sent, try await store.requests { try await device.sync() })
  }

  /// Two devices that know each other's news, and what the second one lacks.
  private func makeTwo() async throws -> (DeviceFixture, DeviceFixture, MeteredStore) {
    let store = MeteredStore()
    let (a, b) = try await DeviceFixture.two(store)
    // The first looks make entries, and the next ones learn their dates.
    try await sync(a, b, a, b)
    return (a, b, store)
  }

  @Test func `no change costs one request, which lists the last entry`() async throws {
    let (a, b, store) = try await makeTwo()
    for number in 0..<100 { try a.write("note \(number)", to: "\(number).txt") }
    try await sync(a, b, a)
    for device in [a, b, a, b] {
      let listed = store.listedCount
      #expect(try await store.requests { try await device.sync() } == 1)
      #expect(store.listedCount - listed == 1)
    }
  }

  @Test func `a new document costs two requests, and two of the device that learns it`()
    async throws
  {
    let (a, b, store) = try await makeTwo()
    try a.write("a note", to: "Note.txt")
    #expect(try await store.requests { try await a.sync() } == 2, "a look and an entry")
    #expect(try await store.requests { try await b.sync() } == 2, "a look and an entry")
    #expect(try await store.requests { try await b.container.download(itemNamed: "Note.txt") } == 0)
    try await sync(a, b)
    try await a.uploadPackage("Trip.rtfd", ["1.txt": String(repeating: "1", count: 9_000)])
    #expect(try await store.requests { try await b.sync() } == 2)
    // A page, the content and the metadata.
    #expect(try await store.requests { try await b.container.download(itemNamed: "Trip.rtfd") } == 3)
  }

  @Test func `1,000 notes cost twelve requests at most, and another device few`() async throws {
    let store = MeteredStore()
    let (a, b) = try await DeviceFixture.two(store)
    try await b.sync()
    for number in 0..<1_000 { try a.write("note \(number)", to: "\(number).txt") }
    let sent = try await store.requests { try await a.sync() }
    #expect(sent <= 12, "\(sent)")
    // One of each machine, and one for each 256 versions.
    #expect(try await ContainerLog(store).list(from: 0).count <= 6)
    // A look, the last known entry, and four entries.
    let learned = try await store.requests {
      let report = try await b.sync()
      #expect(report.discovered == 1_000)
    }
    #expect(learned <= 8, "\(learned)")
  }

  @Test
  func `one changed child of 1,000 costs five requests and 64 KiB at most, and no change costs one request`()
    async throws
  {
    let cost = try await cost(children: 1_000)
    #expect(cost.requests <= 5 && cost.bytes <= 64 << 10 && cost.idle == 1, "\(cost)")
  }

  @Test(
    .tags(.scale),
    .enabled(if: ProcessInfo.processInfo.environment["CLOUD_COSTS"] != nil, "CLOUD_COSTS is not set"))
  func `one changed child of 100,000 costs seven requests and 128 KiB at most`()
    async throws
  {
    let cost = try await cost(children: 100_000)
    #expect(cost.requests <= 7 && cost.bytes <= 128 << 10 && cost.idle == 1, "\(cost)")
  }
}
