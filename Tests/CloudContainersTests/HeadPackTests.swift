import CloudContainers
import DurableIO
import FilePackages
import Foundation
import ObjectStores
import StoreTestSupport
import SystemPackage
import TestSupport
import Testing

@Suite("The packs of last versions")
struct HeadPackTests {
  private func entry(_ size: Int) -> HeadPack.Entry {
    var generator = SystemRandomNumberGenerator()
    return HeadPack.Entry(
      document: .random(using: &generator), sequence: .random(in: 1...99),
      bytes: Data(repeating: 7, count: size))
  }

  // MARK: Bytes

  @Test func `have the versions that they were made of, and no damage passes`() throws {
    let pack = HeadPack([entry(3), entry(0), entry(400)])
    let bytes = pack.bytes
    let key = HeadPack.key(of: bytes)
    #expect(HeadPack(decoding: bytes, at: key) == pack)
    for index in bytes.indices {
      var damaged = bytes
      damaged[index] ^= 0x41
      #expect(HeadPack(decoding: damaged, at: key) == nil)
      // Under a key of its own, too, it is a pack of other versions at most.
      #expect(HeadPack(decoding: damaged) != pack)
      #expect(HeadPack(decoding: bytes[..<index]) != pack)
    }
  }

  @Test func `have as many versions as their limits allow`() throws {
    let small = (0..<2500).map { _ in entry(10) }
    #expect(HeadPack.packs(of: small).map(\.entries.count) == [1024, 1024, 452])
    let large = HeadPack.packs(of: (0..<100).map { _ in entry(CloudVersion.maximumSize) })
    #expect(large.map(\.entries.count) == [63, 37])
    for pack in large { #expect(HeadPack(decoding: pack.bytes, at: HeadPack.key(of: pack.bytes)) == pack) }
    #expect(HeadPack.packs(of: []).isEmpty)
  }

  // MARK: A new device

  /// Lists the documents of a store on a new device, which has this name.
  private func list(_ store: any ObjectStore, _ name: String, in directory: FilePath) async throws -> [String]
  {
    let device = try await DeviceFixture(name, in: directory, store)
    let report = try await device.sync()
    #expect(report.problems.isEmpty)
    return try await device.container.items().map(\.name).sorted()
  }

  private func keys(_ store: any ObjectStore) async throws -> [ObjectKey] {
    try await store.list(HeadPack.prefix, after: nil, limit: 1000).objects.map(\.key)
  }

  @Test func `spare a new device a request for each document`() async throws {
    try await withTemporaryDirectory { directory in
      let store = MeteredStore()
      let first = try await DeviceFixture("first", in: directory, store)
      let names = (0..<600).map { "Note \(1000 + $0).txt" }
      for name in names { try first.write(name, to: name) }
      try await first.sync()
      #expect(try await keys(store).count == 1)
      // No further pack without further versions.
      try await first.sync()
      #expect(try await keys(store).count == 1)
      let before = store.callCount
      #expect(try await list(store, "second", in: directory) == names)
      #expect(store.callCount - before <= 12, "\(store.callCount - before)")
    }
  }

  @Test(arguments: ["lost", "damaged", "newer", "mixed", "old"])
  func `cost time only if they are of no use`(kind: String) async throws {
    try await withTemporaryDirectory { directory in
      let store = MemoryStore()
      let first = try await DeviceFixture("first", in: directory, store)
      for number in 0..<300 { try first.write("\(number)", to: "Note \(1000 + number).txt") }
      try await first.sync()
      let key = try #require(await keys(store).first)
      var bytes = try #require(await store.get(key))
      switch kind {
      case "lost": try await store.delete(key)
      case "damaged":
        bytes[bytes.count / 2] ^= 1
        try await store.put(bytes, at: key)
      case "newer":
        bytes[0] = 2
        try await store.delete(key)
        try await store.put(bytes, at: HeadPack.key(of: bytes))
      case "mixed":
        // Each document has the version of another one.
        var pack = try #require(HeadPack(decoding: bytes))
        let versions = pack.entries.map(\.bytes)
        for index in versions.indices { pack.entries[index].bytes = versions[(index + 1) % versions.count] }
        try await store.delete(key)
        try await store.put(pack.bytes, at: HeadPack.key(of: pack.bytes))
      default:
        // All documents have another name by now.
        for number in 0..<300 {
          try first.rename("Note \(1000 + number).txt", to: "Text \(1000 + number).txt")
        }
        try await first.sync()
        for key in try await keys(store).dropFirst() { try await store.delete(key) }
      }
      let prefix = kind == "old" ? "Text" : "Note"
      let names = (0..<300).map { "\(prefix) \(1000 + $0).txt" }
      let second = try await DeviceFixture("second", in: directory, store)
      #expect(try await second.sync().problems.isEmpty)
      #expect(try await second.container.items().map(\.name).sorted() == names)
      // What the second device had to read one by one, it packed: see `ContainerSession.packHeads`.
      if kind == "lost" { #expect(try await keys(store).count == 1) }
    }
  }

  @Test func `become few in a collection of garbage`() async throws {
    try await withTemporaryDirectory { directory in
      let store = MemoryStore()
      let path = directory.appending("first")
      _ = try await DeviceFixture("first", in: directory, store)
      let container = try await CloudContainer.open(
        ContainerFolder(path), store, packing: HeadPacks.Limits(reading: 1, writing: 1), now: { Date() })
      for number in 0..<12 {
        try Data("\(number)".utf8).write(to: container.url.appending(path: "Note \(number).txt"))
        try await container.sync()
      }
      #expect(try await keys(store).count == 12)
      _ = try await container.collectGarbage(isDryRun: true)
      #expect(try await keys(store).count == 12)
      _ = try await container.collectGarbage(isDryRun: false)
      let left = try await keys(store)
      #expect(left.count == 1)
      let pack = try #require(await store.get(left[0]).flatMap { HeadPack(decoding: $0, at: left[0]) })
      #expect(pack.entries.count == 12)
      #expect(try await list(store, "second", in: directory).count == 12)
    }
  }
}
