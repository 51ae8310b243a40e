import CloudContainers
import Documents
import Foundation
import ObjectStores
import StoreTestSupport
import SystemPackage
import TestSupport
import Testing

@Suite("An encrypted container", .temporaryDirectory)
struct EncryptionTests {
  /// A text larger than a document that its version contains.
  private static let plan = "The hut at last." + String(repeating: ".", count: 5_000)
  private let secret = ContainerSecret.passphrase("correct horse")

  private func add(
    _ name: String, _ store: any ObjectStore, _ secret: ContainerSecret?
  ) async throws -> DeviceFixture {
    let folder = URL(filePath: folder.appending(name).string, directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return DeviceFixture(
      try await CloudContainer.add(folder, to: store, address: "memory", deviceName: name, secret: secret))
  }

  /// The bytes of all objects, with their keys.
  private func objects(_ store: any ObjectStore) async throws -> [ObjectKey: Data] {
    var keys: [ObjectKey] = []
    try await store.listAll("") { page in
      keys += page.map(\.key)
      return true
    }
    var objects: [ObjectKey: Data] = [:]
    for key in keys { objects[key] = try await store.get(key) }
    return objects
  }

  /// Two machines write, merge, get a conflict, delete and evict.
  private func work(_ a: DeviceFixture, _ b: DeviceFixture) async throws {
    try a.write(Self.plan, to: "Secret plan.txt")
    try await a.makePackage(
      "Alpine trip.imageNotes",
      ["Text.txt": "three valleys", "Picture.png": String(repeating: "p", count: 300_000)])
    try await sync(a, b)
    for name in ["Secret plan.txt", "Alpine trip.imageNotes"] {
      try await b.container.download(itemNamed: name)
    }
    try await a.edit("Alpine trip.imageNotes", ["Text.txt": "four valleys"])
    try await b.edit("Alpine trip.imageNotes", ["Text.txt": "five valleys"])
    try await sync(a, b, a)
    try await a.container.delete(itemNamed: "Secret plan.txt")
    try await b.sync()
    try await b.container.evict(itemNamed: "Alpine trip.imageNotes")
    try await b.container.download(itemNamed: "Alpine trip.imageNotes")
  }

  /// The store learns nothing of the contents (ES1).
  @Test(arguments: [true, false])
  func `shows the store no text, name, device or digest`(isEncrypted: Bool) async throws {
    let store = MemoryStore()
    let secret = isEncrypted ? secret : nil
    let a = try await add("laptop of Ada", store, secret)
    let b = try await add("desktop of Ada", store, secret)
    try await work(a, b)
    #expect(b.text("Alpine trip.imageNotes/Text.txt") == a.text("Alpine trip.imageNotes/Text.txt"))
    #expect(try await b.container.check(reads: true).isWhole)
    let words = [
      "valleys", "The hut", "ppppppppp", "Secret plan", "Alpine trip", "Text.txt", "Picture.png", "of Ada",
      "imageNotes", "public.plain-text", a.container.session.settings.device,
    ]
    let digest = BlobName(of: Data(Self.plan.utf8))
    var found: Set<String> = []
    for (key, bytes) in try await objects(store) {
      for word in words where bytes.range(of: Data(word.utf8)) != nil { found.insert(word) }
      if key.string.contains("\(digest)") { found.insert("digest") }
    }
    // Without encryption the same search finds each of them: it can fail.
    #expect(found == (isEncrypted ? [] : Set(words + ["digest"])))
  }

  @Test func `opens with its passphrase or its key file, and with nothing else`() async throws {
    let store = MemoryStore()
    let a = try await add("a", store, secret)
    #expect(a.container.isEncrypted)
    try await a.upload("one", to: "Notes.txt")
    let file = try a.container.exportKey()
    let b = try await add("b", store, .keyFile(file))
    try await b.receive("Notes.txt")
    #expect(b.text("Notes.txt") == "one")
    let wrong: [ContainerSecret?] = [
      nil, .passphrase("Correct horse"), .keyFile("key"), .keyFile(file.replacing("1 ", with: "1 x")),
      .keyFile(ContainerKey.random().text(container: b.container.session.settings.container)),
    ]
    for (number, secret) in wrong.enumerated() {
      let error = await #expect(throws: CloudDataError.self) {
        _ = try await add("wrong \(number)", store, secret)
      }
      #expect(error?.code == .locked, "\(number): \(error.map { "\($0)" } ?? "")")
    }
    try await b.container.changePassphrase(to: "battery")
    #expect(
      await #expect(throws: CloudDataError.self) { _ = try await add("c", store, secret) }?
        .code
        == .locked)
    let c = try await add("c", store, .passphrase("battery"))
    try await sync(c, a)
    #expect(try await c.container.items().map(\.name) == ["Notes.txt"])
    // A container without encryption takes no secret: its user would believe that it is encrypted.
    let plain = MemoryStore()
    let d = try await add("d", plain, nil)
    #expect(!d.container.isEncrypted)
    #expect(
      await #expect(throws: CloudDataError.self) { _ = try await add("e", plain, secret) }?
        .code
        == .notEncrypted)
    #expect(throws: CloudDataError.self) { _ = try d.container.exportKey() }
  }

  @Test func `has a key that only its user can read, and that leaves with the folder`() async throws {
    let store = MemoryStore()
    let a = try await add("a", store, secret)
    let file = a.url.appending(path: ".docpkg-cloud/key").path
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let key = ContainerKey.random()
    #expect(!String(reflecting: key).contains("bytes") && "\(key)" == "the key of a container")
    // Without its key, the folder opens nothing, and sends nothing.
    let text = try Data(contentsOf: URL(filePath: file))
    for damaged in [nil, Data("key".utf8), text.dropLast(8)] {
      try FileManager.default.removeItem(atPath: file)
      try damaged?.write(to: URL(filePath: file))
      await expect(\FilePackageError.code, .invalidContent) {
        try await CloudContainer.open(a.url, in: store)
      }
      if damaged == nil { try text.write(to: URL(filePath: file)) }
    }
    _ = try await a.container.leave()
    #expect(!FileManager.default.fileExists(atPath: file))
  }

  @Test func `does not open with the key of another container`() async throws {
    let (a, b) = (try await add("a", MemoryStore(), secret), try await add("b", MemoryStore(), secret))
    let folder = try ContainerFolder(a.url)
    #expect(try folder.key(of: folder.settings()) != nil)
    let key = ".docpkg-cloud/key"
    try Data(contentsOf: b.url.appending(path: key)).write(to: a.url.appending(path: key))
    expect(\FilePackageError.code, .invalidContent) { try folder.key(of: folder.settings()) }
  }

  /// The store can make nothing up (ES2).
  @Test func `reads no object that the store exchanged, changed, cut short or made`() async throws {
    let memory = MemoryStore()
    let store = EncryptedStore(memory, key: .random())
    let keys: [ObjectKey] = ["documents/a", "documents/b", "feed/c"]
    for key in keys { try await store.put(Data("text of \(key)".utf8), at: key) }
    try await store.put(Data(), at: "feed/empty")
    #expect(try await store.get("documents/a") == Data("text of documents/a".utf8))
    #expect(try await store.get("feed/empty") == Data())
    #expect(try await store.get("documents/a", limit: 7) == Data("text of".utf8))
    #expect(try await store.head("documents/a")?.size == 19)
    let sealed = try #require(try await memory.get("documents/a"))
    let other = try #require(try await memory.get("documents/b"))
    var damages = [other, Data("text of documents/a".utf8), Data(), sealed.dropLast(), sealed + [0]]
    for index in sealed.indices {
      var damaged = sealed
      damaged[index] ^= 1
      damages.append(damaged)
    }
    for damaged in damages {
      try await memory.put(damaged, at: "documents/a")
      await expect(\ObjectStoreError.code, .damaged) { try await store.get("documents/a") }
    }
    // A part of an object is checked with the whole object.
    try await memory.put(sealed, at: "documents/a")
    #expect(try await store.get("documents/a", limit: 4) == Data("text".utf8))
    try await memory.put(sealed + [0], at: "documents/a")
    await expect(\ObjectStoreError.code, .damaged) { try await store.get("documents/a", limit: 4) }
  }

  @Test func `keeps its names apart, and lists all of them`() async throws {
    let memory = MemoryStore()
    let store = EncryptedStore(memory, key: .random())
    let names = (0..<2_500).map { BlobName(of: Data("\($0)".utf8)).key }
    for name in names { try await store.put(Data("a".utf8), at: name) }
    for prefix in ["blobs/", ""] {
      var listed: [ObjectKey] = []
      try await store.listAll(prefix) { page in
        listed += page.map(\.key)
        return true
      }
      #expect(listed.count == names.count && Set(listed) == Set(names))
    }
    #expect(Set(memory.keys).isDisjoint(with: names))
    try await store.delete(names[0])
    #expect(try await store.head(names[0]) == nil)
    #expect(memory.keys.count == names.count - 1)
    // Another key makes other names.
    let other = EncryptedStore(MemoryStore(), key: .random())
    try await other.put(Data(), at: names[1])
    let otherName = try #require((other.base as? MemoryStore)?.keys.first)
    #expect(!memory.keys.contains(otherName))
  }

  @Test func `is not mistaken for one in the clear, whatever the store says`() async throws {
    let store = MemoryStore()
    let a = try await add("a", store, secret)
    try await a.upload("one", to: "Notes.txt")
    let mark = try #require(try await store.get(ContainerMark.key))
    let container = a.container.session.settings.container
    let plain = Data(#"{"container":"\#(container)","format":3}"#.utf8)
    try await store.put(plain, at: ContainerMark.key)
    let before = try await objects(store)
    try a.write("two", to: "Notes.txt")
    _ = try await a.container.sync()
    #expect(try await a.container.check().finding == .damaged)
    // The machine has the key, and gives and takes no byte in the clear.
    let after = try await objects(store)
    #expect(after.count == before.count + 1)
    #expect(after.allSatisfy { $0.key == ContainerMark.key || $0.value.starts(with: Data("DPE1".utf8)) })
    #expect(after[ContainerMark.key] == before[ContainerMark.key])
    let b = DeviceFixture(try await CloudContainer.open(a.url, in: store))
    for ending in ["", "-wal", "-shm"] {
      let file = b.url.appending(path: ".docpkg-cloud/state.sqlite\(ending)")
      if FileManager.default.fileExists(atPath: file.path) { try FileManager.default.removeItem(at: file) }
    }
    let c = DeviceFixture(try await CloudContainer.open(a.url, in: store))
    await #expect(throws: CloudDataError.self) { _ = try await c.container.sync() }
    // The mark of another key.
    try await ContainerMark(store).replace(ContainerMark.Record(container: container, key: .random()))
    #expect(await #expect(throws: CloudDataError.self) { _ = try await c.container.sync() }?.code == .locked)
    try await store.put(mark, at: ContainerMark.key)
    try await c.sync()
  }

  @Test func `is whole again after a repair, with its key and without its passphrase`() async throws {
    let store = MemoryStore()
    let a = try await add("a", store, secret)
    try a.write("one", to: "Notes.txt")
    try await a.uploadPackage("Trip.imageNotes", ["1.txt": "one", "2.txt": "two"])
    // The store damages every object that it has.
    for key in store.keys where key != ContainerMark.key {
      try await store.put(Data("damaged".utf8), at: key)
    }
    #expect(try await !a.container.check(reads: true).isWhole)
    #expect(try await a.container.repair(reads: true).check.isWhole)
    try await store.delete(ContainerMark.key)
    #expect(try await a.container.repair(reads: true).check.isWhole)
    #expect(
      await #expect(throws: CloudDataError.self) { _ = try await add("b", store, secret) }?
        .code
        == .locked)
    let b = try await add("b", store, .keyFile(try a.container.exportKey()))
    try await b.receive("Trip.imageNotes")
    #expect(b.text("Trip.imageNotes/2.txt") == "two")
  }

  @Test func `goes to another store as it is`() async throws {
    let (old, new) = (MemoryStore(), MemoryStore())
    let a = try await add("a", old, secret)
    try await a.upload("one", to: "Notes.txt")
    let before = try await objects(old)
    for key in old.keys { try await new.put(old.get(key) ?? Data(), at: key) }
    try await CloudContainer.relocate(a.url, to: new, address: "new")
    #expect(try await objects(new) == before)
    let moved = DeviceFixture(try await CloudContainer.open(a.url, in: new))
    try await moved.upload("two", to: "Notes.txt")
    #expect(try await moved.container.check(reads: true).isWhole)
  }

  @Test func `has a passphrase whose cost a store can neither raise nor lower`() throws {
    let key = ContainerKey.random()
    let slot = try KeySlot(key, passphrase: "word", cost: .least)
    #expect(try slot.key(passphrase: "word") == key)
    #expect(try slot.key(passphrase: "words") == nil)
    #expect(try slot.key(passphrase: "") == nil)
    for cost in [(13, 1), (21, 1), (62, 1), (-1, 1), (14, 0), (14, 5), (14, -1)] {
      var changed = slot
      changed.cost = KeySlot.Cost(logN: cost.0, p: cost.1)
      #expect(try changed.key(passphrase: "word") == nil)
    }
    var changed = slot
    changed.salt = Data([1])
    #expect(try changed.key(passphrase: "word") == nil)
    changed = slot
    changed.sealed[20] ^= 1
    #expect(try changed.key(passphrase: "word") == nil)
  }
}
