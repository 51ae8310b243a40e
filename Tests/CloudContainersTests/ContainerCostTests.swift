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
