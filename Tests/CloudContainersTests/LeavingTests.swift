import FilePackages
import Foundation
import ObjectStores
import StoreTestSupport
import TestSupport
import Testing

import CloudContainers

@Suite("A folder that leaves its container", .temporaryDirectory)
struct LeavingTests {
  @Test func `has its documents and none of the container's files, and can join again`() async throws {
    let store = MeteredStore()
    let a = try await DeviceFixture("a", store)
    try a.write("one", to: "Travel/Here.txt")
    try await a.upload("two", to: "There.txt")
    try await a.container.evict(itemNamed: "There.txt")
    let calls = store.callCount
    let report = try await a.container.leave()
    #expect(report.documents == 1 && report.placeholders == ["There.txt"] && report.notUploaded.isEmpty)
    #expect(store.callCount == calls)
    #expect(try FileManager.default.contentsOfDirectory(atPath: a.url.path) == ["Travel"])
    #expect(a.text("Travel/Here.txt") == "one")
    let again = try await DeviceFixture("a", store)
    try await again.sync()
    #expect(try await again.container.names() == ["There.txt", "Travel/Here.txt"])
  }

  @Test func `stays while the container lacks a change, unless it is forced`() async throws {
    let a = try await DeviceFixture("a", MemoryStore())
    try await a.upload("one", to: "Notes.txt")
    try a.write("two", to: "Notes.txt")
    try a.write("new", to: "New.txt")
    let error = await #expect(throws: FilePackageError.self) { try await a.container.leave() }
    #expect(error?.code == .unsavedEdits)
    let words = error.map { "\($0)" } ?? ""
    #expect(words.contains("New.txt") && words.contains("1 other document"), "\(words)")
    #expect(try await a.sync().documents.count == 2, "it is in the container")
    try a.write("three", to: "Notes.txt")
    #expect(try await a.container.leave(force: true).notUploaded == ["Notes.txt"])
    #expect(a.text("Notes.txt") == "three")
    #expect(throws: FilePackageError.self) { try CloudContainer.settings(of: a.url) }
  }
}
