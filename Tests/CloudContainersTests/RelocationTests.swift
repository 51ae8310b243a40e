import FilePackages
import Foundation
import ObjectStores
import StoreTestSupport
import Synchronization
import SystemPackage
import TestSupport
import Testing

import CloudContainers

@Suite("A container in another store")
struct RelocationTests {
  private func keys(_ store: any ObjectStore) async throws -> [ObjectKey: Int] {
    var keys: [ObjectKey: Int] = [:]
    try await store.listAll("") { page in
      for object in page { keys[object.key] = object.size }
      return true
    }
    return keys
  }

  @Test func `has all documents, and the old store tells the other machines`() async throws {
    try await withTemporaryDirectory { directory in
      let (old, new) = (MemoryStore(), MeteredStore())
      let a = try await DeviceFixture("a", in: directory, old)
      let b = try await DeviceFixture("b", in: directory, old)
      for name in ["a.txt", "b.txt"] { try a.write("text of \(name)", to: name) }
      try await a.sync()
      try await b.sync()
      let before = try await keys(old)
      let report = try await CloudContainer.relocate(a.url, to: new, address: "new", copyingFrom: old)
      #expect(report.copied == before.count && report.isTold)
      #expect(try await keys(new) == before)
      let isMark = { (key: ObjectKey) in key.string == "container" || key.string.hasPrefix("feed/mark/") }
      #expect(try await keys(old).filter { !isMark($0.key) } == before.filter { !isMark($0.key) })
      #expect(try CloudContainer.settings(of: a.url).address == "new")
      // The other machine changes a document, learns of the move, and takes the change along.
      try await b.container.download(itemNamed: "b.txt")
      try b.write("changed", to: "b.txt")
      for everything in [false, true] {
        let error = await #expect(throws: CloudDataError.self) {
          try await b.container.sync(everything: everything)
        }
        #expect(error?.code == .moved && "\(error.map { "\($0)" } ?? "")".contains("has moved to new."))
      }
      #expect(try await CloudContainer.relocate(b.url, to: new, address: "new").copied == 0)
      let (movedA, movedB) = (
        DeviceFixture(try await CloudContainer.open(a.url, in: new)),
        DeviceFixture(try await CloudContainer.open(b.url, in: new))
      )
      try await movedB.sync()
      try await movedA.sync()
      #expect(movedA.text("b.txt") == "changed" && movedA.text("a.txt") == "text of a.txt")
      try await movedB.container.download(itemNamed: "a.txt")
      #expect(movedB.text("a.txt") == "text of a.txt")
      #expect(try await movedA.container.check(reads: true).isWhole)
    }
  }

  @Test func `is copied again without the objects that are there`() async throws {
    try await withTemporaryDirectory { directory in
      let (old, new) = (MemoryStore(), MemoryStore())
      let a = try await DeviceFixture("a", in: directory, old, enclosesSmall: false)
      for name in ["a.txt", "b.txt"] { try a.write("text of \(name)", to: name) }
      try await a.sync()
      let gated = GatedStore(new)
      gated.setOffline(true)
      await #expect(throws: ObjectStoreError.self) {
        try await CloudContainer.relocate(a.url, to: gated, address: "new", copyingFrom: old)
      }
      #expect(try CloudContainer.settings(of: a.url).address == "memory")
      let all = try await keys(old)
      let half = all.keys.sorted().filter { $0.string.hasPrefix("blobs/") }
      for key in half { if let bytes = try await old.get(key) { try await new.put(bytes, at: key) } }
      let count = try await CloudContainer.relocate(a.url, to: new, address: "new", copyingFrom: old).copied
      #expect(count == all.count - half.count && !half.isEmpty)
      #expect(try await keys(new) == all)
    }
  }

  @Test func `keeps what another machine has put there, if an old store is copied once more`() async throws {
    try await withTemporaryDirectory { directory in
      let (old, new) = (MemoryStore(), MemoryStore())
      let a = try await DeviceFixture("a", in: directory, old)
      let b = try await DeviceFixture("b", in: directory, old)
      try a.write("text", to: "a.txt")
      try await a.sync()
      try await b.sync()
      try await b.container.download(itemNamed: "a.txt")
      // The old store loses the news of the move, so that the other machine goes on there.
      let mark = try #require(try await old.get("container"))
      try await CloudContainer.relocate(a.url, to: new, address: "new", copyingFrom: old)
      try await old.put(mark, at: "container")
      let movedA = DeviceFixture(try await CloudContainer.open(a.url, in: new))
      try movedA.write("a longer text of the first machine", to: "a.txt")
      try await movedA.sync()
      try b.write("other", to: "a.txt")
      try await b.sync()
      var before: [ObjectKey: Data] = [:]
      for key in try await keys(new).keys { before[key] = try await new.get(key) }
      try await CloudContainer.relocate(b.url, to: new, address: "new", copyingFrom: old)
      for (key, bytes) in before { #expect(try await new.get(key) == bytes, "\(key)") }
      let movedB = DeviceFixture(try await CloudContainer.open(b.url, in: new))
      for machine in [movedB, movedA, movedB] { try await machine.sync() }
      #expect(movedA.text("a.txt") == movedB.text("a.txt"))
      #expect(try await movedA.container.check(reads: true).isWhole)
    }
  }

  @Test func `is told by its old store, or the report has the reason`() async throws {
    try await withTemporaryDirectory { directory in
      for damage in [Data("{".utf8), nil] {
        let (old, new) = (MarkDamagingStore(MemoryStore(), damage), MemoryStore())
        let a = try await DeviceFixture("a\(damage?.count ?? 0)", in: directory, old)
        // The copy reads the mark to check it, and to copy it.
        old.damageMark(after: 2)
        let report = try await CloudContainer.relocate(a.url, to: new, address: "new", copyingFrom: old)
        #expect(!report.isTold && report.copied > 0)
        #expect(report.problem?.contains("'container'") == true, "\(report.problem ?? "none")")
      }
    }
  }

  @Test func `is none that is empty or has another one`() async throws {
    try await withTemporaryDirectory { directory in
      let (old, empty, other) = (MemoryStore(), MemoryStore(), MemoryStore())
      let a = try await DeviceFixture("a", in: directory, old)
      _ = try await DeviceFixture("b", in: directory, other)
      await #expect(throws: CloudDataError.self) {
        try await CloudContainer.relocate(a.url, to: empty, address: "new")
      }
      for source in [nil, old] {
        await #expect(throws: CloudDataError.self) {
          try await CloudContainer.relocate(a.url, to: other, address: "new", copyingFrom: source)
        }
      }
      #expect(try CloudContainer.settings(of: a.url).address == "memory")
    }
  }
}

/// A store whose mark is damaged, or gone, from one of its reads on.
private final class MarkDamagingStore: ObjectStore {
  let base: any ObjectStore
  private let damage: Data?
  private let readsLeft = Mutex<Int?>(nil)

  init(_ base: any ObjectStore, _ damage: Data?) { (self.base, self.damage) = (base, damage) }

  func damageMark(after reads: Int) { readsLeft.withLock { $0 = reads } }

  var place: String { base.place }

  func send(_ call: StoreCall) async throws(ObjectStoreError) -> StoreAnswer {
    guard case .get = call else { return try await base.send(call) }
    let isDamaged = readsLeft.withLock { left in
      guard let reads = left, call.key == ContainerMark.key else { return false }
      left = max(0, reads - 1)
      return reads == 0
    }
    return isDamaged ? .bytes(damage) : try await base.send(call)
  }
}
