import Documents
import Foundation
import ObjectStores
import StoreTestSupport
import SystemPackage
import TestSupport
import Testing

import CloudContainers

@Suite("Earlier versions of a document", .temporaryDirectory)
struct EarlierVersionTests {
  private func makeOne() async throws -> (DeviceFixture, MemoryStore) {
    let store = MemoryStore()
    return (try await DeviceFixture("laptop", store), store)
  }

  /// Saves and uploads one text after the other.
  private func write(_ texts: [String], to name: String, on device: DeviceFixture) async throws {
    for text in texts {
      try await device.upload(text, to: name)
    }
  }

  @Test func `are listed, and one comes back as the next version on all machines`() async throws {
    let (a, store) = try await makeOne()
    try await write(["one", "two, longer"], to: "Notes.txt", on: a)
    let listed = try await a.container.versions(ofItemNamed: "Notes.txt")
    #expect(listed.map(\.sequence) == [2, 1])
    #expect(listed.map(\.size) == [11, 3] && listed.map(\.deviceName) == ["laptop", "laptop"])
    let keys = store.keys.filter { $0.string.hasPrefix("log/") }
    var before: [Data?] = []
    for key in keys { before.append(try await store.get(key)) }
    try await a.container.restore(itemNamed: "Notes.txt", version: 1)
    #expect(a.text("Notes.txt") == "one")
    for (key, bytes) in zip(keys, before) { #expect(try await store.get(key) == bytes) }
    #expect(try await a.container.versions(ofItemNamed: "Notes.txt").map(\.size) == [3, 11, 3])
    #expect(try await a.sync().documents.isEmpty)
    let b = try await DeviceFixture("desktop", store)
    try await b.receive("Notes.txt")
    #expect(b.text("Notes.txt") == "one")
    // The same version once more is no change.
    try await a.container.restore(itemNamed: "Notes.txt", version: 1)
    #expect(try await a.container.versions(ofItemNamed: "Notes.txt").count == 3)
  }

  @Test func `take no edit along that is not uploaded`() async throws {
    let (a, _) = try await makeOne()
    try await a.uploadPackage("Trip.imageNotes", ["Text.txt": "one", "Images/1.png": "png"])
    try await a.edit("Trip.imageNotes", ["Text.txt": "two", "Images/1.png": nil])
    try await a.container.restore(itemNamed: "Trip.imageNotes", version: 1)
    #expect(a.text("Trip.imageNotes/Text.txt") == "one" && a.text("Trip.imageNotes/Images/1.png") == "png")
    #expect(try await a.container.versions(ofItemNamed: "Trip.imageNotes").map(\.sequence) == [3, 2, 1])
    try await a.container.restore(itemNamed: "Trip.imageNotes", version: 2)
    #expect(a.text("Trip.imageNotes/Text.txt") == "two" && a.text("Trip.imageNotes/Images/1.png") == nil)
  }

  @Test func `of a deleted document bring it back as a placeholder`() async throws {
    let (a, _) = try await makeOne()
    try await write(["one", "two"], to: "Notes.txt", on: a)
    try await a.container.delete(itemNamed: "Notes.txt")
    #expect(
      try await a.container.versions(ofItemNamed: "Notes.txt").map(\.isDeleted) == [true, false, false])
    try await a.upload("another", to: "Notes.txt")
    // The name has another document now.
    #expect(try await a.container.versions(ofItemNamed: "Notes.txt").count == 1)
    try await a.container.evict(itemNamed: "Notes.txt")
    try await a.container.delete(itemNamed: "Notes.txt")
    try await a.container.restore(itemNamed: "Notes.txt", version: 1)
    #expect(a.text("Notes.txt") == nil, "it is a placeholder")
    try await a.container.download(itemNamed: "Notes.txt")
    #expect(a.text("Notes.txt") == "another")
  }

  @Test func `are listed without the store, and a number that none has is told`() async throws {
    let (a, store) = try await makeOne()
    try await write(["one", "two", "three"], to: "Notes.txt", on: a)
    let backup = store.backUp()
    for key in store.keys { try await store.delete(key) }
    #expect(try await a.container.versions(ofItemNamed: "Notes.txt").map(\.sequence) == [3, 2, 1])
    store.restore(backup)
    for number in [0, -1, 4, Int.max] {
      await expect(\FilePackageError.code, .noSuchFile) {
        try await a.container.restore(itemNamed: "Notes.txt", version: number)
      }
    }
    #expect(a.text("Notes.txt") == "three")
  }

  @Test func `whose content the store lost are told, and change nothing`() async throws {
    let (a, store) = try await makeOne()
    let texts = ["one", "two"].map { String(repeating: $0, count: 3_000) }
    try await write(texts, to: "Notes.txt", on: a)
    for key in store.keys where key.string.hasPrefix("blobs/") { try await store.delete(key) }
    await #expect(throws: CloudDataError.self) {
      try await a.container.restore(itemNamed: "Notes.txt", version: 1)
    }
    #expect(a.text("Notes.txt") == texts[1])
    #expect(try await a.container.versions(ofItemNamed: "Notes.txt").map(\.sequence) == [2, 1])
  }
}
