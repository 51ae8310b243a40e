import CloudContainers
import Documents
import DurableIO
import Foundation
import GRDB
import ObjectStores
import StoreTestSupport
import SystemPackage
import TestSupport
import Testing

@Suite("Two machines and a container", .temporaryDirectory)
struct ContainerSyncTests {
  @Test func `a document that is edited and renamed during its upload is deleted nowhere`() async throws {
    let memory = MemoryStore()
    let slow = ActingStore(memory, before: ActingStore.isBlob)
    let (a, b) = try await DeviceFixture.two(slow, enclosesSmall: false)
    try await a.share("one", as: "a.txt", with: b)
    slow.once {
      try a.write("three, longer", to: "a.txt")
      try a.rename("a.txt", to: "b.txt")
    }
    try a.write("two", to: "a.txt")
    // The upload was overtaken, and may say so.
    _ = try await a.container.sync()
    try await sync(a, b)
    #expect(b.text("b.txt") == "three, longer")
    #expect(try await StoredLog(memory).heads.map(\.name) == ["b.txt"])
  }

  @Test func `a document that comes back while another one is uploaded is deleted nowhere`() async throws {
    let slow = ActingStore(MemoryStore(), before: ActingStore.isBlob)
    let (a, b) = try await DeviceFixture.two(slow, enclosesSmall: false)
    for name in ["a.txt", "b.txt"] { try a.write("one of \(name)", to: name) }
    try await a.share("a.txt", with: b)
    try await b.container.download(itemNamed: "b.txt")
    try a.remove("b.txt")
    try a.write("two", to: "a.txt")
    slow.once { try a.write("one of b.txt", to: "b.txt") }
    try await sync(a, b)
    #expect(a.text("b.txt") == "one of b.txt" && b.text("b.txt") == "one of b.txt")
  }

  @Test func `a document that becomes a flat file or a package is that on both`() async throws {
    let (a, b) = try await DeviceFixture.two(MemoryStore())
    try await a.share("Trip.imageNotes", ["1.txt": "one"], with: b)
    try a.remove("Trip.imageNotes")
    try a.write("flat", to: "Trip.imageNotes")
    try await sync(a, b)
    #expect(b.text("Trip.imageNotes") == "flat")
    try b.remove("Trip.imageNotes")
    try await b.makePackage("Trip.imageNotes", ["1.txt": "two"])
    try await sync(b, a)
    #expect(a.text("Trip.imageNotes/1.txt") == "two")
  }

  @Test func `a name of the container that is taken here makes two documents`() async throws {
    let (a, b) = try await DeviceFixture.two(MemoryStore())
    try await a.share("one", as: "A.txt", with: b)
    try b.rename("A.txt", to: "X.txt")
    try await b.sync()
    try a.write("mine", to: "X.txt")
    try await sync(a, b)
    for name in try await b.container.items().map(\.name) { try await b.container.download(itemNamed: name) }
    try await sync(b, a)
    for device in [a, b] {
      let names = try await device.container.items().map(\.name)
      #expect(Set(names.map(device.text)) == ["one", "mine"], "\(names)")
    }
  }

  @Test func `two spellings of one name are one document, and the other file is named`() async throws {
    let (a, b) = try await DeviceFixture.two(MemoryStore())
    try await a.share("theirs", as: "e\u{301}.txt", with: b)
    try a.write("mine", to: "\u{E9}.txt")
    let report = try await a.sync()
    #expect(report.documents.isEmpty && report.leftOut.count == 1, "\(report)")
    try await b.sync()
    #expect(b.text("e\u{301}.txt") == "theirs")
  }

