import CloudContainers
import Documents
import Foundation
import ObjectStores
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@Suite("A store that lost what it had", .temporaryDirectory)
struct RolledBackStoreTests {
  @Test(arguments: LossyStore.Kind.allCases)
  func `gets the versions again that a backup of the day before does not have`(
    kind: LossyStore.Kind
  ) async throws {
    let lossy = try LossyStore(kind)
    let a = try await DeviceFixture("a", lossy.store, enclosesSmall: false)
    let b = try await DeviceFixture("b", lossy.store, enclosesSmall: false)
    try a.write("old", to: "old.txt")
    try await a.uploadPackage("Trip.imageNotes", ["1.txt": "one", "2.txt": "two"])
    let backup = try lossy.objects
    try a.write("new", to: "new.txt")
    try await a.upload("Trip.imageNotes", ["1.txt": "ONE"])
    try await a.upload("Trip.imageNotes", ["2.txt": "TWO"])
    try lossy.restore(backup)
    let report = try await a.sync()
    #expect(report.lost == ["Trip.imageNotes", "new.txt"])
    #expect(Set(report.documents.filter(\.uploaded).map(\.name)) == ["Trip.imageNotes", "new.txt"])
    #expect(try await a.container.check(reads: true).isWhole)
    try await b.sync()
    for name in ["Trip.imageNotes", "new.txt", "old.txt"] {
      try await b.container.download(itemNamed: name)
    }
    #expect(b.text("new.txt") == "new" && b.text("old.txt") == "old")
    #expect(b.text("Trip.imageNotes/1.txt") == "ONE" && b.text("Trip.imageNotes/2.txt") == "TWO")
    #expect(try await a.sync().documents.isEmpty)
    #expect(try await a.sync().lost.isEmpty)
  }

