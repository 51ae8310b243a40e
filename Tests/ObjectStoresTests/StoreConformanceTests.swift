import DurableIO
import Foundation
import ObjectStores
import StoreTestSupport
import TestSupport
import Testing

/// The stores that pass the same tests.
enum StoreKind: CaseIterable, CustomTestStringConvertible {
  case memory, folder, s3, repeated
  /// The service that the environment names.
  case service

  static let allCases: [StoreKind] =
    [.memory, .folder, .s3, .repeated] + (S3Service.ofEnvironment == nil ? [] : [.service])

  var testDescription: String { "\(self)" }

  func with(_ body: (any ObjectStore) async throws -> Void) async throws {
    switch self {
    case .memory: try await body(MemoryStore())
    case .folder: try await withTemporaryDirectory { try await body(FolderStore($0, on: PosixDisk())) }
    case .s3:
      let server = try S3Server()
      try await body(server.store(prefix: "team/one"))
    case .service:
      let service = try #require(S3Service.ofEnvironment)
      let store = try service.store(prefix: "team/\(UUID().uuidString)")
      try await body(store)
      for object in try await store.list("", after: nil, limit: 1_000).objects {
        try await store.delete(object.key)
      }
    case .repeated:
      // Every third call loses its answer. Beside others, one caller may meet many of them in a row.
      let store = MemoryStore { $0.number % 3 == 1 ? .lostAnswer : nil }
      try await body(RetryingStore(store, policy: .init(attempts: 100), sleep: { _ in }))
    }
  }
}

@Suite("Every object store", .temporaryDirectory)
struct StoreConformanceTests {
  @Test(arguments: StoreKind.allCases)
  func `gives what was stored, a part of it, and nil for nothing`(kind: StoreKind) async throws {
    try await kind.with { store in
      // A reader gets what the last `put` stored (OS1), also if an answer was lost (OS3).
      #expect(try await store.get("a/b") == nil)
      #expect(try await store.head("a/b") == nil)
      try await store.put(Data("first".utf8), at: "a/b")
      #expect(try await store.get("a/b") == Data("first".utf8))
      #expect(try await store.get("a/b", limit: 3) == Data("fir".utf8))
      #expect(try await store.get("a/b", limit: 99) == Data("first".utf8))
      #expect(try await store.get("a/b", limit: 0) == Data())
      #expect(try await store.head("a/b")?.size == 5)
      try await store.put(Data("second one".utf8), at: "a/b")
      #expect(try await store.get("a/b") == Data("second one".utf8))
      // A name of a folder is no object, and an object may be empty.
      #expect(try await store.get("a") == nil)
      try await store.put(Data(), at: "empty")
      #expect(try await store.get("empty") == Data())
      #expect(try await store.get("empty", limit: 9) == Data())
      #expect(try await store.head("empty")?.size == 0)
      try await store.delete("a/b")
      try await store.delete("a/b")
      #expect(try await store.get("a/b") == nil)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `keeps large objects byte for byte`(kind: StoreKind) async throws {
    try await kind.with { store in
      let bytes = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) })
      try await store.put(bytes, at: "blobs/00/large")
      #expect(try await store.get("blobs/00/large") == bytes)
      #expect(try await store.get("blobs/00/large", limit: 2_000_000) == bytes[..<2_000_000])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `lets one of many writers make an object`(kind: StoreKind) async throws {
    try await kind.with { store in
      for round in 0..<5 {
        let key = try #require(ObjectKey("documents/x/\(round)"))
        let winners = try await withThrowingTaskGroup(of: Int?.self) { group in
          for writer in 0..<8 {
            group.addTask {
              try await store.put(Data("\(writer)".utf8), at: key, ifAbsent: true) ? writer : nil
            }
          }
          return try await group.reduce(into: []) { if let winner = $1 { $0.append(winner) } }
        }
        // One winner (OS2).
        #expect(winners.count == 1)
        #expect(try await store.get(key) == winners.first.map { Data("\($0)".utf8) })
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `lists in the order of keys, a page after the other`(kind: StoreKind) async throws {
    try await kind.with { store in
      let names = [
        "a", "a-b/c", "a.b", "a/b", "a/c/d", "a0", "b/1", "b/2", "b/3", "b1", "documents/0001",
        "documents/0001-x/y",
      ]
      let keys = try names.map { try #require(ObjectKey($0)) }.filter { kind != .folder || $0 != "a" }
      for key in keys.shuffled() { try await store.put(Data(key.string.utf8), at: key) }
      for prefix in ["", "a", "a/", "b/", "b", "documents/0001", "none/"] {
        for limit in [1, 2, 5, 100] {
          var listed: [ObjectKey] = []
          try await store.listAll(prefix, pageSize: limit) { page in
            // Each object once, in order (OS4).
            #expect(page.count <= limit && page.allSatisfy { $0.size == $0.key.string.utf8.count })
            listed += page.map(\.key)
            return true
          }
          #expect(listed == keys.sorted().filter { $0.string.hasPrefix(prefix) }, "\(prefix), \(limit)")
        }
      }
      #expect(try await store.list("b/", after: "b/1", limit: 9).objects.map(\.key) == ["b/2", "b/3"])
      #expect(try await store.list("b/", after: "b/15", limit: 9).objects.map(\.key) == ["b/2", "b/3"])
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `passes the probe, which leaves nothing`(kind: StoreKind) async throws {
    try await kind.with { store in
      let report = try await StoreProbe(store).run()
      #expect(report.isSound, "\(report)")
      #expect(try await store.list("", after: nil, limit: 10).objects == [])
    }
  }
}

@Suite("A key")
struct ObjectKeyTests {
  @Test(arguments: [
    "", "/a", "a/", "a//b", ".a", "a/.b", "..", "a/../b", "ä", "a b", "a\0", "a%2F", "a\\b", "a:b",
  ])
  func `is refused if a store could take it for another one`(text: String) {
    #expect(ObjectKey(text) == nil)
  }

  @Test func `has a bounded length`() {
    #expect(ObjectKey(String(repeating: "a", count: 512)) != nil)
    #expect(ObjectKey(String(repeating: "a", count: 513)) == nil)
  }
}
