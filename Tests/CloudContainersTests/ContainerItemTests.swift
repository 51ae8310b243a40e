import CloudContainers
import Documents
import DurableIO
import Foundation
import ObjectStores
import StoreTestSupport
import SystemPackage
import TestSupport
import Testing

@Suite("The items of a container", .temporaryDirectory)
struct ContainerItemTests {
  @Test func `is looked up, downloaded, evicted and deleted by its name alone, among any number`()
    async throws
  {
    let (store, a) = try await DeviceFixture.one()
    for number in 0..<20 { try a.write("note \(number)", to: "Folder/\(number).txt") }
    try await a.sync()
    /// Opens the folder anew, and returns the number of documents whose versions were read.
    func cost(_ body: (CloudContainer) async throws -> Void) async throws -> Int {
      let container = try await CloudContainer.open(a.url, in: store)
      try await body(container)
      return container.session.heads.count
    }
    let name = "Folder/7.txt"
    func status(_ container: CloudContainer) async throws -> CloudItem.DownloadingStatus? {
      try await container.item(named: name)?.downloadingStatus
    }
    var found: [CloudItem.DownloadingStatus?] = []
    var costs = [try await cost { found.append(try await status($0)) }]
    costs.append(try await cost { try await $0.evict(itemNamed: name) })
    costs.append(try await cost { found.append(try await status($0)) })
    costs.append(try await cost { try await $0.download(itemNamed: name) })
    costs.append(try await cost { _ = try await $0.session.placedNames(within: name) })
    costs.append(try await cost { try await $0.delete(itemNamed: name) })
    #expect(found == [.current, .notDownloaded])
    #expect(costs == Array(repeating: 1, count: 6))
    #expect(try await a.container.session.placedNames(within: "Folder").count == 19)
    // A document that no run knows.
    #expect(try await a.container.item(named: name) == nil)
    try a.write("new", to: "Folder.txt")
    try a.rename("Folder/8.txt", to: "Folder/new.txt")
    #expect(try await a.container.item(named: "Folder.txt")?.isUploaded == false)
    #expect(try await a.container.item(named: "Folder/8.txt") == nil)
    #expect(try await a.container.item(named: "Folder/new.txt") != nil)
  }

