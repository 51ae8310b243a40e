import CloudContainers
import Foundation
import ObjectStores
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("The collection of garbage")
struct GarbageCollectionTests {
  @Test func `removes old versions and their blobs after thirty days, and nothing before`() async throws {
    try await withTemporaryDirectory { directory in
      let clock = ModelClock()
      let store = MemoryStore(now: { clock.now })
      let path = directory.appending("a")
      try FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: true)
      let container = try await CloudContainer.add(
        ContainerFolder(path), to: store, address: "memory", deviceName: "a", now: { clock.now })
      let file = container.url.appending(path: "Notes.txt")
      for text in ["one", "two", "three"] {
        try Data(text.utf8).write(to: file)
        try await container.sync()
        clock.advance(3_600)
      }
      clock.advance(29 * 86_400)
      #expect(try await container.collectGarbage(isDryRun: false).blobs == 0)
      clock.advance(2 * 86_400)
      let planned = try await container.collectGarbage(isDryRun: true)
      #expect(planned.versions == 2 && planned.blobs == 4, "two contents and two pages")
      #expect(try await container.collectGarbage(isDryRun: false) == planned)
      #expect(try await container.collectGarbage(isDryRun: false).blobs == 0)
      #expect(try await container.check(reads: true).isWhole)
      // The next upload stores anew what went.
      try Data("one".utf8).write(to: file)
      try await container.sync()
      let report = try await container.check(reads: true)
      #expect(report.isWhole && report.versions == 2, "\(report)")
    }
  }

  @Test func `keeps a deleted document for thirty days`() async throws {
    try await withTemporaryDirectory { directory in
      let clock = ModelClock()
      let store = MemoryStore(now: { clock.now })
      let path = directory.appending("a")
      try FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: true)
      let container = try await CloudContainer.add(
        ContainerFolder(path), to: store, address: "memory", deviceName: "a", now: { clock.now })
      let file = container.url.appending(path: "Notes.txt")
      try Data("one".utf8).write(to: file)
      try await container.sync()
      try await container.delete(itemNamed: "Notes.txt")
      clock.advance(29 * 86_400)
      _ = try await container.collectGarbage(isDryRun: false)
      let deleted = try #require(await container.deletedItems().first)
      try await container.restore(deleted.document)
      try await container.download(itemNamed: "Notes.txt")
      #expect(try String(contentsOf: file, encoding: .utf8) == "one")
    }
  }

  @Test func `a check names an object that is missing and one that is damaged`() async throws {
    try await withTemporaryDirectory { directory in
      let store = MemoryStore()
      let a = try await DeviceFixture("a", in: directory, store)
      try a.write("one", to: "Notes.txt")
      try await a.sync()
      #expect(try await a.container.check(reads: true).isWhole)
      let content = BlobName(of: Data("one".utf8)).key
      try await store.put(Data("eno".utf8), at: content)
      #expect(try await a.container.check().isWhole)
      #expect(try await a.container.check(reads: true).problems.count == 1)
      try await store.delete(content)
      #expect(try await a.container.check().problems.count == 1)
    }
  }
}