  @Test func `merges what another machine did after the loss with what the store had`() async throws {
    let (store, a, b) = try await DeviceFixture.two(enclosesSmall: false)
    try await a.share("Trip.imageNotes", ["1.txt": "one", "2.txt": "two"], with: b)
    let backup = store.backUp()
    for text in ["a", "b", "c"] {
      try await a.upload("Trip.imageNotes", ["1.txt": "one \(text)"])
    }
    store.restore(backup)
    // Until it gets as many versions as the first machine knows.
    for text in ["x", "y", "z"] {
      try await b.upload("Trip.imageNotes", ["2.txt": "two \(text)"])
    }
    try await sync(a, b)
    expectTexts(["Trip.imageNotes/1.txt": "one c", "Trip.imageNotes/2.txt": "two z"], on: a, b)
    for device in [a, b] { #expect(try await device.sync().documents.isEmpty) }
    #expect(try await a.container.check(reads: true).isWhole)
  }

  @Test func `takes no change of another machine back after a merge that was cut off`() async throws {
    let isCut = Mutex(false)
    let store = MemoryStore(trouble: { call in
      let isEntry = call.operation == .put && call.key.flatMap(ContainerLog.number) != nil
      return isEntry && isCut.withLock { $0 } ? .lostAnswer : nil
    })
    let (a, b) = try await DeviceFixture.two(store, enclosesSmall: false)
    try await a.share("Trip.imageNotes", ["1.txt": "one", "2.txt": "two"], with: b)
    try await b.upload("Trip.imageNotes", ["2.txt": "from b"])
    let backup = store.backUp()
    // The merge is here. The answer to its entry is lost, and then the store loses the entry.
    try await a.edit("Trip.imageNotes", ["1.txt": "from a"])
    isCut.withLock { $0 = true }
    #expect(try await a.container.sync().failures.count == 1)
    #expect(a.text("Trip.imageNotes/2.txt") == "from b")
    isCut.withLock { $0 = false }
    store.restore(backup)
    try await sync(a, b, a, b)
    expectTexts(["Trip.imageNotes/2.txt": "from b", "Trip.imageNotes/1.txt": "from a"], on: a, b)
  }

  @Test func `that lost the last entry alone is noticed by all machines`() async throws {
    let lossy = try LossyStore(.folder)
    let a = try await DeviceFixture("a", lossy.store, enclosesSmall: false)
    let b = try await DeviceFixture("b", lossy.store, enclosesSmall: false)
    try await a.share("one", as: "Notes.txt", with: b)
    try a.write("two", to: "Notes.txt")
    try await sync(a, b)
    let last = try #require(lossy.objects.keys.filter { $0.hasPrefix("log/") }.max())
    try lossy.change { key, bytes in key == last ? nil : bytes }
    #expect(try await a.container.sync().lost == ["Notes.txt"])
    try a.write("three", to: "Notes.txt")
    try await sync(a, b)
    #expect(b.text("Notes.txt") == "three")
    try b.write("four", to: "Notes.txt")
    try await sync(b, a)
    #expect(a.text("Notes.txt") == "four")
    #expect(try await a.container.check(reads: true).isWhole)
  }

  @Test func `is noticed by a machine whose clock went back a little`() async throws {
    let clock = ModelClock()
    let store = MemoryStore()
    let a = try await DeviceFixture("a", store, clock: clock)
    try await a.upload("one", to: "Notes.txt")
    let backup = store.backUp()
    clock.advance(100)
    try await a.upload("two", to: "Notes.txt")
    store.restore(backup)
    clock.advance(-60)
    #expect(try await a.sync().lost == ["Notes.txt"])
  }

  @Test func `is noticed by an operation that is no run`() async throws {
    let (store, a) = try await DeviceFixture.one()
    for name in ["1.txt", "2.txt"] { try a.write(name, to: name) }
    try await a.sync()
    for name in ["1.txt", "2.txt"] { try await a.container.delete(itemNamed: name) }
    try await a.sync()
    let backup = store.backUp()
    let deleted = try await a.container.deletedItems().sorted { $0.name < $1.name }
    _ = try await a.container.restore(deleted[0].document)
    store.restore(backup)
    // The look before it finds the loss, and the next run makes up for it.
    _ = try await a.container.restore(deleted[1].document)
    try await a.sync()
    let b = try await DeviceFixture("b", store)
    try await b.sync()
    #expect(try await b.container.items().map(\.name).sorted() == ["1.txt", "2.txt"])
  }

  @Test func `is compared again after a comparison that was cut off at any call`() async throws {
    for call in 0..<20 {
      try await withTemporaryDirectory { directory in
        let refused = Mutex<Int?>(nil)
        let store = MemoryStore(trouble: { _ in
          refused.withLock { left in
            guard let calls = left else { return nil }
            left = max(0, calls - 1)
            return calls == 0 ? .refusal(.unreachable) : nil
          }
        })
        let a = try await DeviceFixture("a", in: directory, store)
        let b = try await DeviceFixture("b", in: directory, store)
        for name in ["1.txt", "2.txt"] { try a.write("old", to: name) }
        try await a.sync()
        let backup = store.backUp()
        for name in ["1.txt", "2.txt"] { try a.write("new", to: name) }
        try await sync(a, b)
        for name in ["1.txt", "2.txt"] { try await b.container.download(itemNamed: name) }
        store.restore(backup)
        // The next versions have the numbers of the lost ones.
        for name in ["1.txt", "2.txt"] { try a.write("newest", to: name) }
        #expect(try await a.container.sync().lost == ["1.txt", "2.txt"])
        refused.withLock { $0 = call }
        _ = try? await b.container.sync()
        refused.withLock { $0 = nil }
        try await sync(a, b, a, b)
        for device in [a, b] {
          for name in ["1.txt", "2.txt"] { #expect(device.text(name) == "newest", "call \(call)") }
        }
      }
    }
  }

  /// A loss, and the objects that are left.
  enum Loss: CaseIterable {
    case blobs, content, pages, cutShort, entries

    func left(_ key: String, _ bytes: Data) -> Data? {
      switch self {
      case .blobs: key.hasPrefix("blobs/") ? nil : bytes
      case .content:
        bytes.starts(with: Data("the only".utf8)) ? Data("the lost".utf8) + bytes.dropFirst(8) : bytes
      case .pages:
        key.hasPrefix("blobs/") && bytes.count != 100_000 && !bytes.starts(with: Data("the".utf8))
          ? nil : bytes
      case .cutShort: bytes.count == 100_000 ? bytes.dropLast() : bytes
      case .entries: key.hasPrefix("log/") ? nil : bytes
      }
    }
  }

  @Test(arguments: LossyStore.Kind.allCases, Loss.allCases)
  func `takes no document from the machine that has it`(kind: LossyStore.Kind, loss: Loss) async throws {
    let lossy = try LossyStore(kind)
    let a = try await DeviceFixture("a", lossy.store, enclosesSmall: false)
    let large = String(repeating: "l", count: 100_000)
    try await a.makePackage("Trip.imageNotes", ["Text.txt": "the only copy", "Large.txt": large])
    try await sync(a, a)
    try lossy.change(loss.left)
    // With the entries gone, the eviction first stores the version again.
    if loss != .entries {
      await #expect(throws: CloudDataError.self) { try await a.container.evict(itemNamed: "Trip.imageNotes") }
      #expect(a.text("Trip.imageNotes/Text.txt") == "the only copy")
      #expect(a.text("Trip.imageNotes/Large.txt") == large)
      return
    }
    try await a.container.evict(itemNamed: "Trip.imageNotes")
    try await a.container.download(itemNamed: "Trip.imageNotes")
    #expect(a.text("Trip.imageNotes/Text.txt") == "the only copy")
  }

  @Test func `is asked one question for each object before a document goes`() async throws {
    let (store, a) = try await DeviceFixture.one(enclosesSmall: false)
    try await a.uploadPackage("Trip.imageNotes", ["1.txt": "one", "2.txt": "two"])
    let before = store.callCount
    try await a.container.evict(itemNamed: "Trip.imageNotes")
    // The log, its last entry, a page, and the contents of two children and of the metadata.
    #expect(store.callCount - before == 6)
  }

  @Test func `keeps all content in a collection of garbage that cannot see the log`() async throws {
    let lossy = try LossyStore(.folder)
    let a = try await DeviceFixture("a", lossy.store, enclosesSmall: false)
    try await a.upload("one", to: "Notes.txt")
    let all = try lossy.objects
    let blobs = all.filter { $0.key.hasPrefix("blobs/") }
    // The objects are on a disk that is not mounted.
    for mark in [nil, Data("{}".utf8)] {
      try lossy.restore(blobs.merging(mark.map { ["container": $0] } ?? [:]) { $1 })
      await #expect(throws: CloudDataError.self) { try await a.container.collectGarbage(isDryRun: false) }
      #expect(try blobs.allSatisfy { try lossy.objects[$0.key] == $0.value })
    }
    // The log alone is gone, and this machine has all that it had.
    try lossy.restore(all)
    try lossy.change { key, bytes in key.hasPrefix("log/") ? nil : bytes }
    try await a.sync()
    _ = try await a.container.collectGarbage(isDryRun: false)
    #expect(try await a.container.check(reads: true).isWhole)
  }

  @Test func `is named by a check`() async throws {
    let lossy = try LossyStore(.folder)
    let a = try await DeviceFixture("a", lossy.store, enclosesSmall: false)
    try await a.upload("one", to: "Notes.txt")
    let backup = try lossy.objects
    #expect(try await a.container.check().finding == .whole)
    try await a.upload("two", to: "Notes.txt")
    let all = try lossy.objects
    try lossy.restore(backup)
    let rolledBack = try await a.container.check()
    #expect(rolledBack.finding == .rolledBack && "\(rolledBack)".contains("lacks an entry"), "\(rolledBack)")
    // Another entry has the number.
    try lossy.restore(all)
    try lossy.change { key, bytes in
      guard key == all.keys.filter({ $0.hasPrefix("log/") }).max() else { return bytes }
      return Data(bytes.map { $0 == UInt8(ascii: "a") ? UInt8(ascii: "b") : $0 })
    }
    #expect(try await a.container.check().finding == .rolledBack)
    try lossy.restore([:])
    #expect(try await a.container.check().finding == .empty)
    try lossy.restore(["note.txt": Data("a".utf8)])
    #expect(try await a.container.check().finding == .noContainer)
    _ = try await DeviceFixture("b", lossy.store, enclosesSmall: false)
    #expect(try await a.container.check().finding == .anotherContainer)
    try lossy.change { key, bytes in key == "container" ? Data("{".utf8) : bytes }
    let damaged = try await a.container.check()
    #expect(damaged.finding == .damaged && !damaged.isWhole)
  }
}
