import CloudContainers
import FilePackages
import Foundation
import ObjectStores
import StoreTestSupport
import TestSupport
import Testing

@Suite("A small document in a container", .temporaryDirectory)
struct SmallDocumentTests {
  /// Two machines with one store and one clock.
  private func makeTwo() async throws -> (DeviceFixture, DeviceFixture, MemoryStore, ModelClock) {
    let clock = ModelClock()
    let (store, a, b) = try await DeviceFixture.two(clock: clock)
    return (a, b, store, clock)
  }

  private func blobs(_ store: MemoryStore) -> Int { store.keys.count { $0.string.hasPrefix("blobs/") } }

  @Test func `costs no request of its own`() async throws {
    let store = MeteredStore()
    let device = try await DeviceFixture("a", store)
    try await device.sync()
    let before = store.callCount
    for number in 0..<100 { try device.write("note \(number)", to: "Note \(number).txt") }
    try await device.sync()
    // A look at the log, the bytes of the last known entry, a new one, and perhaps a snapshot.
    #expect(store.callCount - before <= 5, "\(store.callCount - before)")
  }

  @Test func `has its content in the version alone, and a changed one in the next version`() async throws {
    let (a, b, store, _) = try await makeTwo()
    try a.write("one", to: "Notes.txt")
    try await a.makePackage("Trip.imageNotes", ["1.txt": "one", "Folder/2.txt": "two"])
    try await sync(a, b)
    #expect(blobs(store) == 0)
    try await b.container.download(itemsNamed: ["Notes.txt", "Trip.imageNotes"])
    #expect(b.text("Notes.txt") == "one" && b.text("Trip.imageNotes/Folder/2.txt") == "two")
    try await b.edit("Trip.imageNotes", ["1.txt": "ONE", "3.txt": "three"])
    try b.rename("Notes.txt", to: "Other.txt")
    try await sync(b, a)
    #expect(a.text("Trip.imageNotes/1.txt") == "ONE" && a.text("Trip.imageNotes/3.txt") == "three")
    #expect(a.text("Other.txt") == "one" && a.text("Trip.imageNotes/Folder/2.txt") == "two")
    try await a.container.evict(itemNamed: "Other.txt")
    try await a.container.download(itemNamed: "Other.txt")
    #expect(a.text("Other.txt") == "one" && blobs(store) == 0)
    #expect(try await a.container.check(reads: true).isWhole)
  }

  @Test func `that grows has blobs, and that shrinks has none`() async throws {
    let (a, b, store, clock) = try await makeTwo()
    try await a.share("Trip.imageNotes", ["1.txt": "one", "2.txt": "two"], with: b)
    let large = String(repeating: "large ", count: 2_000)
    // The child that does not change was in the version before alone (EN2).
    try await a.upload("Trip.imageNotes", ["2.txt": large])
    #expect(blobs(store) >= 3)
    #expect(try await a.container.check(reads: true).isWhole)
    try await b.sync()
    #expect(b.text("Trip.imageNotes/1.txt") == "one" && b.text("Trip.imageNotes/2.txt") == large)
    try await b.upload("Trip.imageNotes", ["2.txt": "small"])
    clock.advance(32 * 86_400)
    #expect(try await b.container.collectGarbage(isDryRun: false).versions == 2)
    #expect(blobs(store) == 0)
    try await a.sync()
    #expect(a.text("Trip.imageNotes/1.txt") == "one" && a.text("Trip.imageNotes/2.txt") == "small")
    #expect(try await a.container.check(reads: true).isWhole)
  }

  @Test func `comes back after thirty days as the version that it was`() async throws {
    let (a, _, store, clock) = try await makeTwo()
    for text in ["one", "two"] {
      try await a.upload(text, to: "Notes.txt")
      clock.advance(60)
    }
    _ = try await a.container.restore(itemNamed: "Notes.txt", version: 1)
    #expect(a.text("Notes.txt") == "one")
    try await a.container.delete(itemNamed: "Notes.txt")
    clock.advance(29 * 86_400)
    _ = try await a.container.collectGarbage(isDryRun: false)
    try await a.container.restore(#require(await a.container.deletedItems().first).document)
    clock.advance(32 * 86_400)
    _ = try await a.container.collectGarbage(isDryRun: false)
    try await a.container.download(itemNamed: "Notes.txt")
    #expect(a.text("Notes.txt") == "one" && blobs(store) == 0)
  }

  @Test func `has a version whose blobs are a whole tree and nothing else`() async throws {
    let (a, _, store, _) = try await makeTwo()
    try await a.uploadPackage("Trip.imageNotes", ["1.txt": "one", "2.txt": "two"])
    let bytes = try #require(try await StoredLog(store).heads.first).encoded()
    let version = try CloudVersion(decoding: bytes)
    #expect(version.hasContent)
    #expect(try version.encoded() == bytes)
    // A blob too few, too many, twice, in another place, or another one (EN1).
    var swapped = version.blobs
    swapped.swapAt(1, 2)
    let other = Data("another".utf8)
    for blobs in [
      [], Array(version.blobs.dropLast()), version.blobs + [other], version.blobs + [version.blobs[0]],
      swapped,
      [other],
    ] {
      let encoded = { (blobs: [Data]) in
        "["
          + blobs.map { "\"\($0.base64EncodedString().replacing("/", with: "\\/"))\"" }.joined(separator: ",")
          + "]"
      }
      let text = String(decoding: bytes, as: UTF8.self)
      let changed = text.replacing(encoded(version.blobs), with: encoded(blobs))
      try #require(changed != text)
      #expect(throws: CloudVersion.Problem.invalid("blobs")) {
        try CloudVersion(decoding: Data(changed.utf8))
      }
      // The state has only versions that were checked when they came.
      #expect(try CloudVersion(decoding: Data(changed.utf8), isChecked: true).blobs == blobs)
    }
  }
}