  @Test func `an entry of the log that cannot be read stops a sync, and is told`() async throws {
    let (store, a, b) = try await DeviceFixture.two()
    try await a.share("good", as: "Good.txt", with: b)
    try await a.upload("bad", to: "Bad.txt")
    let key = try #require(store.keys.last { $0.string.hasPrefix("log/") })
    let bytes = try #require(await store.get(key))
    let entry = try LogEntry(decoding: bytes)
    let version = try #require(entry.versions.first).version
    func changed(_ body: (inout CloudVersion) -> Void) throws -> Data {
      var version = version
      body(&version)
      let text = try version.encoded()
      let other = with(entry) { $0.changes = [] }
      // A version that no reader takes has no value of its own.
      return other.bytes + [1] + withUnsafeBytes(of: UInt32(text.count).littleEndian) { Data($0) } + text
    }
    let hostile = [
      Data("<html>".utf8), try changed { $0.name = "../Bad.txt" },
      try changed { $0.name = ".docpkg-cloud/state.sqlite" }, try changed { $0.sequence = 0 },
      bytes.dropLast(), bytes + [1], Data([2]) + bytes.dropFirst(), Data(repeating: 32, count: 5 << 20),
      Data(),
      LogEntry(after: .zeros, by: "d", on: 0, entry.changes).bytes,
    ]
    for (number, bytes) in hostile.enumerated() {
      try await store.put(bytes, at: key, ifAbsent: false)
      try b.write("good \(number)", to: "Good.txt")
      let error = await #expect(throws: CloudDataError.self) { try await b.container.sync() }
      #expect([.damagedLog, .newerFormat].contains(error?.code), "\(number)")
      #expect(error.map { "\($0)".contains(key.string) } == true, "\(number)")
      #expect(b.text("Good.txt") == "good \(number)")
      #expect(try await b.container.items().map(\.name) == ["Good.txt"])
    }
    // The machine that made the entry stores it again.
    #expect(try await a.container.repair().entries == 1)
    #expect(try await store.get(key) == bytes)
    try await b.sync()
    #expect(try await b.container.items().map(\.name) == ["Bad.txt", "Good.txt"])
  }

  @Test func `a child that is removed here goes, also if the known entries are damaged`() async throws {
    let (store, a, b) = try await DeviceFixture.two()
    let texts = Dictionary(uniqueKeysWithValues: (0..<100).map { ("\($0).txt", "text \($0)") })
    try await a.uploadPackage("Trip.imageNotes", texts)
    try await a.container.session.state.database.write { db in
      try db.execute(sql: "UPDATE page SET bytes = x'00' WHERE first = (SELECT min(first) FROM page)")
    }
    let again = DeviceFixture(try await CloudContainer.open(a.url, in: store))
    try await again.edit("Trip.imageNotes", ["0.txt": nil])
    try await again.share("Trip.imageNotes", with: b)
    #expect(b.text("Trip.imageNotes/0.txt") == nil && b.text("Trip.imageNotes/1.txt") == "text 1")
  }

  @Test func `documents that both made under one name get two names, the same on both`() async throws {
    let (a, b) = try await DeviceFixture.two(MemoryStore())
    try a.write("from a", to: "Notes.txt")
    try b.write("from b", to: "Notes.txt")
    try await a.sync()
    try await b.share("Notes 2.txt", with: a)
    #expect(a.text("Notes.txt") == b.text("Notes.txt"))
    #expect(a.text("Notes 2.txt") == b.text("Notes 2.txt"))
    #expect(Set([a.text("Notes.txt"), a.text("Notes 2.txt")]) == ["from a", "from b"])
  }

  @Test func `a renamed child is not sent again`() async throws {
    let store = CountingStore(MemoryStore())
    // A week later no blob counts as stored lately.
    let later = Date().addingTimeInterval(7 * 86_400)
    let text = String(repeating: "a long text\n", count: 50_000)
    let first = try await DeviceFixture("a", store)
    try await first.uploadPackage("Trip.imageNotes", ["Large.txt": text, "Other.txt": "other"])
    let container = try await CloudContainer.open(ContainerFolder(first.url), store, now: { later })
    try await first.edit("Trip.imageNotes", ["Large.txt": nil, "Renamed.txt": text])
    let before = store.traffic
    #expect(try await container.sync().documents.map(\.uploaded) == [true])
    #expect((store.traffic - before).bytesSent < 20_000, "\(store.traffic - before)")
  }

  @Test func `a document that other machines could not take is not uploaded`() async throws {
    let (a, b) = try await DeviceFixture.two(MemoryStore())
    try await a.makePackage("Trip.imageNotes", ["Same.txt": "one", "same.txt": "two"])
    let report = try await a.container.sync()
    let error = try #require(report.failures.first?.error as? CloudDataError)
    #expect(error.code == .refused && error.description.contains("'Same.txt' differs only in case"))
    #expect(try await b.sync().discovered == 0)
    try await a.upload("Trip.imageNotes", ["same.txt": nil])
    #expect(try await b.sync().discovered == 1)
  }

  @Test func `a file with a long extension is one that every machine can read`() async throws {
    let (a, b) = try await DeviceFixture.two(MemoryStore())
    let name = "1." + String(repeating: "я", count: 72)
    try a.write("one", to: name)
    for device in [a, a, b] { try await device.sync() }
    #expect(try await a.container.items().map(\.name) == [name])
    try await b.container.download(itemNamed: name)
    #expect(b.text(name) == "one")
  }
}
