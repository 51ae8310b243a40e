import CloudContainers
import Documents
import DurableIO
import Foundation
import ObjectStores
import StoreTestSupport
import SystemPackage
import TestSupport
import Testing

@Suite("A document that two machines changed", .temporaryDirectory)
struct ContainerMergeTests {
  @Test func `changes of different children merge`() async throws {
    let (a, b) = try await DeviceFixture.two(MemoryStore())
    try await a.share("Trip.imageNotes", ["1.txt": "one", "2.txt": "two", "3.txt": "three"], with: b)
    try await a.edit("Trip.imageNotes", ["1.txt": "ONE", "3.txt": nil])
    try await b.edit("Trip.imageNotes", ["2.txt": "TWO", "4.txt": "four"])
    try await a.sync()
    #expect(try await b.sync().documents.map(\.merged) == [true])
    try await a.sync()
    expectTexts(
      [
        "Trip.imageNotes/1.txt": "ONE", "Trip.imageNotes/2.txt": "TWO", "Trip.imageNotes/3.txt": nil,
        "Trip.imageNotes/4.txt": "four",
      ], on: a, b)
    for device in [a, b] { #expect(try await device.sync().documents.isEmpty) }
  }

  @Test(arguments: [true, false])
  func `a child that one removed and the other one changed stays on both, and is named`(
    removesFirst: Bool
  ) async throws {
    let (a, b) = try await DeviceFixture.two(MemoryStore())
    let children = ["1.txt": "one", "run": "run", "both": "both", "Text.txt": "one\ntwo\nthree\n"]
    try await a.share("Trip.imageNotes", children, with: b)
    let (remover, editor) = removesFirst ? (a, b) : (b, a)
    try await remover.edit("Trip.imageNotes", ["1.txt": nil])
    try await editor.edit("Trip.imageNotes", ["1.txt": "ONE"])
    // One changes the mode, the other one the bytes. Both change other permissions, and other lines.
    func chmod(_ mode: Int, _ name: String, on device: DeviceFixture) throws {
      try FileManager.default.setAttributes(
        [.posixPermissions: mode], ofItemAtPath: device.url.appending(path: "Trip.imageNotes/\(name)").path)
    }
    try await remover.edit("Trip.imageNotes", ["Text.txt": "ONE\ntwo\nthree\n"])
    try await editor.edit("Trip.imageNotes", ["run": "RUN", "Text.txt": "one\ntwo\nTHREE\n"])
    for name in ["run", "Text.txt"] { try chmod(0o755, name, on: remover) }
    try chmod(0o600, "both", on: remover)
    try chmod(0o755, "both", on: editor)
    try await a.sync()
    #expect(try await b.sync().documents.map(\.kept) == [["1.txt"]])
    try await a.sync()
    for device in [a, b] {
      #expect(device.text("Trip.imageNotes/1.txt") == "ONE" && device.text("Trip.imageNotes/run") == "RUN")
      #expect(device.text("Trip.imageNotes/Text.txt") == "ONE\ntwo\nTHREE\n")
      for (name, mode) in [("run", 0o755), ("Text.txt", 0o755), ("both", 0o711)] {
        let attributes = try FileManager.default.attributesOfItem(
          atPath: device.url.appending(path: "Trip.imageNotes/\(name)").path)
        #expect(attributes[.posixPermissions] as? Int == mode, "\(name)")
      }
      #expect(try await device.sync().documents.isEmpty)
    }
  }

  @Test func `a mode of a folder that one changed comes to the other, and stays`() async throws {
    let (a, b) = try await DeviceFixture.two(MemoryStore())
    try await a.share("Trip.imageNotes", ["Images/1.txt": "one"], with: b)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o700], ofItemAtPath: a.url.appending(path: "Trip.imageNotes/Images").path)
    try await sync(a, b, a)
    for device in [a, b] {
      let attributes = try FileManager.default.attributesOfItem(
        atPath: device.url.appending(path: "Trip.imageNotes/Images").path)
      #expect(attributes[.posixPermissions] as? Int == 0o700)
    }
  }

  @Test func `a child that both changed is a conflict version on both, until one resolves it`() async throws {
    let (a, b) = try await DeviceFixture.two(MemoryStore())
    try await a.share("Trip.imageNotes", ["1.txt": "one", "Folder/2.txt": "two"], with: b)
    try await a.edit("Trip.imageNotes", ["Folder/2.txt": "from a"])
    try await b.edit("Trip.imageNotes", ["Folder/2.txt": "from b", "1.txt": "ONE"])
    let before = Date()
    try await a.sync()
    #expect(try await b.sync().documents.map(\.conflict) == [true])
    // The version names the device that made it, on that device too.
    let shown = try await PackageStore.open(at: b.url.appending(path: "Trip.imageNotes")).conflictVersions()
    #expect(
      shown.map(\.savingComputer) == ["b"] && shown.map(\.origin) == [.synchronization(by: "docpkg cloud")])
    #expect(shown.allSatisfy { $0.modificationDate.map { $0 > before.addingTimeInterval(-2) } == true })
    #expect(shown.first?.description.contains("  b  left by docpkg cloud, some children  ") == true)
    try await a.sync()
    for device in [a, b] {
      #expect(device.text("Trip.imageNotes/Folder/2.txt") == "from a")
      #expect(try await device.container.items().map(\.hasUnresolvedConflicts) == [true])
      let url = device.url.appending(path: "Trip.imageNotes")
      let versions = try #require(await FileVersion.unresolvedConflictVersionsOfItem(at: url))
      #expect(versions.map(\.differences) == [["1.txt", "Folder/2.txt"]])
      let tree = try await versions[0].contents().tree
      #expect(try tree.descendant(at: "Folder/2.txt")?.contents() == Data("from b".utf8))
      #expect(try await device.sync().documents.isEmpty)
    }
    let url = a.url.appending(path: "Trip.imageNotes")
    let store = try await PackageStore.open(at: url)
    let version = try #require(await store.conflictVersions().first)
    try await store.resolveConflicts(store.conflictVersions(), keeping: version.id)
    try await store.close()
    try await sync(a, b)
    for device in [a, b] {
      #expect(device.text("Trip.imageNotes/Folder/2.txt") == "from b")
      #expect(try await device.container.items().map(\.hasUnresolvedConflicts) == [false])
      let url = device.url.appending(path: "Trip.imageNotes")
      #expect(try await FileVersion.unresolvedConflictVersionsOfItem(at: url)?.isEmpty == true)
      #expect(try await device.sync().documents.isEmpty)
    }
  }

  @Test func `a deletion takes no conflict along that its user did not see`() async throws {
    let (a, b) = try await DeviceFixture.two(MemoryStore())
    try await a.share("Trip.imageNotes", ["1.txt": "one"], with: b)
    try await a.edit("Trip.imageNotes", ["1.txt": "from a"])
    try await b.edit("Trip.imageNotes", ["1.txt": "from b"])
    try await sync(a, b)
    // a has not seen the conflict yet.
    try a.remove("Trip.imageNotes")
    try await a.sync()
    let url = a.url.appending(path: "Trip.imageNotes")
    #expect(try await FileVersion.unresolvedConflictVersionsOfItem(at: url)?.count == 1)
    // Now it has, and the deletion counts; restoring brings the conflict back as well.
    try a.remove("Trip.imageNotes")
    try await sync(a, b)
    #expect(b.text("Trip.imageNotes/1.txt") == nil)
    try await b.container.restore(try #require(await b.container.deletedItems().first).document)
    try await b.container.download(itemNamed: "Trip.imageNotes")
    let restored = b.url.appending(path: "Trip.imageNotes")
    #expect(try await FileVersion.unresolvedConflictVersionsOfItem(at: restored)?.count == 1)
  }

  @Test func `a deletion that loses against an edit takes no conflict along`() async throws {
    let (a, b) = try await DeviceFixture.two(MemoryStore())
    try await a.share("Trip.imageNotes", ["1.txt": "one", "2.txt": "two"], with: b)
    try await a.edit("Trip.imageNotes", ["1.txt": "from a"])
    try await b.edit("Trip.imageNotes", ["1.txt": "from b"])
    try await sync(a, b, a)
    try a.remove("Trip.imageNotes")
    try await b.edit("Trip.imageNotes", ["2.txt": "TWO"])
    try await sync(b, a, b)
    for device in [a, b] {
      let url = device.url.appending(path: "Trip.imageNotes")
      #expect(try await FileVersion.unresolvedConflictVersionsOfItem(at: url)?.count == 1)
    }
  }

  @Test func `a flat file that both changed is two documents on both`() async throws {
    let (a, b) = try await DeviceFixture.two(MemoryStore())
    try await a.share("one", as: "Notes.txt", with: b)
    try a.write("from a", to: "Notes.txt")
    try b.write("from b", to: "Notes.txt")
    try await a.sync()
    try await b.share("Notes 2.txt", with: a)
    expectTexts(["Notes.txt": "from a", "Notes 2.txt": "from b"], on: a, b)
  }

  @Test func `texts of which both changed other lines merge, in packages and flat files`() async throws {
    let (a, b) = try await DeviceFixture.two(MemoryStore())
    let base = "one\ntwo\nthree\n"
    try await a.makePackage("Trip.imageNotes", ["Text.txt": base, "Data.json": base, "Same.txt": base])
    try a.write(base, to: "Notes.txt")
    try await sync(a, b)
    for name in ["Trip.imageNotes", "Notes.txt"] { try await b.container.download(itemNamed: name) }
    let (first, last) = ("ONE\ntwo\nthree\n", "one\ntwo\nTHREE\n")
    try await a.edit("Trip.imageNotes", ["Text.txt": first])
    try a.write(first, to: "Notes.txt")
    try await b.edit("Trip.imageNotes", ["Text.txt": last])
    try b.write(last, to: "Notes.txt")
    try await a.sync()
    #expect(try await b.sync().documents.map(\.merged) == [true, true])
    try await a.sync()
    let merged = "ONE\ntwo\nTHREE\n"
    expectTexts(["Trip.imageNotes/Text.txt": merged, "Notes.txt": merged], on: a, b)
    for device in [a, b] { #expect(try await device.sync().documents.isEmpty) }
    // A structured file, and lines that both changed, are conflicts.
    try await a.edit("Trip.imageNotes", ["Data.json": first, "Same.txt": first])
    try await b.edit("Trip.imageNotes", ["Data.json": last, "Same.txt": "one of b\ntwo\nthree\n"])
    try await a.sync()
    #expect(try await b.sync().documents.map(\.conflict) == [true])
    let url = b.url.appending(path: "Trip.imageNotes")
    let versions = try #require(await FileVersion.unresolvedConflictVersionsOfItem(at: url))
    #expect(versions.map(\.differences) == [["Data.json", "Same.txt"]])
  }

  @Test func `a deletion in the container takes no edit along that its user did not see`() async throws {
    let (a, b) = try await DeviceFixture.two(MemoryStore())
    try await a.makePackage("Trip.imageNotes", ["1.txt": "one", "2.txt": "two"])
    try a.write("notes", to: "Notes.txt")
    try await a.share("Trip.imageNotes", with: b)
    try await a.edit("Trip.imageNotes", ["1.txt": "ONE"])
    try await a.upload("more notes", to: "Notes.txt")
    try await b.edit("Trip.imageNotes", ["2.txt": "TWO"])
    for name in ["Notes.txt", "Trip.imageNotes"] {
      await expect(\FilePackageError.code, .changedOnDisk) { try await b.container.delete(itemNamed: name) }
    }
    try await a.sync()
    expectTexts(["Trip.imageNotes/1.txt": "ONE", "Trip.imageNotes/2.txt": "TWO"], on: a, b)
    #expect(a.text("Notes.txt") == "more notes")
    // Now the user has seen both.
    for name in ["Trip.imageNotes", "Notes.txt"] { try await b.container.delete(itemNamed: name) }
    try await a.sync()
    #expect(try await a.container.items().isEmpty)
  }

  @Test func `a deletion reaches the other, and an edit outlives it`() async throws {
    let (a, b) = try await DeviceFixture.two(MemoryStore())
    for name in ["1.txt", "2.txt"] { try a.write(name, to: name) }
    try await sync(a, b)
    for name in ["1.txt", "2.txt"] { try await b.container.download(itemNamed: name) }
    try a.remove("1.txt")
    try a.remove("2.txt")
    try b.write("edited", to: "2.txt")
    try await sync(a, b)
    #expect(b.text("1.txt") == nil)
    #expect(b.text("2.txt") == "edited")
    try await a.receive("2.txt")
    #expect(a.text("2.txt") == "edited")
  }
}
