import CloudContainers
import Documents
import DurableIO
import FilePackages
import Foundation
import ObjectStores
import SystemPackage
import TestSupport
import Testing

@Suite("Two machines and a container")
struct ContainerSyncTests {
  @Test func `a flat file goes from one to the other, and its edits go back`() async throws {
    try await DeviceFixture.withTwo { a, b, _ in
      try a.write("one", to: "Notes.txt")
      // A report prints as it is.
      #expect("\(try await a.sync())" == "uploaded Notes.txt")
      #expect("\(try await a.sync())" == "nothing to do")
      let discovery = try await b.sync()
      #expect(discovery.discovered == 1 && "\(discovery)" == "1 document new in the container")
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
    try await DeviceFixture.withTwo { a, b, _ in
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
    try await DeviceFixture.withTwo { a, b, _ in
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

  @Test(arguments: [true, false])
  func `a child that one removed and the other one changed stays on both, and is named`(
    removesFirst: Bool
  ) async throws {
    try await DeviceFixture.withTwo { a, b, _ in
      try await a.makePackage("Trip.imageNotes", ["1.txt": "one", "run": "run"])
      try await a.sync()
      try await b.sync()
      try await b.container.download(itemNamed: "Trip.imageNotes")
      let (remover, editor) = removesFirst ? (a, b) : (b, a)
      try await remover.edit("Trip.imageNotes", ["1.txt": nil])
      try await editor.edit("Trip.imageNotes", ["1.txt": "ONE"])
      // One changes the mode, the other one the bytes.
      let mode = [FileAttributeKey.posixPermissions: 0o755]
      let run = remover.url.appending(path: "Trip.imageNotes/run").path
      try FileManager.default.setAttributes(mode, ofItemAtPath: run)
      try await editor.edit("Trip.imageNotes", ["run": "RUN"])
      try await a.sync()
      #expect(try await b.sync().documents.map(\.kept) == [["1.txt"]])
      try await a.sync()
      for device in [a, b] {
        #expect(device.text("Trip.imageNotes/1.txt") == "ONE" && device.text("Trip.imageNotes/run") == "RUN")
        let attributes = try FileManager.default.attributesOfItem(
          atPath: device.url.appending(path: "Trip.imageNotes/run").path)
        #expect(attributes[.posixPermissions] as? Int == 0o755)
        #expect(try await device.sync().documents.isEmpty)
      }
    }
  }

  @Test func `a child that both changed is a conflict version on both, until one resolves it`() async throws {
    try await DeviceFixture.withTwo { a, b, _ in
      try await a.makePackage("Trip.imageNotes", ["1.txt": "one", "Folder/2.txt": "two"])
      try await a.sync()
      try await b.sync()
      try await b.container.download(itemNamed: "Trip.imageNotes")
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
      try await store.resolveConflicts(keeping: version.id)
      try await store.close()
      try await a.sync()
      try await b.sync()
      for device in [a, b] {
        #expect(device.text("Trip.imageNotes/Folder/2.txt") == "from b")
        #expect(try await device.container.items().map(\.hasUnresolvedConflicts) == [false])
        let url = device.url.appending(path: "Trip.imageNotes")
        #expect(try await FileVersion.unresolvedConflictVersionsOfItem(at: url)?.isEmpty == true)
        #expect(try await device.sync().documents.isEmpty)
      }
    }
  }

  @Test func `a deletion takes no conflict along that its user did not see`() async throws {
    try await DeviceFixture.withTwo { a, b, _ in
      try await a.makePackage("Trip.imageNotes", ["1.txt": "one"])
      try await a.sync()
      try await b.sync()
      try await b.container.download(itemNamed: "Trip.imageNotes")
      try await a.edit("Trip.imageNotes", ["1.txt": "from a"])
      try await b.edit("Trip.imageNotes", ["1.txt": "from b"])
      try await a.sync()
      try await b.sync()
      // a has not seen the conflict yet.
      try a.remove("Trip.imageNotes")
      try await a.sync()
      let url = a.url.appending(path: "Trip.imageNotes")
      #expect(try await FileVersion.unresolvedConflictVersionsOfItem(at: url)?.count == 1)
      // Now it has, and the deletion counts; restoring brings the conflict back as well.
      try a.remove("Trip.imageNotes")
      try await a.sync()
      try await b.sync()
      #expect(b.text("Trip.imageNotes/1.txt") == nil)
      try await b.container.restore(try #require(await b.container.deletedItems().first).document)
      try await b.container.download(itemNamed: "Trip.imageNotes")
      let restored = b.url.appending(path: "Trip.imageNotes")
      #expect(try await FileVersion.unresolvedConflictVersionsOfItem(at: restored)?.count == 1)
    }
  }

  @Test func `a flat file that both changed is two documents on both`() async throws {
    try await DeviceFixture.withTwo { a, b, _ in
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

  @Test func `texts of which both changed other lines merge, in packages and flat files`() async throws {
    try await DeviceFixture.withTwo { a, b, _ in
      let base = "one\ntwo\nthree\n"
      try await a.makePackage("Trip.imageNotes", ["Text.txt": base, "Data.json": base, "Same.txt": base])
      try a.write(base, to: "Notes.txt")
      try await a.sync()
      try await b.sync()
      for name in ["Trip.imageNotes", "Notes.txt"] { try await b.container.download(itemNamed: name) }
      let (first, last) = ("ONE\ntwo\nthree\n", "one\ntwo\nTHREE\n")
      try await a.edit("Trip.imageNotes", ["Text.txt": first])
      try a.write(first, to: "Notes.txt")
      try await b.edit("Trip.imageNotes", ["Text.txt": last])
      try b.write(last, to: "Notes.txt")
      try await a.sync()
      #expect(try await b.sync().documents.map(\.merged) == [true, true])
      try await a.sync()
      for device in [a, b] {
        #expect(device.text("Trip.imageNotes/Text.txt") == "ONE\ntwo\nTHREE\n")
        #expect(device.text("Notes.txt") == "ONE\ntwo\nTHREE\n")
        #expect(try await device.sync().documents.isEmpty)
      }
      // A structured file, and lines that both changed, are conflicts.
      try await a.edit("Trip.imageNotes", ["Data.json": first, "Same.txt": first])
      try await b.edit("Trip.imageNotes", ["Data.json": last, "Same.txt": "one of b\ntwo\nthree\n"])
      try await a.sync()
      #expect(try await b.sync().documents.map(\.conflict) == [true])
      let url = b.url.appending(path: "Trip.imageNotes")
      let versions = try #require(await FileVersion.unresolvedConflictVersionsOfItem(at: url))
      #expect(versions.map(\.differences) == [["Data.json", "Same.txt"]])
    }
  }

  @Test func `a deletion in the container takes no edit along that its user did not see`() async throws {
    try await DeviceFixture.withTwo { a, b, _ in
      try await a.makePackage("Trip.imageNotes", ["1.txt": "one", "2.txt": "two"])
      try a.write("notes", to: "Notes.txt")
      try await a.sync()
      try await b.sync()
      try await b.container.download(itemNamed: "Trip.imageNotes")
      try await a.edit("Trip.imageNotes", ["1.txt": "ONE"])
      try a.write("more notes", to: "Notes.txt")
      try await a.sync()
      try await b.edit("Trip.imageNotes", ["2.txt": "TWO"])
      for name in ["Trip.imageNotes", "Notes.txt"] {
        let error = await #expect(throws: FilePackageError.self) {
          try await b.container.delete(itemNamed: name)
        }
        #expect(error?.code == .changedOnDisk)
      }
      try await a.sync()
      for device in [a, b] {
        #expect(device.text("Trip.imageNotes/1.txt") == "ONE")
        #expect(device.text("Trip.imageNotes/2.txt") == "TWO")
      }
      #expect(a.text("Notes.txt") == "more notes")
      // Now the user has seen both.
      for name in ["Trip.imageNotes", "Notes.txt"] { try await b.container.delete(itemNamed: name) }
      try await a.sync()
      #expect(try await a.container.items().isEmpty)
    }
  }

  @Test func `a version that cannot be read hides its document alone`() async throws {
    try await DeviceFixture.withTwo { a, b, store in
      try await b.sync()
      try a.write("good", to: "Good.txt")
      try a.write("bad", to: "Bad.txt")
      try await a.sync()
      let bad = try #require(await a.container.items().first { $0.name == "Bad.txt" })
      let key = CloudVersion.key(of: bad.id, 1)
      let version = try #require(await store.get(key, range: nil))
      let name = "\"name\":\"Bad.txt\""
      let text = String(decoding: version, as: UTF8.self)
      let hostile = [
        "<html>", "{\"format\":2}", text.replacing(name, with: "\"name\":\"../Bad.txt\""),
        text.replacing(name, with: "\"name\":\".docpkg-cloud/state.sqlite\""),
        text.replacing("\(bad.id)", with: String(repeating: "0a", count: 16)),
        text.replacing("\"sequence\":1", with: "\"sequence\":2"), String(repeating: " ", count: 1 << 20),
      ]
      for (number, bytes) in hostile.enumerated() {
        try await store.put(Data(bytes.utf8), at: key, ifAbsent: false)
        try a.write("good \(number)", to: "Good.txt")
        try await a.sync()
        let report = try await b.container.sync()
        #expect(report.problems.count == 1 && report.failures.isEmpty, "\(bytes.prefix(80))")
        let sentence = report.problems.first.map { "\($0)" } ?? ""
        #expect(sentence.contains(key.string) && !sentence.contains("\n"))
        try await b.container.download(itemNamed: "Good.txt")
        #expect(b.text("Good.txt") == "good \(number)")
        #expect(try await b.container.items().map(\.name) == ["Good.txt"])
      }
      try await store.put(version, at: key, ifAbsent: false)
      #expect(try await b.container.sync(everything: true).problems.isEmpty)
      #expect(try await b.container.items().map(\.name) == ["Bad.txt", "Good.txt"])
    }
  }

  @Test func `a clock that is set forward hides no news of the other machine`() async throws {
    try await withTemporaryDirectory { directory in
      let (clock, ahead) = (ModelClock(), Drift())
      let store = MemoryStore(now: { clock.now })
      func add(_ name: String, _ now: @escaping @Sendable () -> Date) async throws -> CloudContainer {
        let path = directory.appending(name)
        try FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: true)
        return try await CloudContainer.add(
          ContainerFolder(path), to: store, address: "memory", deviceName: name, now: now)
      }
      let a = try await add("a") { clock.now.addingTimeInterval(ahead.seconds) }
      let b = try await add("b") { clock.now }
      for container in [a, b, a] { try await container.sync() }
      // Half an hour, within the hour in which the clocks are not compared again.
      ahead.seconds = 1_800
      try Data("a".utf8).write(to: a.url.appending(path: "a.txt"))
      for _ in 0..<2 { try await a.sync() }
      clock.advance(60)
      try Data("b".utf8).write(to: b.url.appending(path: "b.txt"))
      try await b.sync()
      #expect(try await a.sync().discovered == 1)
    }
  }

  @Test func `a deletion reaches the other, and an edit outlives it`() async throws {
    try await DeviceFixture.withTwo { a, b, _ in
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
    try await DeviceFixture.withTwo { a, b, store in
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
    try await DeviceFixture.withTwo { a, b, _ in
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

  @Test func `a renamed child is not sent again`() async throws {
    try await withTemporaryDirectory { directory in
      let store = CountingStore(MemoryStore())
      // A week later no blob counts as stored lately.
      let later = Date().addingTimeInterval(7 * 86_400)
      let text = String(repeating: "a long text\n", count: 50_000)
      let first = try await DeviceFixture("a", in: directory, store)
      try await first.makePackage("Trip.imageNotes", ["Large.txt": text, "Other.txt": "other"])
      try await first.sync()
      let container = try await CloudContainer.open(ContainerFolder(first.url), store, now: { later })
      try await first.edit("Trip.imageNotes", ["Large.txt": nil, "Renamed.txt": text])
      let before = store.traffic
      #expect(try await container.sync().documents.map(\.uploaded) == [true])
      #expect((store.traffic - before).bytesSent < 20_000, "\(store.traffic - before)")
    }
  }

  @Test func `a document that other machines could not take is not uploaded`() async throws {
    try await DeviceFixture.withTwo { a, b, _ in
      try await a.makePackage("Trip.imageNotes", ["Same.txt": "one", "same.txt": "two"])
      let report = try await a.container.sync()
      let error = try #require(report.failures.first?.error as? CloudDataError)
      #expect(error.code == .refused && error.description.contains("'Same.txt' differs only in case"))
      #expect(try await b.sync().discovered == 0)
      try await a.edit("Trip.imageNotes", ["same.txt": nil])
      try await a.sync()
      #expect(try await b.sync().discovered == 1)
    }
  }

  @Test func `a version that the store commits late is news for the other machine`() async throws {
    try await withTemporaryDirectory { directory in
      let store = MemoryStore()
      let late = LateStore(store)
      let a = try await DeviceFixture("a", in: directory, late)
      let b = try await DeviceFixture("b", in: directory, store)
      try await b.sync()
      try a.write("one", to: "Notes.txt")
      late.delays("documents/")
      await #expect(throws: ObjectStoreError.self) { try await a.container.sync() }
      // The next run finds no version. Its own attempt then meets the late one.
      late.deliversBeforeNextPut()
      try await a.sync()
      #expect(try await b.sync().discovered == 1)
    }
  }

  @Test func `a look that finds nothing new is one request`() async throws {
    try await DeviceFixture.withTwo { a, b, store in
      try a.write("one", to: "Notes.txt")
      try await a.sync()
      try await b.sync()
      let before = store.callCount
      try await a.sync()
      #expect(store.callCount == before + 1)
    }
  }
}

@Suite("The items of a container")
struct ContainerItemTests {
  @Test func `are listed before their content is here, evicted, deleted and restored`() async throws {
    try await withTemporaryDirectory { directory in
      let store = MemoryStore()
      let a = try await DeviceFixture("a", in: directory, store)
      let b = try await DeviceFixture("b", in: directory, store)
      try await a.makePackage("Trip.imageNotes", ["Text.txt": "one"])
      try a.write("notes", to: "Folder/Notes.txt")
      #expect(try await a.container.items().map(\.isUploaded) == [false, false])
      try await a.sync()
      #expect(try await a.container.items().map(\.isUploaded) == [true, true])
      try await b.sync()
      let placeholders = try await b.container.items()
      #expect(placeholders.map(\.name) == ["Folder/Notes.txt", "Trip.imageNotes"])
      #expect(placeholders.map(\.downloadingStatus) == [.notDownloaded, .notDownloaded])
      #expect(placeholders.first?.size == 5)
      try await b.container.startDownloading(itemAt: b.url.appending(path: "Folder/Notes.txt"))
      try await b.sync()
      #expect(b.text("Folder/Notes.txt") == "notes")
      try b.write("changed", to: "Folder/Notes.txt")
      try await b.container.evict(itemNamed: "Folder/Notes.txt")
      #expect(b.text("Folder/Notes.txt") == nil)
      try await a.sync()
      #expect(a.text("Folder/Notes.txt") == "changed", "what is evicted is uploaded before")
      // A placeholder that is not here is no deletion.
      try await b.sync()
      try await a.sync()
      #expect(a.text("Folder/Notes.txt") == "changed")
      try await b.container.delete(itemNamed: "Folder/Notes.txt")
      try await a.sync()
      #expect(a.text("Folder/Notes.txt") == nil)
      let deleted = try await a.container.deletedItems()
      #expect(deleted.map(\.name) == ["Folder/Notes.txt"])
      try await a.container.restore(deleted[0].document)
      try await a.container.download(itemNamed: "Folder/Notes.txt")
      #expect(a.text("Folder/Notes.txt") == "changed")
    }
  }

  @Test func `are not evicted if the container does not have, or cannot take, their last changes`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let gate = GatedStore(MemoryStore())
      let a = try await DeviceFixture("a", in: directory, gate)
      try a.write("one", to: "Notes.txt")
      try await a.makePackage("Trip.imageNotes", ["Text.txt": "one"])
      try await a.sync()
      // Changes that are only here, without a connection.
      try a.write("two", to: "Notes.txt")
      gate.setOffline(true)
      await #expect(throws: ObjectStoreError.self) { try await a.container.evict(itemNamed: "Notes.txt") }
      #expect(a.text("Notes.txt") == "two")
      #expect(try await a.container.items().first?.isUploaded == false)
      gate.setOffline(false)
      // A change that no other machine could take.
      try a.write("twin", to: "Trip.imageNotes/TEXT.txt")
      let refusal = await #expect(throws: CloudDataError.self) {
        try await a.container.evict(itemNamed: "Trip.imageNotes")
      }
      #expect(refusal?.code == .refused)
      #expect(a.text("Trip.imageNotes/TEXT.txt") == "twin")
      #expect(try await a.container.items().last?.downloadingStatus == .current)
      // What the container has goes, and comes back.
      try await a.container.evict(itemNamed: "Notes.txt")
      #expect(a.text("Notes.txt") == nil)
      try await a.container.download(itemNamed: "Notes.txt")
      #expect(a.text("Notes.txt") == "two")
    }
  }

  @Test func `a placeholder follows its document's name, also after a new file had the old one`() async throws
  {
    try await withTemporaryDirectory { directory in
      let store = MemoryStore()
      let a = try await DeviceFixture("a", in: directory, store)
      let b = try await DeviceFixture("b", in: directory, store)
      try a.write("one", to: "a.txt")
      try await a.sync()
      try await b.sync()
      // A new file of that name, which the program lists and removes before the next run.
      try b.write("another one", to: "a.txt")
      #expect(try await b.container.items().map(\.name) == ["a.txt"])
      try b.remove("a.txt")
      try a.rename("a.txt", to: "c.txt")
      try await a.sync()
      try await b.sync()
      #expect(try await b.container.items().map(\.name) == ["c.txt"])
      try b.write("a new one", to: "a.txt")
      try await b.container.download(itemNamed: "c.txt")
      try await b.sync()
      #expect(b.text("c.txt") == "one" && b.text("a.txt") == "a new one")
    }
  }

  @Test func `a lost state costs a look at the documents, and deletes nothing`() async throws {
    try await withTemporaryDirectory { directory in
      let store = MemoryStore()
      let a = try await DeviceFixture("a", in: directory, store)
      try a.write("one", to: "1.txt")
      try a.write("two", to: "2.txt")
      try await a.sync()
      try await a.container.evict(itemNamed: "2.txt")
      try a.remove(".docpkg-cloud/state.sqlite")
      try a.remove(".docpkg-cloud/state.sqlite-wal")
      try a.remove(".docpkg-cloud/state.sqlite-shm")
      let again = try await CloudContainer.open(a.url, in: store)
      let report = try await again.sync()
      #expect(report.documents.filter { $0.uploaded || $0.deleted }.isEmpty)
      #expect(try await again.items().map(\.downloadingStatus) == [.current, .notDownloaded])
      try a.remove("1.txt")
      #expect(try await again.sync().documents.map(\.deleted) == [true])
    }
  }

  @Test func `documents move in and out`() async throws {
    try await withTemporaryDirectory { directory in
      let store = MemoryStore()
      let a = try await DeviceFixture("a", in: directory, store)
      let b = try await DeviceFixture("b", in: directory, store)
      try b.write("theirs", to: "Notes.txt")
      try await b.sync()
      try await a.sync()
      let outside = URL(filePath: directory.appending("Notes.txt").string)
      try Data("ours".utf8).write(to: outside)
      #expect(try await a.container.moveIn(outside, as: "Notes.txt") == "Notes 2.txt")
      try await a.sync()
      try await b.sync()
      let out = URL(filePath: directory.appending("out").string, directoryHint: .isDirectory)
      let moved = try await b.container.moveOut("Notes 2.txt", to: out, as: "Mine.txt")
      #expect(try String(contentsOf: moved, encoding: .utf8) == "ours")
      try await b.sync()
      try await a.sync()
      #expect(a.text("Notes 2.txt") == nil)
    }
  }

  @Test func `a library moves its documents into the container and back`() async throws {
    try await withTemporaryDirectory { directory in
      let a = try await DeviceFixture("a", in: directory, MemoryStore())
      let local = URL(filePath: directory.appending("local").string, directoryHint: .isDirectory)
      try FileManager.default.createDirectory(at: local, withIntermediateDirectories: true)
      try Data("one".utf8).write(to: local.appending(path: "Notes.txt"))
      let library = try await DocumentLibrary(
        local: FolderLocation(local, for: [.item]), container: a.container,
        settings: URL(filePath: directory.appending("settings.plist").string))
      #expect(try await library.convert(to: .container).isComplete)
      try await a.sync()
      #expect(try await a.container.items().map(\.name) == ["Notes.txt"])
      try await a.container.evict(itemNamed: "Notes.txt")
      #expect(try await library.convert(to: .local).isComplete)
      try await a.sync()
      #expect(try await a.container.items().isEmpty)
      #expect(try String(contentsOf: local.appending(path: "Notes.txt"), encoding: .utf8) == "one")
    }
  }

  @Test func `a library moves one document, and keeps the preferred place for the next start`() async throws {
    try await withTemporaryDirectory { directory in
      let a = try await DeviceFixture("a", in: directory, MemoryStore())
      let local = URL(filePath: directory.appending("local").string, directoryHint: .isDirectory)
      try FileManager.default.createDirectory(at: local, withIntermediateDirectories: true)
      for name in ["1.txt", "2.txt"] { try Data(name.utf8).write(to: local.appending(path: name)) }
      let settings = URL(filePath: directory.appending("settings.plist").string)
      let open = {
        try await DocumentLibrary(
          local: FolderLocation(local, for: [.item]), container: a.container, settings: settings)
      }
      let library = try await open()
      #expect(try await library.move("1.txt", to: .container) == "1.txt")
      #expect(await library.preferred == .local, "one document decides nothing for the next ones")
      try await a.sync()
      #expect(try await a.container.items().map(\.name) == ["1.txt"])
      #expect(try await library.isFound("1.txt", in: .container))
      try await a.container.evict(itemNamed: "1.txt")
      #expect(try await library.move("1.txt", to: .local) == "1.txt")
      #expect(try String(contentsOf: local.appending(path: "1.txt"), encoding: .utf8) == "1.txt")
      try await library.setPreferred(.container)
      #expect(try await open().preferred == .container)
    }
  }

  @Test func `a library refuses a container folder among its local documents`() async throws {
    try await withTemporaryDirectory { directory in
      let a = try await DeviceFixture("a", in: directory, MemoryStore())
      let settings = URL(filePath: directory.appending("settings.plist").string)
      let around = URL(filePath: directory.string, directoryHint: .isDirectory)
      for local in [around, a.url, a.url.appending(path: "Folder")] {
        let error = await #expect(throws: FilePackageError.self) {
          _ = try await DocumentLibrary(
            local: FolderLocation(local), container: a.container, settings: settings)
        }
        #expect(error?.code == .invalidName)
      }
    }
  }

  @Test func `tell of each operation`() async throws {
    try await withTemporaryDirectory { directory in
      let a = try await DeviceFixture("a", in: directory, MemoryStore())
      try a.write("one", to: "Notes.txt")
      var updates = a.container.updates().makeAsyncIterator()
      #expect(try await updates.next()?.map(\.isUploaded) == [false])
      try await a.sync()
      var items = try await updates.next() ?? []
      while items.first?.isUploaded == false { items = try await updates.next() ?? [] }
      #expect(items.map(\.isUploaded) == [true])
    }
  }

  @Test func `an empty or another store in the container's place is refused`() async throws {
    try await withTemporaryDirectory { directory in
      let a = try await DeviceFixture("a", in: directory, MemoryStore())
      try a.write("one", to: "Notes.txt")
      try await a.sync()
      let empty = MemoryStore()
      let moved = try await CloudContainer.open(a.url, in: empty)
      try a.write("two", to: "Notes.txt")
      let error = await #expect(throws: CloudDataError.self) { try await moved.sync() }
      #expect(error?.code == .missing)
      #expect(empty.keys.isEmpty)
      let other = try await DeviceFixture("b", in: directory, empty)
      try await other.sync()
      let exchanged = await #expect(throws: CloudDataError.self) { try await moved.sync() }
      #expect("\(exchanged.map { "\($0)" } ?? "")".contains("another container"))
      #expect(a.text("Notes.txt") == "two")
    }
  }

  @Test func `a copied folder counts as a new one, and deletes nothing`() async throws {
    try await withTemporaryDirectory { directory in
      let store = MemoryStore()
      let a = try await DeviceFixture("a", in: directory, store)
      try a.write("one", to: "1.txt")
      try a.write("two", to: "2.txt")
      try await a.sync()
      let copy = URL(filePath: directory.appending("copy").string, directoryHint: .isDirectory)
      try FileManager.default.copyItem(at: a.url, to: copy)
      try FileManager.default.removeItem(at: copy.appending(path: "2.txt"))
      let report = try await CloudContainer.open(copy, in: store).sync()
      #expect(report.documents.filter(\.deleted).isEmpty)
      try await a.sync()
      #expect(a.text("2.txt") == "two")
    }
  }
}
