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

@Suite("The log of a container", .temporaryDirectory)
struct ContainerLogTests {
  private func version(_ name: String = "Notes.txt", _ sequence: Int = 1) throws -> StoredVersion {
    var generator = SystemRandomNumberGenerator()
    let root = TreeRoot(page: BlobName(of: Data(name.utf8)), totals: TreeTotals(entries: 1, bytes: 3))
    let json = #"""
      {"conflicts":[],"date":1800000000123,"device":"d1","deviceName":"laptop",\#
      "document":"\#(CloudDocumentID.random(using: &generator))","format":2,"isDeleted":false,"isPackage":false,\#
      "name":"\#(name)","root":"\#(Data(root.bytes).base64EncodedString())","sequence":\#(sequence),"type":"text"}
      """#
    return try StoredVersion(decoding: Data(json.utf8))
  }

  // MARK: Bytes

  @Test func `has entries that no damage changes, and refuses others`() throws {
    let changes: [LogEntry.Change] = [
      .device("a1b2c3d4", name: "a laptop / of mine"), .version(try version()), .device("b", name: nil),
      .collecting(before: 7), .collected(8), .moved("s3://bucket/new"),
    ]
    let entry = LogEntry(after: BlobName(of: Data([1])), by: "a1b2c3d4", on: 1_800_000_000_000, changes)
    let bytes = entry.bytes
    #expect(try LogEntry(decoding: bytes) == entry)
    for index in bytes.indices {
      var damaged = bytes
      damaged[index] ^= 0x41
      #expect((try? LogEntry(decoding: damaged)) != entry)
      #expect((try? LogEntry(decoding: bytes[..<index])) != entry)
    }
    var newer = bytes
    newer[0] = 2
    #expect(throws: LogEntry.Problem.newerFormat) { try LogEntry(decoding: newer) }
    #expect(throws: LogEntry.Problem.invalid) { try LogEntry(decoding: Data()) }
    #expect(throws: LogEntry.Problem.tooLarge) {
      try LogEntry(decoding: Data(count: LogEntry.maximumSize + 1))
    }
    for device in ["", "a/b", String(repeating: "a", count: 65)] {
      let entry = LogEntry(after: .zeros, by: device, on: 0, changes)
      #expect(throws: LogEntry.Problem.invalid) { try LogEntry(decoding: entry.bytes) }
    }
    let many = LogEntry(after: .zeros, by: "a", on: 0, Array(repeating: .collected(1), count: 258))
    #expect(throws: LogEntry.Problem.invalid) { try LogEntry(decoding: many.bytes) }
    #expect(throws: LogEntry.Problem.invalid) {
      try LogEntry(decoding: LogEntry(after: .zeros, by: "a", on: 0, []).bytes)
    }
  }

  @Test func `has keys in the order of their numbers`() throws {
    let numbers = [1, 9, 10, 4_711, 9_999_999_999_999_999]
    let keys = numbers.map(ContainerLog.key)
    #expect(keys == keys.sorted() && keys.map(ContainerLog.number) == numbers)
    for key: ObjectKey in ["log/a", "log/1", "log/0000000000000000", "state/0000000000000001"] {
      #expect(ContainerLog.number(of: key) == nil)
    }
  }

  @Test func `has snapshots that no damage changes`() async throws {
    let a = try await DeviceFixture("a", MemoryStore())
    for name in ["a.txt", "b.txt"] { try a.write(name, to: name) }
    try await a.sync()
    try await a.upload("another", to: "a.txt")
    let snapshot = try await a.container.session.state.snapshot()
    let bytes = snapshot.bytes
    let read = try #require(LogSnapshot(decoding: bytes))
    #expect(read.versions == snapshot.versions && read.versions.count == 3)
    #expect(read.devices == snapshot.devices && read.devices.map(\.name) == ["a"])
    #expect(read.position == snapshot.position)
    for index in bytes.indices where index < 200 || index.isMultiple(of: 7) {
      var damaged = bytes
      damaged[index] ^= 0x41
      #expect(LogSnapshot(decoding: damaged)?.bytes != bytes)
      #expect(LogSnapshot(decoding: bytes[..<index])?.bytes != bytes)
    }
  }

  // MARK: Writing

  @Test func `takes an entry of an earlier call for the same one, and no other entry of its number`()
    async throws
  {
    let store = MemoryStore()
    let log = ContainerLog(store)
    let entry = LogEntry(after: .zeros, by: "a", on: 0, [.version(try version())])
    // LG1
    for _ in 0..<2 { #expect(try await log.append(entry.bytes, at: 1)) }
    let other = LogEntry(after: .zeros, by: "b", on: 0, [.version(try version())])
    #expect(try await !log.append(other.bytes, at: 1))
    #expect(try await StoredLog(store).entries == [entry])
  }

  @Test func `has the versions of all machines that write at once, and each learns all`() async throws {
    let store = MemoryStore(trouble: { .delay($0.number % 3) })
    var devices: [DeviceFixture] = []
    for number in 0..<6 { devices.append(try await DeviceFixture("\(number)", store)) }
    for round in 0..<4 {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (number, device) in devices.enumerated() {
          try device.write("text", to: "\(round) \(number).txt")
          group.addTask {
            let report = try await device.container.sync()
            #expect(report.problems.isEmpty && report.failures.isEmpty, "\(report)")
          }
        }
        try await group.waitForAll()
      }
    }
    #expect(try await StoredLog(store).versions.count == 24)
    for device in devices {
      try await device.sync()
      #expect(try await device.container.items().count == 24)
    }
  }

  /// A machine that leaves a rule out takes its own version for one of another machine.
  @Test func `gets an entry whose answer was lost twice if nobody notes it`() async throws {
    let isCut = Mutex(false)
    let store = MemoryStore(trouble: { call in
      call.operation == .put && isCut.withLock { $0 } ? .lostAnswer : nil
    })
    let added = try await DeviceFixture("a", store)
    let a = DeviceFixture(
      try await CloudContainer.open(
        ContainerFolder(added.url), store, rules: .all.subtracting(.pending), now: { Date() }))
    try await a.upload("old", to: "1.txt")
    try a.write("new", to: "1.txt")
    isCut.withLock { $0 = true }
    #expect(try await a.container.sync().failures.count == 1)
    isCut.withLock { $0 = false }
    try a.write("an edit", to: "1.txt")
    #expect(try await a.sync().documents.map(\.events) != [["uploaded"]])
  }

  /// Two spellings of one name differ in case, or in the encoding of an accent.
  @Test(
    arguments: [LogRules.all, .all.subtracting(.names)],
    [["Notes.txt", "notes.txt"], ["\u{E9}.txt", "e\u{301}.txt"]])
  func `has one document of a name, also if two machines make it at once`(
    rules: LogRules, spellings: [String]
  ) async throws {
    let memory = MemoryStore()
    let gate = ActingStore(memory, before: ActingStore.isEntry)
    let added = try await DeviceFixture("a", memory)
    let a = DeviceFixture(
      try await CloudContainer.open(ContainerFolder(added.url), gate, rules: rules, now: { Date() }))
    let b = try await DeviceFixture("b", memory)
    try await sync(a, b)
    try a.write("of a", to: spellings[0])
    try b.write("of b", to: spellings[1])
    gate.once { try await b.sync() }
    try await a.sync()
    let names = try await StoredLog(memory).heads.map { DocumentName.folded($0.name) }
    // Without the rule, both have the name (CM1).
    #expect(Set(names).count == (rules == .all ? 2 : 1) && names.count == 2, "\(names)")
  }

  @Test(arguments: [MemoryStore.Trouble.refusal(.unreachable), .lostAnswer])
  func `gets an entry that was cut off once, with the next operation`(
    trouble: MemoryStore.Trouble
  ) async throws {
    let isCut = Mutex(false)
    let store = MemoryStore(trouble: { call in
      let isEntry = call.operation == .put && call.key.flatMap(ContainerLog.number) != nil
      return isEntry && isCut.withLock { $0 } ? trouble : nil
    })
    let (a, b) = try await DeviceFixture.two(store)
    try await sync(a, b)
    for name in ["1.txt", "2.txt"] { try a.write(name, to: name) }
    isCut.withLock { $0 = true }
    #expect(try await a.container.sync().failures.count == 2)
    isCut.withLock { $0 = false }
    // The plan commits nothing.
    let keys = store.keys
    _ = try await a.container.plan()
    #expect(store.keys == keys)
    // An edit since is one of the version that was cut off, and no conflict with it (CM3).
    try a.write("an edit", to: "1.txt")
    #expect(try await a.sync().documents.map(\.events) == [["uploaded"]])
    #expect(try await StoredLog(store).versions.values.map(\.count).sorted() == [1, 2])
    #expect(try await b.sync().discovered == 2)
    try await b.container.download(itemNamed: "1.txt")
    #expect(b.text("1.txt") == "an edit")
  }

  @Test func `takes a call that comes late for the one that was made again`() async throws {
    let store = MemoryStore()
    let late = LateStore(store)
    let a = try await DeviceFixture("a", late)
    let b = try await DeviceFixture("b", store)
    try await b.sync()
    try a.write("one", to: "Notes.txt")
    late.delays("log/")
    #expect(try await !a.container.sync().failures.isEmpty)
    try a.write("two", to: "Notes.txt")
    late.deliversBeforeNextPut()
    try await a.sync()
    #expect(try await a.sync().documents.isEmpty)
    #expect(try await StoredLog(store).versions.values.map(\.count) == [2])
    #expect(try await b.sync().discovered == 1)
  }

  @Test func `gets the versions of an operation that is no run, and of one that fails after its version`()
    async throws
  {
    let (a, b) = try await DeviceFixture.two(MemoryStore())
    try a.write("one", to: "Notes.txt")
    try await sync(a, b)
    try a.write("two", to: "Notes.txt")
    await #expect(throws: FilePackageError.self) {
      try await a.container.restore(itemNamed: "Notes.txt", version: 7)
    }
    #expect(try await b.sync().discovered == 1)
    try await a.container.delete(itemNamed: "Notes.txt")
    try await b.sync()
    #expect(try await b.container.items().isEmpty)
  }

  @Test func `names the place of its next entry if something there is no entry`() async throws {
    let place = folder.appending("store")
    try FileManager.default.createDirectory(atPath: place.string, withIntermediateDirectories: false)
    let a = try await DeviceFixture("a", FolderStore(place, on: PosixDisk()))
    try await a.sync()
    let key = ContainerLog.key(try await a.container.session.state.known().position.number + 1)
    try createFolder(at: place.appending(key.string))
    try a.write("one", to: "one.txt")
    let failure = try #require(try await a.container.sync().failures.first)
    let error = try #require(failure.error as? CloudDataError)
    #expect(error.code == .refusedByStore && "\(error)".contains(key.string), "\(error)")
  }

  @Test func `of a store that has an entry and does not give it is refused at once`() async throws {
    let log = ContainerLog(TakenStore())
    let entry = LogEntry(after: .zeros, by: "a", on: 0, [.version(try version())])
    let error = await #expect(throws: CloudDataError.self) { try await log.append(entry.bytes, at: 1) }
    #expect(error?.code == .damagedLog && error?.key == ContainerLog.key(1).string)
  }

  @Test func `that has its last number takes no entry, and the run says so`() async throws {
    let (store, a) = try await DeviceFixture.one()
    try await a.sync()
    try await store.put(Data(), at: ContainerLog.key(LogEntry.maximumNumber), ifAbsent: true)
    try a.write("one", to: "one.txt")
    let error = await #expect(throws: CloudDataError.self) { try await a.container.sync() }
    #expect(error?.code == .damagedLog && a.text("one.txt") == "one")
  }

  @Test func `of another format is refused with a sentence`() async throws {
    let store = MemoryStore()
    for format in [1, 2] {
      try await store.put(Data(#"{"container":"a","format":\#(format)}"#.utf8), at: ContainerMark.key)
      let error = await #expect(throws: CloudDataError.self) { try await DeviceFixture("\(format)", store) }
      #expect(
        "\(error.map { "\($0)" } ?? "")".contains("an earlier version of this program made the container"))
    }
  }

  // MARK: Snapshots

  @Test func `spares a new machine a request for each document`() async throws {
    let store = MeteredStore()
    let a = try await DeviceFixture("a", store)
    for number in 0..<40 {
      try await a.upload("note", to: "\(number).txt")
    }
    #expect(try await !store.list("state/", limit: 1).objects.isEmpty)
    let b = try await DeviceFixture("b", store)
    let requests = try await store.requests { try await #require(b.sync().discovered == 40) }
    #expect(requests <= 30, "\(requests)")
    #expect(try await b.container.items().count == 40)
  }

  @Test(arguments: ["lost", "damaged", "cut", "another"])
  func `is read without a snapshot that is of no use`(kind: String) async throws {
    let (store, a) = try await DeviceFixture.one()
    for number in 0..<20 {
      try await a.upload("note", to: "\(number).txt")
    }
    for key in store.keys where key.string.hasPrefix("state/") {
      let bytes = try #require(await store.get(key))
      switch kind {
      case "lost": try await store.delete(key)
      case "damaged": try await store.put(Data(bytes.map { $0 ^ 1 }), at: key)
      case "cut": try await store.put(bytes.dropLast(), at: key)
      default:
        var other = try #require(LogSnapshot(decoding: bytes.dropFirst(32)))
        other.position.hash = .zeros
        try await store.put(Data(BlobName(of: other.bytes).hash.bytes) + other.bytes, at: key)
      }
    }
    let b = try await DeviceFixture("b", store)
    #expect(try await b.sync().problems.isEmpty)
    #expect(try await b.container.items().count == 20)
  }

  @Test func `loses old entries with the garbage, and a machine that was away goes on with a snapshot`()
    async throws
  {
    let clock = ModelClock()
    let (store, a, b) = try await DeviceFixture.two(clock: clock)
    for number in 1...3 {
      try await a.upload("\(number)", to: "\(number).txt")
      if number == 1 {
        try await b.receive("1.txt")
      }
    }
    try await a.upload("another", to: "1.txt")
    try b.write("local", to: "new.txt")
    clock.advance(31 * 86_400)
    _ = try await a.container.collectGarbage(isDryRun: false)
    let first = try #require(store.keys.compactMap(ContainerLog.number).min())
    #expect(first > 4 && store.keys.count { $0.string.hasPrefix("state/") } == 1)
    #expect(try await b.sync().lost.isEmpty && b.text("1.txt") == "another")
    #expect(try await b.container.items().map(\.name) == ["1.txt", "2.txt", "3.txt", "new.txt"])
    try await a.sync()
    #expect(try await a.container.items().count == 4)
    let c = try await DeviceFixture("c", store, clock: clock)
    try await c.sync()
    #expect(try await c.container.items().count == 4)
  }
}

/// A store that has no object, and gives each name away.
private struct TakenStore: ObjectStore {
  let place = "nowhere"

  func send(_ call: StoreCall) async throws(ObjectStoreError) -> StoreAnswer {
    if case .put = call { .stored(false) } else { .bytes(nil) }
  }
}
