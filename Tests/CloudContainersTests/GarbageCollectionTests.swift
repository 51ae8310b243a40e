import CloudContainers
import DurableIO
import FilePackages
import Foundation
import ObjectStores
import StoreTestSupport
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("The collection of garbage", .temporaryDirectory)
struct GarbageCollectionTests {
  @Test func `removes old versions and their blobs after thirty days, and nothing before`() async throws {
    let clock = ModelClock()
    let store = MemoryStore(now: { clock.now })
    let container = try await DeviceFixture("a", store, clock: clock, enclosesSmall: false).container
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

  @Test func `removes what killed programs left in a folder more than two days ago`() async throws {
    let place = folder.appending("store")
    try FileManager.default.createDirectory(atPath: place.string, withIntermediateDirectories: false)
    let device = try await DeviceFixture("a", FolderStore(at: URL(filePath: place.string)))
    try Data("one".utf8).write(to: device.url.appending(path: "Notes.txt"))
    try await device.sync()
    for (name, age) in [("old", 49.0), ("new", 47.0)] {
      let path = place.appending(".uploads/\(name)").string
      try Data("a part".utf8).write(to: URL(filePath: path))
      let date = Date(timeIntervalSinceNow: -age * 3_600)
      try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
    }
    _ = try await device.container.collectGarbage(isDryRun: true)
    let uploads = place.appending(".uploads").string
    #expect(try FileManager.default.contentsOfDirectory(atPath: uploads).sorted() == ["new", "old"])
    _ = try await device.container.collectGarbage(isDryRun: false)
    #expect(try FileManager.default.contentsOfDirectory(atPath: uploads) == ["new"])
  }

  @Test func `leaves running uploads to a folder alone, however far this machine's clock is ahead`()
    async throws
  {
    // The clock of this disk is years behind.
    let disk = try CrashDisk(["store": [".uploads": ["running": "a part"]]])
    try await FolderStore("/store", on: disk).removeRemains()
    #expect(disk.tree["store"] == [".uploads": ["running": "a part"]])
  }

  @Test func `stops no download on a machine that missed the newest version`() async throws {
    let clock = ModelClock()
    let store = MemoryStore(now: { clock.now })
    let (a, b) = try await DeviceFixture.two(store, clock: clock, enclosesSmall: false)
    try await a.upload("one", to: "Notes.txt")
    try await b.sync()
    try await a.upload("two", to: "Notes.txt")
    clock.advance(31 * 86_400)
    _ = try await a.container.collectGarbage(isDryRun: false)
    try await b.container.download(itemNamed: "Notes.txt")
    #expect(b.text("Notes.txt") == "two")
  }

  @Test func `keeps a deleted document for thirty days`() async throws {
    let clock = ModelClock()
    let store = MemoryStore(now: { clock.now })
    let container = try await DeviceFixture("a", store, clock: clock, enclosesSmall: false).container
    let file = container.url.appending(path: "Notes.txt")
    try Data("one".utf8).write(to: file)
    try await container.sync()
    try await container.delete(itemNamed: "Notes.txt")
    clock.advance(29 * 86_400)
    _ = try await container.collectGarbage(isDryRun: false)
    try await container.restore(#require(await container.deletedItems().first).document)
    try await container.download(itemNamed: "Notes.txt")
    #expect(try String(contentsOf: file, encoding: .utf8) == "one")
  }

  /// Two machines with one clock.
  private func makeTwo(_ store: MemoryStore, _ clock: ModelClock) async throws
    -> (DeviceFixture, DeviceFixture)
  {
    let (a, b) = try await DeviceFixture.two(store, clock: clock, enclosesSmall: false)
    try await a.share("Trip.imageNotes", ["1.txt": "one", "2.txt": "two", "3.txt": "three"], with: b)
    return (a, b)
  }

  @Test func `that is cut short leaves no version without its content`() async throws {
    let clock = ModelClock()
    let refusesBlobs = Mutex(false)
    let store = MemoryStore(
      trouble: { call in
        let isBlob = call.key?.string.hasPrefix("blobs/") == true
        return call.operation == .delete && isBlob && refusesBlobs.withLock { $0 }
          ? .refusal(.serverFailure) : nil
      }, now: { clock.now })
    let (a, b) = try await makeTwo(store, clock)
    try await a.upload("Trip.imageNotes", ["1.txt": "ONE"])
    clock.advance(31 * 86_400)
    refusesBlobs.withLock { $0 = true }
    await #expect(throws: ObjectStoreError.self) { try await a.container.collectGarbage(isDryRun: false) }
    let report = try await a.container.check(reads: true)
    #expect(report.isWhole && report.versions == 1, "\(report)")
    refusesBlobs.withLock { $0 = false }
    // The removal may come late (GC3).
    await #expect(throws: FilePackageError.self) { try await b.container.collectGarbage(isDryRun: false) }
    clock.advance(1_201)
    #expect(try await a.container.collectGarbage(isDryRun: false).blobs == 2)
    #expect(try await a.container.check(reads: true).isWhole)
  }

  @Test func `an edit that outlives an old deletion stores all content anew`() async throws {
    let clock = ModelClock()
    let (a, b) = try await makeTwo(MemoryStore(now: { clock.now }), clock)
    try a.remove("Trip.imageNotes")
    try await a.sync()
    clock.advance(31 * 86_400)
    #expect(try await a.container.collectGarbage(isDryRun: false).blobs > 0)
    try await b.upload("Trip.imageNotes", ["1.txt": "ONE"])
    let report = try await b.container.check(reads: true)
    #expect(report.isWhole, "\(report)")
    try await a.receive("Trip.imageNotes")
    #expect(a.text("Trip.imageNotes/1.txt") == "ONE" && a.text("Trip.imageNotes/2.txt") == "two")
  }

  @Test func `a conflict with a machine that was away for long has all its content`() async throws {
    let clock = ModelClock()
    let (a, b) = try await makeTwo(MemoryStore(now: { clock.now }), clock)
    try await a.upload("Trip.imageNotes", ["1.txt": "one of a", "2.txt": "two of a"])
    clock.advance(31 * 86_400)
    #expect(try await a.container.collectGarbage(isDryRun: false).blobs > 0)
    try await b.upload("Trip.imageNotes", ["1.txt": "one of b"])
    let report = try await b.container.check(reads: true)
    #expect(report.isWhole, "\(report)")
    try await a.sync()
    for device in [a, b] {
      #expect(device.text("Trip.imageNotes/1.txt") == "one of a")
      let url = device.url.appending(path: "Trip.imageNotes")
      let versions = try #require(await FileVersion.unresolvedConflictVersionsOfItem(at: url))
      #expect(versions.count == 1)
      let tree = try #require(await versions.first?.contents().tree)
      #expect(try tree.descendant(at: "1.txt")?.contents() == Data("one of b".utf8))
    }
  }

  @Test func `a document that is restored late has all its content, or is refused`() async throws {
    let clock = ModelClock()
    let (a, b) = try await makeTwo(MemoryStore(now: { clock.now }), clock)
    try await b.container.delete(itemNamed: "Trip.imageNotes")
    try await a.sync()
    let deleted = try #require(await a.container.deletedItems().first).document
    // No collection has run: the content is still there, and stays with the next one.
    clock.advance(31 * 86_400)
    try await a.container.restore(deleted)
    _ = try await b.container.collectGarbage(isDryRun: false)
    #expect(try await a.container.check(reads: true).isWhole)
    try await a.container.download(itemNamed: "Trip.imageNotes")
    try await a.container.delete(itemNamed: "Trip.imageNotes")
    clock.advance(31 * 86_400)
    _ = try await b.container.collectGarbage(isDryRun: false)
    await expect(\CloudDataError.code, .missing) { try await a.container.restore(deleted) }
    #expect(try await a.container.check(reads: true).isWhole)
  }

  @Test func `a check names an object that is missing and one that is damaged`() async throws {
    let (store, a) = try await DeviceFixture.one(enclosesSmall: false)
    try await a.upload("one", to: "Notes.txt")
    #expect(try await a.container.check(reads: true).isWhole)
    let content = BlobName(of: Data("one".utf8)).key
    try await store.put(Data("eno".utf8), at: content)
    #expect(try await a.container.check().isWhole)
    #expect(try await a.container.check(reads: true).problems.count == 1)
    try await store.delete(content)
    #expect(try await a.container.check().problems.count == 1)
  }

  @Test func `takes no content that another machine stores anew at that moment`() async throws {
    let clock = ModelClock()
    let memory = MemoryStore(now: { clock.now })
    let slow = ActingStore(memory, before: ActingStore.isRemovalOfBlob)
    let a = try await DeviceFixture("a", slow, clock: clock, enclosesSmall: false)
    let b = try await DeviceFixture("b", memory, clock: clock, enclosesSmall: false)
    try await sync(a, b)
    // An old content that no version needs, as an upload that was cut off leaves.
    let text = "a content that comes again"
    try await memory.put(Data(text.utf8), at: BlobName(of: Data(text.utf8)).key)
    try await a.upload("another", to: "Other.txt")
    clock.advance(5 * 86_400)
    let reports = Mutex<[SyncReport]>([])
    slow.once {
      try b.write(text, to: "Notes.txt")
      let report = try await b.container.sync()
      reports.withLock { $0.append(report) }
    }
    let report = try await a.container.collectGarbage(isDryRun: false)
    #expect(report.blobs == 1 && report.problems.isEmpty)
    // It waited, and said so (GC1).
    let failures = reports.withLock { $0 }.flatMap(\.failures)
    #expect(failures.map(\.name) == ["Notes.txt"])
    #expect((failures.first?.error as? FilePackageError)?.code == .busy)
    try await sync(b, a)
    #expect(try await a.container.check(reads: true).isWhole)
    try await a.container.download(itemNamed: "Notes.txt")
    #expect(a.text("Notes.txt") == text)
  }

  @Test(arguments: [0, 30 * 3_600.0, -30 * 3_600.0])
  func `that was cut off keeps no upload waiting for more than twenty minutes, whatever its clock says`(
    offset: Double
  ) async throws {
    let (clock, other) = (ModelClock(), ModelClock())
    other.advance(offset)
    let isCut = Mutex(false)
    let store = MemoryStore(
      trouble: { call in
        call.operation == .delete && isCut.withLock { $0 } ? .refusal(.unreachable) : nil
      }, now: { clock.now })
    let a = try await DeviceFixture("a", store, clock: other, enclosesSmall: false)
    let b = try await DeviceFixture("b", store, clock: clock, enclosesSmall: false)
    try await sync(a, b)
    let text = "a content that comes again"
    try await store.put(Data(text.utf8), at: BlobName(of: Data(text.utf8)).key)
    isCut.withLock { $0 = true }
    await #expect(throws: ObjectStoreError.self) { try await a.container.collectGarbage(isDryRun: false) }
    isCut.withLock { $0 = false }
    try b.write(text, to: "Notes.txt")
    for _ in 0..<2 {
      #expect(try await b.container.sync().failures.map(\.name) == ["Notes.txt"])
      clock.advance(599)
    }
    // GC2
    clock.advance(3)
    try await b.sync()
    _ = try await b.container.collectGarbage(isDryRun: false)
    #expect(try await b.container.check(reads: true).isWhole)
  }

  @Test
  func `that was cut off leaves a container that new devices can read, although the store lost its state`()
    async throws
  {
    let clock = ModelClock()
    let isCut = Mutex(false)
    let store = MemoryStore(
      trouble: { call in
        call.operation == .delete && isCut.withLock { $0 } ? .refusal(.unreachable) : nil
      }, now: { clock.now })
    let a = try await DeviceFixture("a", store, clock: clock, enclosesSmall: false)
    let b = try await DeviceFixture("b", store, clock: clock, enclosesSmall: false)
    for text in ["one", "two"] {
      try a.write(text, to: "Notes.txt")
      try await sync(a, b)
      clock.advance(40 * 86_400)
    }
    _ = try await a.container.collectGarbage(isDryRun: false)
    #expect(!store.keys.contains { $0.string == "log/0000000000000001" })
    // An object that no version needs.
    try await store.put(Data("rest".utf8), at: BlobName(of: Data("rest".utf8)).key)
    isCut.withLock { $0 = true }
    await #expect(throws: ObjectStoreError.self) { try await a.container.collectGarbage(isDryRun: false) }
    isCut.withLock { $0 = false }
    for key in store.keys where key.string.hasPrefix("state/") { try await store.delete(key) }
    let report = try await b.container.repair(reads: true)
    #expect(!report.check.isWhole, "\(report)")
    clock.advance(1_201)
    try await b.sync()
    let c = try await DeviceFixture("c", store, clock: clock, enclosesSmall: false)
    try await c.sync()
    try await c.container.download(itemNamed: "Notes.txt")
    #expect(c.text("Notes.txt") == "two")
    #expect(try await c.container.check(reads: true).isWhole)
  }

  @Test func `makes an upload begin anew that stored its content before`() async throws {
    let clock = ModelClock()
    let memory = MemoryStore(now: { clock.now })
    let slow = ActingStore(memory, before: ActingStore.isEntry)
    let a = try await DeviceFixture("a", memory, clock: clock, enclosesSmall: false)
    let b = try await DeviceFixture("b", slow, clock: clock, enclosesSmall: false)
    try await sync(a, b)
    // The collection takes the content, which no version needs yet, and ends before the version comes (CM2).
    slow.once { _ = try await a.container.collectGarbage(isDryRun: false) }
    try await b.upload("a content", to: "Notes.txt")
    #expect(try await b.container.check(reads: true).isWhole)
    try await a.receive("Notes.txt")
    #expect(a.text("Notes.txt") == "a content")
  }

  @Test func `keeps the content of a version that came just before its entry`() async throws {
    let clock = ModelClock()
    let memory = MemoryStore(now: { clock.now })
    let slow = ActingStore(memory, before: ActingStore.isEntry)
    let a = try await DeviceFixture("a", slow, clock: clock, enclosesSmall: false)
    let b = try await DeviceFixture("b", memory, clock: clock, enclosesSmall: false)
    for device in [a, b] { try await device.sync() }
    // The first entry is the one by which the store tells its time.
    slow.once {
      slow.once {
        try b.write("a content", to: "Notes.txt")
        try await b.sync()
      }
    }
    let report = try await a.container.collectGarbage(isDryRun: false)
    #expect(report.versions == 0 && report.blobs == 0)
    #expect(try await b.container.check(reads: true).isWhole)
    try await a.container.download(itemNamed: "Notes.txt")
    #expect(a.text("Notes.txt") == "a content")
  }

  /// A machine with a document whose entries are old.
  private func makeOld(_ store: any ObjectStore, _ clock: ModelClock) async throws -> DeviceFixture {
    let a = try await DeviceFixture("a", store, clock: clock)
    for text in ["one", "two"] { try await a.upload(text, to: "Notes.txt") }
    clock.advance(31 * 86_400)
    return a
  }

  /// A new machine learns all from the store.
  private func expectWhole(_ store: MemoryStore, _ clock: ModelClock) async throws {
    let c = try await DeviceFixture("c", store, clock: clock)
    try await c.receive("Notes.txt")
    #expect(c.text("Notes.txt") == "two")
  }

  @Test func `takes no entry for a snapshot that is damaged, and keeps the good one`() async throws {
    let clock = ModelClock()
    let store = MemoryStore(now: { clock.now })
    let a = try await makeOld(store, clock)
    // GC4
    let damaged: ObjectKey = "state/0000000000000900/0001-0001"
    try await store.put(Data("damaged".utf8), at: damaged)
    #expect(try await a.container.collectGarbage(isDryRun: false).problems.isEmpty)
    #expect(!store.keys.contains(ContainerLog.key(1)))
    try await expectWhole(store, clock)
  }

  @Test func `keeps all entries if the store keeps half of a snapshot`() async throws {
    let clock = ModelClock()
    let store = MemoryStore(now: { clock.now })
    let a = try await makeOld(HalfSnapshots(store), clock)
    #expect(try await a.container.collectGarbage(isDryRun: false).problems.map(\.code) == [.damagedLog])
    #expect(store.keys.contains(ContainerLog.key(1)))
    try await expectWhole(store, clock)
  }

  @Test func `repeats no removal when other machines may have ended it`() async throws {
    let clock = ModelClock()
    let isCut = Mutex(false)
    let memory = MemoryStore(
      trouble: { call in
        call.operation == .delete
          && isCut.withLock { isCut in
            defer { isCut = false }
            return isCut
          } ? .refusal(.unreachable) : nil
      }, now: { clock.now })
    let slow = ActingStore(memory, before: ActingStore.isRemovalOfBlob)
    let retrying = RetryingStore(slow, policy: with(.init()) { $0.longestRemoval = .zero }) { _ in }
    let a = try await DeviceFixture("a", retrying, clock: clock, enclosesSmall: false)
    let b = try await DeviceFixture("b", memory, clock: clock, enclosesSmall: false)
    for device in [a, b] { try await device.sync() }
    let text = "a content that comes again"
    try await memory.put(Data(text.utf8), at: BlobName(of: Data(text.utf8)).key)
    try b.write(text, to: "Notes.txt")
    // The connection breaks, and comes back after the collection has ended (GC2).
    slow.once {
      #expect(try await b.container.sync().failures.map(\.name) == ["Notes.txt"])
      clock.advance(1_201)
      try await b.sync()
      isCut.withLock { $0 = true }
    }
    await #expect(throws: (any Error).self) { try await a.container.collectGarbage(isDryRun: false) }
    #expect(try await b.container.check(reads: true).isWhole)
  }
}

/// A store that keeps the first half of each part of a snapshot.
private struct HalfSnapshots: ObjectStore {
  let base: any ObjectStore

  init(_ base: any ObjectStore) { self.base = base }

  var place: String { base.place }

  func send(_ call: StoreCall) async throws(ObjectStoreError) -> StoreAnswer {
    guard case .put(let bytes, let key, let ifAbsent) = call, key.string.hasPrefix(LogSnapshot.prefix) else {
      return try await base.send(call)
    }
    return try await base.send(.put(bytes.prefix(bytes.count / 2), at: key, ifAbsent: ifAbsent))
  }
}
