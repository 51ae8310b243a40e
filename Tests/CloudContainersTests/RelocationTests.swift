import FilePackages
import Foundation
import ObjectStores
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

import CloudContainers

@Suite("A container in another store", .temporaryDirectory)
struct RelocationTests {
  private func keys(_ store: any ObjectStore) async throws -> [ObjectKey: Int] {
    var keys: [ObjectKey: Int] = [:]
    try await store.listAll("") { page in
      for object in page { keys[object.key] = object.size }
      return true
    }
    return keys
  }

  /// Copies all objects, as another program does.
  private func copy(_ old: any ObjectStore, to new: any ObjectStore) async throws {
    for key in try await keys(old).keys { try await new.put(old.get(key) ?? Data(), at: key, ifAbsent: true) }
  }

  @Test func `has all documents, and the old store tells the other machines`() async throws {
    let (old, new) = (MemoryStore(), MeteredStore())
    let (a, b) = try await DeviceFixture.two(old)
    for name in ["a.txt", "b.txt"] { try a.write("text of \(name)", to: name) }
    try await sync(a, b)
    try await copy(old, to: new)
    let before = try await keys(new)
    try await CloudContainer.relocate(a.url, to: new, address: "new", tellingIn: old)
    #expect(try await keys(new) == before)
    #expect(try CloudContainer.settings(of: a.url).address == "new")
    // The other machine changes a document, learns of the move, and takes the change along.
    try await b.container.download(itemNamed: "b.txt")
    try b.write("changed", to: "b.txt")
    let told = try await keys(old)
    let c = b.container
    let operations: [() async throws -> Void] = [
      { _ = try await c.sync() }, { _ = try await c.plan() }, { try await c.evict(itemNamed: "b.txt") },
      { try await c.delete(itemNamed: "a.txt") }, { try await c.restore(itemNamed: "b.txt", version: 1) },
      { _ = try await c.collectGarbage(isDryRun: false) }, { try await c.download(itemNamed: "b.txt") },
    ]
    for operation in operations {
      let error = await #expect(throws: CloudDataError.self) { try await operation() }
      #expect(error?.code == .moved && "\(error.map { "\($0)" } ?? "")".contains("has moved to new."))
      #expect(try await keys(old) == told)
    }
    try await CloudContainer.relocate(b.url, to: new, address: "new")
    let (movedA, movedB) = (
      DeviceFixture(try await CloudContainer.open(a.url, in: new)),
      DeviceFixture(try await CloudContainer.open(b.url, in: new))
    )
    try await sync(movedB, movedA)
    #expect(movedA.text("b.txt") == "changed" && movedA.text("a.txt") == "text of a.txt")
    try await movedB.container.download(itemNamed: "a.txt")
    #expect(movedB.text("a.txt") == "text of a.txt")
    #expect(try await movedA.container.check(reads: true).isWhole)
  }

  @Test func `is probed once`() async throws {
    let (old, new) = (MemoryStore(), MeteredStore())
    let a = try await DeviceFixture("a", old)
    try await a.upload("text", to: "a.txt")
    try await copy(old, to: new)
    try await CloudContainer.relocate(a.url, to: new, address: "new")
    let moved = try await CloudContainer.open(a.url, in: new)
    // A probe takes some sixty calls.
    #expect(try await new.requests { try await moved.sync() } < 30)
  }

  @Test func `gets what another machine did in the old store after the copy`() async throws {
    let (old, new) = (MemoryStore(), MemoryStore())
    let (a, b) = try await DeviceFixture.two(old)
    try await a.share("text", as: "a.txt", with: b)
    try await copy(old, to: new)
    try await CloudContainer.relocate(a.url, to: new, address: "new")
    let movedA = DeviceFixture(try await CloudContainer.open(a.url, in: new))
    try await movedA.upload("a longer text of the first machine", to: "a.txt")
    try await b.upload("other", to: "a.txt")
    try await CloudContainer.relocate(b.url, to: new, address: "new")
    let movedB = DeviceFixture(try await CloudContainer.open(b.url, in: new))
    for machine in [movedB, movedA, movedB, movedA] { try await machine.sync() }
    for machine in [movedA, movedB] {
      let names = try await machine.container.names()
      try await machine.container.download(itemsNamed: names)
      #expect(Set(names.compactMap { machine.text($0) }) == ["a longer text of the first machine", "other"])
    }
    #expect(try await movedA.container.check(reads: true).isWhole)
  }

  @Test(arguments: [false, true])
  func `leaves the old store alone, also in a program that opened the folder before`(isTold: Bool)
    async throws
  {
    let (old, new) = (MemoryStore(), MemoryStore())
    let a = try await DeviceFixture("a", old)
    try a.write("one", to: "a.txt")
    try await a.sync()
    try await copy(old, to: new)
    try await CloudContainer.relocate(a.url, to: new, address: "new", tellingIn: isTold ? old : nil)
    let before = try await keys(old)
    try a.write("two of them", to: "a.txt")
    await expect(\CloudDataError.code, .moved) { try await a.container.sync() }
    #expect(try await keys(old) == before)
    let moved = DeviceFixture(try await CloudContainer.open(a.url, in: new))
    #expect(try await moved.sync().documents.map(\.uploaded) == [true])
  }

  @Test func `can be named again after a call that was cut off when it had told the other machines`()
    async throws
  {
    let isCut = Mutex(false)
    let old = MemoryStore(trouble: { call in
      let isEntry = call.operation == .put && call.key?.string.hasPrefix("log/") == true
      return isEntry && isCut.withLock { $0 } ? .lostAnswer : nil
    })
    let new = MemoryStore()
    let a = try await DeviceFixture("a", old)
    try await a.upload("text", to: "a.txt")
    try await copy(old, to: new)
    isCut.withLock { $0 = true }
    await #expect(throws: (any Error).self) {
      try await CloudContainer.relocate(a.url, to: new, address: "new", tellingIn: old)
    }
    isCut.withLock { $0 = false }
    #expect(try CloudContainer.settings(of: a.url).address == "memory")
    let told = try await keys(old)
    try await CloudContainer.relocate(a.url, to: new, address: "new", tellingIn: old)
    #expect(try CloudContainer.settings(of: a.url).address == "new")
    #expect(try await keys(old) == told)
    // A call that was cut off later: the settings name the new store, and the command takes that for the old one.
    let before = try await keys(new)
    try await CloudContainer.relocate(a.url, to: new, address: "new", tellingIn: new)
    #expect(try await keys(new) == before)
    try await DeviceFixture(CloudContainer.open(a.url, in: new)).sync()
  }

  @Test func `is none that is empty or has another one`() async throws {
    let (old, empty, other) = (MemoryStore(), MemoryStore(), MemoryStore())
    let a = try await DeviceFixture("a", old)
    _ = try await DeviceFixture("b", other)
    await #expect(throws: CloudDataError.self) {
      try await CloudContainer.relocate(a.url, to: empty, address: "new")
    }
    for source in [nil, old] {
      await #expect(throws: CloudDataError.self) {
        try await CloudContainer.relocate(a.url, to: other, address: "new", tellingIn: source)
      }
    }
    #expect(try CloudContainer.settings(of: a.url).address == "memory")
  }
}
