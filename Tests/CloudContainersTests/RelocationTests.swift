import FilePackages
import Foundation
import ObjectStores
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

  @Test func `has all documents, and the old store stays as it is`() async throws {
    try await withTemporaryDirectory { directory in
      let (old, new) = (MemoryStore(), MeteredStore())
      let a = try await DeviceFixture("a", in: directory, old)
      let b = try await DeviceFixture("b", in: directory, old)
      for name in ["a.txt", "b.txt"] { try a.write("text of \(name)", to: name) }
      try await a.sync()
      try await b.sync()
      let before = try await keys(old)
      let count = try await CloudContainer.relocate(a.url, to: new, address: "new", copyingFrom: old)
      #expect(count == before.count)
      #expect(try await keys(new) == before)
      #expect(try await keys(old) == before)
      #expect(try CloudContainer.settings(of: a.url).address == "new")
      // The other machine changes a document in the old store, and moves with it.
      try await b.container.download(itemNamed: "b.txt")
      try b.write("changed", to: "b.txt")
      try await b.sync()
      #expect(try await CloudContainer.relocate(b.url, to: new, address: "new") == 0)
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
      let a = try await DeviceFixture("a", in: directory, old)
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
      let count = try await CloudContainer.relocate(a.url, to: new, address: "new", copyingFrom: old)
      #expect(count == all.count - half.count && !half.isEmpty)
      #expect(try await keys(new) == all)
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
