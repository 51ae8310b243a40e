import CloudContainers
import DurableIO
import FilePackages
import Foundation
import ObjectStores
import SystemPackage
import TestSupport
import Testing

@Suite("Two machines and a container")
struct ContainerSyncTests {
  private func withTwo(_ body: (DeviceFixture, DeviceFixture, MemoryStore) async throws -> Void) async throws
  {
    try await withTemporaryDirectory { directory in
      let store = MemoryStore()
      let (a, b) = (
        try await DeviceFixture("a", in: directory, store), try await DeviceFixture("b", in: directory, store)
      )
      try await body(a, b, store)
    }
  }

  @Test func `a flat file goes from one to the other, and its edits go back`() async throws {
    try await withTwo { a, b, _ in
      try a.write("one", to: "Notes.txt")
      try await a.sync()
      #expect(try await b.sync().discovered == 1)
      #expect(b.text("Notes.txt") == nil, "it is a placeholder")
      try await b.container.download(itemNamed: "Notes.txt")
      #expect(b.text("Notes.txt") == "one")
      try b.write("two", to: "Notes.txt")
      try await b.sync()
      try await a.sync()
      #expect(a.text("Notes.txt") == "two")
    }
  }

  @Test func `a package goes from one to the other, and its edits go back`() async throws {
    try await withTwo { a, b, _ in
      try await a.makePackage("Trip.imageNotes", ["Text.txt": "one", "Images/1.png": "png"])
      try await a.sync()
      try await b.sync()
      try await b.container.download(itemNamed: "Trip.imageNotes")
      #expect(b.text("Trip.imageNotes/Text.txt") == "one")
      #expect(b.text("Trip.imageNotes/Images/1.png") == "png")
      try await b.edit("Trip.imageNotes", ["Text.txt": "two", "Images/1.png": nil, "Images/2.png": "new"])
      #expect(try await b.sync().documents.map(\.uploaded) == [true])
      #expect(try await a.sync().documents.map(\.downloaded) == [true])
      #expect(a.text("Trip.imageNotes/Text.txt") == "two")
      #expect(a.text("Trip.imageNotes/Images/1.png") == nil)
      #expect(a.text("Trip.imageNotes/Images/2.png") == "new")
      // Nothing goes to and fro.
      for device in [a, b, a, b] { #expect(try await device.sync().documents.isEmpty) }
    }
  }

  @Test func `changes of different children merge`() async throws {
    try await withTwo { a, b, _ in
      try await a.makePackage("Trip.imageNotes", ["1.txt": "one", "2.txt": "two", "3.txt": "three"])
      try await a.sync()
      try await b.sync()
      try await b.container.download(itemNamed: "Trip.imageNotes")
      try await a.edit("Trip.imageNotes", ["1.txt": "ONE", "3.txt": nil])
      try await b.edit("Trip.imageNotes", ["2.txt": "TWO", "4.txt": "four"])
      try await a.sync()
      #expect(try await b.sync().documents.map(\.merged) == [true])
      try await a.sync()
      for device in [a, b] {
        #expect(device.text("Trip.imageNotes/1.txt") == "ONE")
        #expect(device.text("Trip.imageNotes/2.txt") == "TWO")
        #expect(device.text("Trip.imageNotes/3.txt") == nil)
        #expect(device.text("Trip.imageNotes/4.txt") == "four")
      }
      for device in [a, b] { #expect(try await device.sync().documents.isEmpty) }
    }
  }

  @Test func `a flat file that both changed is two documents on both`() async throws {
    try await withTwo { a, b, _ in
      try a.write("one", to: "Notes.txt")
      try await a.sync()
      try await b.sync()
      try await b.container.download(itemNamed: "Notes.txt")
      try a.write("from a", to: "Notes.txt")
      try b.write("from b", to: "Notes.txt")
      try await a.sync()
      try await b.sync()
      try await a.sync()
      try await a.container.download(itemNamed: "Notes 2.txt")
      for device in [a, b] {
        #expect(device.text("Notes.txt") == "from a")
        #expect(device.text("Notes 2.txt") == "from b")
      }
    }
  }

  @Test func `a deletion reaches the other, and an edit outlives it`() async throws {
    try await withTwo { a, b, _ in
      for name in ["1.txt", "2.txt"] { try a.write(name, to: name) }
      try await a.sync()
      try await b.sync()
      for name in ["1.txt", "2.txt"] { try await b.container.download(itemNamed: name) }
      try a.remove("1.txt")
      try a.remove("2.txt")
      try b.write("edited", to: "2.txt")
      try await a.sync()
      try await b.sync()
      #expect(b.text("1.txt") == nil)
      #expect(b.text("2.txt") == "edited")
      try await a.sync()
      try await a.container.download(itemNamed: "2.txt")
      #expect(a.text("2.txt") == "edited")
    }
  }

  @Test func `a document keeps its identity under another name`() async throws {
    try await withTwo { a, b, store in
      try a.write("one", to: "Old.txt")
      try await a.sync()
      try await b.sync()
      try await b.container.download(itemNamed: "Old.txt")
      try a.rename("Old.txt", to: "New.txt")
      try await a.sync()
      try await b.sync()
      #expect(b.text("Old.txt") == nil)
      #expect(b.text("New.txt") == "one")
      #expect(Set(store.keys.filter { $0.string.hasPrefix("documents/") }.map { $0.segments[1] }).count == 1)
    }
  }

  @Test func `documents that both made under one name get two names, the same on both`() async throws {
    try await withTwo { a, b, _ in
      try a.write("from a", to: "Notes.txt")
      try b.write("from b", to: "Notes.txt")
      try await a.sync()
      try await b.sync()
      try await a.sync()
      try await a.container.download(itemNamed: "Notes 2.txt")
      #expect(a.text("Notes.txt") == b.text("Notes.txt"))
      #expect(a.text("Notes 2.txt") == b.text("Notes 2.txt"))
      #expect(Set([a.text("Notes.txt"), a.text("Notes 2.txt")]) == ["from a", "from b"])
    }
  }

  @Test func `a look that finds nothing new is one request`() async throws {
    try await withTwo { a, b, store in
      try a.write("one", to: "Notes.txt")
      try await a.sync()
      try await b.sync()
      let before = store.callCount
      try await a.sync()
      #expect(store.callCount == before + 1)
    }
  }
}