  @Test func `are listed before their content is here, evicted, deleted and restored`() async throws {
    let (a, b) = try await DeviceFixture.two(MemoryStore())
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
    try await b.container.startDownloading(itemNamed: "Folder/Notes.txt")
    try await b.sync()
    #expect(b.text("Folder/Notes.txt") == "notes")
    try b.write("changed", to: "Folder/Notes.txt")
    try await b.container.evict(itemNamed: "Folder/Notes.txt")
    #expect(b.text("Folder/Notes.txt") == nil)
    try await a.sync()
    #expect(a.text("Folder/Notes.txt") == "changed", "what is evicted is uploaded before")
    // A placeholder that is not here is no deletion.
    try await sync(b, a)
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

  @Test func `are not evicted if the container does not have, or cannot take, their last changes`()
    async throws
  {
    let gate = GatedStore(MemoryStore())
    let a = try await DeviceFixture("a", gate)
    try a.write("one", to: "Notes.txt")
    try await a.uploadPackage("Trip.imageNotes", ["Text.txt": "one"])
    // Changes that are only here, without a connection.
    try a.write("two", to: "Notes.txt")
    gate.setOffline(true)
    await #expect(throws: ObjectStoreError.self) { try await a.container.evict(itemNamed: "Notes.txt") }
    #expect(a.text("Notes.txt") == "two")
    #expect(try await a.container.items().first?.isUploaded == false)
    gate.setOffline(false)
    // A change that no other machine could take.
    try a.write("twin", to: "Trip.imageNotes/TEXT.txt")
    await expect(\CloudDataError.code, .refused) { try await a.container.evict(itemNamed: "Trip.imageNotes") }
    #expect(a.text("Trip.imageNotes/TEXT.txt") == "twin")
    #expect(try await a.container.items().last?.downloadingStatus == .current)
    // A document that the container has goes, and comes back.
    try await a.container.evict(itemNamed: "Notes.txt")
    #expect(a.text("Notes.txt") == nil)
    try await a.container.download(itemNamed: "Notes.txt")
    #expect(a.text("Notes.txt") == "two")
  }

  @Test func `a placeholder follows its document's name, also after a new file had the old one`() async throws
  {
    let (a, b) = try await DeviceFixture.two(MemoryStore())
    try a.write("one", to: "a.txt")
    try await sync(a, b)
    // A new file of that name, which the program lists and removes before the next run.
    try b.write("another one", to: "a.txt")
    #expect(try await b.container.items().map(\.name) == ["a.txt"])
    try b.remove("a.txt")
    try a.rename("a.txt", to: "c.txt")
    try await sync(a, b)
    #expect(try await b.container.items().map(\.name) == ["c.txt"])
    try b.write("a new one", to: "a.txt")
    try await b.container.download(itemNamed: "c.txt")
    try await b.sync()
    #expect(b.text("c.txt") == "one" && b.text("a.txt") == "a new one")
  }

  @Test func `a document that a program removed is not listed, before and after the run that deletes it`()
    async throws
  {
    let a = try await DeviceFixture("a", MemoryStore())
    for name in ["known.txt", "evicted.txt"] { try a.write("one", to: name) }
    try await a.sync()
    try await a.container.evict(itemNamed: "evicted.txt")
    try a.write("two", to: "new.txt")
    #expect(try await a.container.items().map(\.name) == ["evicted.txt", "known.txt", "new.txt"])
    try a.remove("known.txt")
    try a.remove("new.txt")
    #expect(try await a.container.items().map(\.name) == ["evicted.txt"])
    try await a.sync()
    #expect(try await a.container.items().map(\.name) == ["evicted.txt"])
  }

  @Test(arguments: ["download", "evict", "open", "move out", "ask", "ask, and give up"])
  func `a document that a program removed is not deleted by a call for its content`(call: String) async throws
  {
    let a = try await DeviceFixture("a", MemoryStore())
    try a.write("one", to: "a.txt")
    try await a.sync()
    try a.remove("a.txt")
    switch call {
    case "download": try await a.container.download(itemNamed: "a.txt")
    case "evict": try await a.container.evict(itemNamed: "a.txt")
    case "open": try await a.container.provide(itemAt: a.url.appending(path: "a.txt")) { _, _ in }
    case "ask":
      try await a.container.startDownloading(itemNamed: "a.txt")
      #expect(try await a.container.items().map(\.isDownloading) == [true])
      #expect(try await a.container.plan().documents.map(\.downloaded) == [true])
      try await a.sync()
    case "ask, and give up":
      try await a.container.startDownloading(itemNamed: "a.txt")
      try await a.container.cancelDownload(itemNamed: "a.txt")
    default:
      let outside = URL(filePath: folder.string, directoryHint: .isDirectory)
      let place = try await a.container.moveOut("a.txt", to: outside, as: "b.txt")
      #expect(try String(contentsOf: place, encoding: .utf8) == "one")
      return
    }
    let comesBack = !["evict", "ask, and give up"].contains(call)
    #expect(a.text("a.txt") == (comesBack ? "one" : nil))
    try await a.sync()
    #expect(try await a.container.deletedItems().isEmpty)
    #expect(try await a.container.items().map(\.downloadingStatus) == [comesBack ? .current : .notDownloaded])
    // A document that came by a request is deleted like any other one.
    guard call == "ask" else { return }
    try a.remove("a.txt")
    #expect(try await a.sync().documents.map(\.deleted) == [true])
  }

  @Test func `a document that is removed after its download does not come back by an earlier request for it`()
    async throws
  {
    let a = try await DeviceFixture("a", MemoryStore())
    try await a.upload("one", to: "a.txt")
    try await a.container.evict(itemNamed: "a.txt")
    for text in ["one", nil] {
      try await a.container.downloadWanted(itemsNamed: ["a.txt"])
      #expect(a.text("a.txt") == text)
      if text != nil { try a.remove("a.txt") }
    }
    try await a.sync()
    #expect(try await a.container.items().isEmpty)
  }

  @Test func `a lost state costs a look at the documents, and deletes nothing`() async throws {
    let (store, a) = try await DeviceFixture.one()
    try a.write("one", to: "1.txt")
    try await a.upload("two", to: "2.txt")
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

  @Test func `documents move in and out`() async throws {
    let (a, b) = try await DeviceFixture.two(MemoryStore())
    try b.write("theirs", to: "Notes.txt")
    try await sync(b, a)
    let outside = url("Notes.txt")
    try Data("ours".utf8).write(to: outside)
    #expect(try await a.container.moveIn(outside, as: "Notes.txt") == "Notes 2.txt")
    try await sync(a, b)
    let out = URL(filePath: folder.appending("out").string, directoryHint: .isDirectory)
    let moved = try await b.container.moveOut("Notes 2.txt", to: out, as: "Mine.txt")
    #expect(try String(contentsOf: moved, encoding: .utf8) == "ours")
    try await sync(b, a)
    #expect(a.text("Notes 2.txt") == nil)
  }

  /// Makes a library of local files, and of a container's.
  private static func library(_ files: [String: String]) async throws -> (
    DeviceFixture, local: URL, DocumentLibrary
  ) {
    let a = try await DeviceFixture("a", MemoryStore())
    let local = URL(filePath: folder.appending("local").string, directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: local, withIntermediateDirectories: true)
    for (name, text) in files { try Data(text.utf8).write(to: local.appending(path: name)) }
    return (a, local, try DocumentLibrary(local: FolderLocation(local, for: [.item]), container: a.container))
  }

  @Test func `a library moves its documents into the container and back`() async throws {
    let (a, local, library) = try await Self.library(["Notes.txt": "one"])
    #expect(try await library.convert(to: .container).isComplete)
    try await a.sync()
    #expect(try await a.container.items().map(\.name) == ["Notes.txt"])
    try await a.container.evict(itemNamed: "Notes.txt")
    #expect(try await library.convert(to: .local).isComplete)
    try await a.sync()
    #expect(try await a.container.items().isEmpty)
    #expect(try String(contentsOf: local.appending(path: "Notes.txt"), encoding: .utf8) == "one")
  }

  @Test func `a library moves one document`() async throws {
    let (a, local, library) = try await Self.library(["1.txt": "1.txt", "2.txt": "2.txt"])
    #expect(try await library.move("1.txt", to: .container) == "1.txt")
    try await a.sync()
    #expect(try await a.container.items().map(\.name) == ["1.txt"])
    try await a.container.evict(itemNamed: "1.txt")
    #expect(try await library.move("1.txt", to: .local) == "1.txt")
    #expect(try String(contentsOf: local.appending(path: "1.txt"), encoding: .utf8) == "1.txt")
  }

  @Test func `a library refuses a container folder among its local documents`() async throws {
    let a = try await DeviceFixture("a", MemoryStore())
    let around = URL(filePath: folder.string, directoryHint: .isDirectory)
    for local in [around, a.url, a.url.appending(path: "Folder")] {
      expect(\FilePackageError.code, .invalidName) {
        try DocumentLibrary(local: FolderLocation(local), container: a.container)
      }
    }
  }

  @Test func `an empty or another store in the container's place is refused`() async throws {
    let a = try await DeviceFixture("a", MemoryStore())
    try await a.upload("one", to: "Notes.txt")
    let empty = MemoryStore()
    let moved = try await CloudContainer.open(a.url, in: empty)
    try a.write("two", to: "Notes.txt")
    await expect(\CloudDataError.code, .missing) { try await moved.sync() }
    #expect(empty.keys.isEmpty)
    try await DeviceFixture("b", empty).sync()
    let exchanged = await #expect(throws: CloudDataError.self) { try await moved.sync() }
    #expect("\(exchanged.map { "\($0)" } ?? "")".contains("another container"))
    #expect(a.text("Notes.txt") == "two")
  }

  @Test func `a copied folder asks, deletes nothing, and can leave and come back`() async throws {
    let (store, a) = try await DeviceFixture.one()
    try a.write("one", to: "1.txt")
    try await a.upload("two", to: "2.txt")
    let copy = URL(filePath: folder.appending("copy").string, directoryHint: .isDirectory)
    try FileManager.default.copyItem(at: a.url, to: copy)
    try FileManager.default.removeItem(at: copy.appending(path: "2.txt"))
    let keys = store.keys
    let copied = try await CloudContainer.open(copy, in: store)
    for operation in [
      { _ = try await copied.sync() }, { _ = try await copied.plan() }, { _ = try await copied.items() },
      { try await copied.delete(itemNamed: "2.txt") }, { try await copied.evict(itemNamed: "1.txt") },
    ] as [() async throws -> Void] {
      let error = await #expect(throws: FilePackageError.self) { try await operation() }
      #expect(
        error?.code == .unsupported && "\(error.map { "\($0)" } ?? "")".contains("'docpkg cloud leave'"))
    }
    #expect(store.keys == keys)
    _ = try await copied.leave()
    let b = DeviceFixture(try await CloudContainer.add(copy, to: store, address: "memory", deviceName: "b"))
    try await b.receive("2.txt")
    try await a.sync()
    for device in [a, b] { #expect(device.text("1.txt") == "one" && device.text("2.txt") == "two") }
    #expect(try await b.container.items().count == 2)
  }

  @Test func `a folder whose state is another folder's asks, also with the same inode`() async throws {
    let a = try await DeviceFixture("a", MemoryStore())
    try await a.upload("one", to: "1.txt")
    let state = a.container.session.state
    let own = try #require(try await state.text(.folder))
    let inode = try #require(own.split(separator: " ").first)
    try a.remove("1.txt")
    for other in ["\(inode) 1.0", "\(inode) on 7", String(inode)] {
      try await state.set(.folder, to: other)
      await #expect(throws: FilePackageError.self) { try await a.container.sync() }
    }
    try await state.set(.folder, to: own)
    #expect(try await a.container.sync().documents.map(\.deleted) == [true])
  }
}
