import Documents
import Foundation
import ObjectStores
import StoreTestSupport
import TestSupport
import Testing

import CloudContainers

@Suite("Documents that a machine always has", .temporaryDirectory)
struct KeptHereTests {
  @Test func `come with the next run, and new ones as well`() async throws {
    let (store, a, b) = try await DeviceFixture.two()
    for name in ["a.txt", "b.md", "Travel/c.txt"] { try a.write("text", to: name) }
    try await a.sync()
    #expect(try b.container.keptPatterns.isEmpty)
    try await b.sync()
    #expect(try await b.container.items().allSatisfy { $0.downloadingStatus == .notDownloaded })
    try await b.container.keepHere(["Travel/", "*.md"])
    #expect(try await b.container.plan().documents.map(\.events) == [["downloaded"], ["downloaded"]])
    try await b.sync()
    #expect(b.text("Travel/c.txt") == "text" && b.text("b.md") == "text" && b.text("a.txt") == nil)
    try await b.container.keepHere(["*"])
    try a.write("new", to: "new.txt")
    try await sync(a, b)
    #expect(b.text("new.txt") == "new" && b.text("a.txt") == "text")
    let opened = try await CloudContainer.open(b.url, in: store)
    #expect(try opened.keptPatterns == ["*"], "the setting lasts")
  }

  @Test func `stay when a program that opened the folder before renames the machine`() async throws {
    let (store, a) = try await DeviceFixture.one()
    try await CloudContainer.open(a.url, in: store).keepHere(["*.txt"])
    try await a.container.renameDevice(to: "b")
    #expect(try a.container.keptPatterns == ["*.txt"])
  }

  @Test func `are not evicted until the setting changes`() async throws {
    let a = try await DeviceFixture("a", MemoryStore())
    try await a.upload("text", to: "a.txt")
    try await a.container.keepHere(["a.*"])
    let error = await #expect(throws: FilePackageError.self) {
      try await a.container.evict(itemNamed: "a.txt")
    }
    #expect(error?.code == .unsupported && a.text("a.txt") == "text")
    await #expect(throws: FilePackageError.self) { try await a.container.keepHere(["a\nb"]) }
    try await a.container.keepHere([])
    try await a.container.evict(itemNamed: "a.txt")
    #expect(try await a.sync().documents.isEmpty && a.text("a.txt") == nil)
  }
}
