import CloudContainers
import FilePackages
import Foundation
import ObjectStores
import StoreTestSupport
import TestSupport
import Testing

@Suite("The machines of a container", .temporaryDirectory)
struct DeviceListTests {
  @Test func `are listed, renamed and removed`() async throws {
    let (store, a) = try await DeviceFixture.one("laptop")
    let b = try await DeviceFixture("desktop", store)
    try await a.share("one", as: "Notes.txt", with: b)
    #expect(try await Set(a.container.devices().map(\.name)) == ["laptop", "desktop"])
    #expect(try await a.container.devices().filter(\.isCurrent).map(\.name) == ["laptop"])
    try await b.container.renameDevice(to: "old desktop")
    let renamed = DeviceFixture(try await CloudContainer.open(b.url, in: store))
    try renamed.write("two", to: "Notes.txt")
    try await sync(renamed, a)
    #expect(try await a.container.versions(ofItemNamed: "Notes.txt").first?.deviceName == "old desktop")
    for name in ["", String(repeating: "n", count: 201)] {
      await #expect(throws: FilePackageError.self) { try await b.container.renameDevice(to: name) }
    }
    let other = try #require(try await a.container.devices().first { !$0.isCurrent })
    #expect(other.name == "old desktop")
    try await a.container.removeDevice(other.id)
    #expect(try await a.container.devices().map(\.name) == ["laptop"])
    // The removed machine changes nothing, and keeps its documents.
    try b.write("three", to: "Notes.txt")
    let before = store.keys.filter { $0.string.hasPrefix("log/") }
    for _ in 0..<2 {
      await expect(\CloudDataError.code, .removed) { try await b.container.sync() }
    }
    #expect(store.keys.filter { $0.string.hasPrefix("log/") } == before)
    #expect(b.text("Notes.txt") == "three")
    // It leaves, and comes back as another machine.
    _ = try await b.container.leave(force: true)
    let again = DeviceFixture(
      try await CloudContainer.add(b.url, to: store, address: "memory", deviceName: "new desktop"))
    try await again.sync()
    #expect(try await Set(a.container.devices().map(\.name)) == ["laptop", "new desktop"])
    for id in [
      "none", other.id, try #require(try await a.container.devices().first(where: \.isCurrent)).id,
    ] {
      await #expect(throws: FilePackageError.self) { try await a.container.removeDevice(id) }
    }
  }

  @Test func `have names that every machine can read`() async throws {
    let store = MemoryStore()
    let long = String(repeating: "n", count: 201)
    await #expect(throws: FilePackageError.self) { try await DeviceFixture(long, store) }
    #expect(store.keys.filter { $0.string.hasPrefix("log/") }.isEmpty)
    let a = try await DeviceFixture("a", store)
    try await a.sync()
    // An earlier version of the library took such a name.
    let folder = a.container.session.folder
    var settings = try folder.settings()
    settings.deviceName = String(repeating: "n", count: 256)
    try await folder.replace(settings)
    let named = DeviceFixture(try await CloudContainer.open(a.url, in: store))
    try named.write("one", to: "Notes.txt")
    let failure = try #require(try await named.container.sync().failures.first)
    let error = try #require(failure.error as? CloudDataError)
    #expect(failure.name == "Notes.txt" && error.code == .refused && error.isUpload)
    #expect(try await DeviceFixture("b", store).sync().discovered == 0)
  }

  @Test func `change nothing in the container and lose no document after their removal`() async throws {
    let (store, a, b) = try await DeviceFixture.two()
    for name in ["here.txt", "edited.txt", "cloud.txt", "deleted.txt"] { try a.write("one", to: name) }
    try await sync(a, b)
    try await b.container.download(itemsNamed: ["here.txt", "edited.txt"])
    try await a.container.delete(itemNamed: "deleted.txt")
    try await b.sync()
    let deleted = try #require(try await b.container.deletedItems().first).document
    try b.write("two", to: "edited.txt")
    let other = try #require(try await a.container.devices().first { !$0.isCurrent })
    try await a.container.removeDevice(other.id)
    let backup = store.keys
    let c = b.container
    let operations: [(String, () async throws -> Void)] = [
      ("sync", { _ = try await c.sync() }), ("plan", { _ = try await c.plan() }),
      ("delete", { try await c.delete(itemNamed: "here.txt") }),
      ("delete an edit", { try await c.delete(itemNamed: "edited.txt") }),
      ("delete a placeholder", { try await c.delete(itemNamed: "cloud.txt") }),
      ("evict", { try await c.evict(itemNamed: "here.txt") }),
      ("evict an edit", { try await c.evict(itemNamed: "edited.txt") }),
      ("restore", { _ = try await c.restore(deleted) }),
      ("restore a version", { try await c.restore(itemNamed: "edited.txt", version: 1) }),
      ("repair", { _ = try await c.repair() }),
      ("collect", { _ = try await c.collectGarbage(isDryRun: false) }),
      ("download an edit", { try await c.download(itemNamed: "edited.txt") }),
    ]
    for (name, operation) in operations {
      let error = await #expect(throws: CloudDataError.self, "\(name)") { try await operation() }
      #expect(error?.code == .removed, "\(name)")
      #expect(store.keys == backup, "\(name)")
      #expect(b.text("here.txt") == "one" && b.text("edited.txt") == "two", "\(name)")
    }
  }

  @Test func `see a rename as a rename`() async throws {
    let (a, b) = try await DeviceFixture.two(MemoryStore())
    for name in ["1.txt", "2.txt"] { try a.write("text of \(name)", to: name) }
    try await a.share("1.txt", with: b)
    for name in ["1", "2"] { try a.rename("\(name).txt", to: "new \(name).txt") }
    let lines = try await a.sync().documents.map { "\($0)" }.sorted()
    #expect(lines == ["renamed, uploaded new 1.txt (was 1.txt)", "renamed, uploaded new 2.txt (was 2.txt)"])
    // One document is here on the other machine, and one is a placeholder.
    let there = try await b.sync().documents.map { "\($0)" }.sorted()
    #expect(there == ["renamed new 1.txt (was 1.txt)", "renamed new 2.txt (was 2.txt)"])
  }

  @Test func `name the document in an error, and the direction`() async throws {
    let (store, a) = try await DeviceFixture.one()
    try await a.makePackage("Trip.imageNotes", ["Low.txt": "one", "low.txt": "two"])
    let failed = try #require(try await a.container.sync().failures.first)
    #expect(
      failed.error.map { "\($0)" }
        == "The child 'low.txt' of 'Trip.imageNotes' cannot go to the container: 'Low.txt' differs only in case or "
        + "encoding. Rename or remove it here.")
    // Larger than a document that its version contains.
    try await a.makePackage("Hut.imageNotes", ["1.txt": String(repeating: "one", count: 5_000)])
    _ = try await a.container.sync()
    let b = try await DeviceFixture("b", store)
    _ = try await b.container.sync()
    for key in store.keys where key.string.hasPrefix("blobs/") { try await store.delete(key) }
    await expect(\CloudDataError.document, "Hut.imageNotes") {
      try await b.container.download(itemNamed: "Hut.imageNotes")
    }
  }
}
