import CloudContainers
import DurableIO
import FilePackages
import Foundation
import GRDB
import ObjectStores
import StoreTestSupport
import SystemPackage
import TestSupport
import Testing

@Suite("A container that was damaged", .temporaryDirectory)
struct RepairTests {
  /// A loss that a machine with all documents can mend.
  enum Damage: CaseIterable {
    case blobs, wrongBytes, entries, damagedEntries, mark

    var isOfEntries: Bool { self == .entries || self == .damagedEntries }

    func left(_ key: String, _ bytes: Data) -> Data? {
      switch self {
      case .blobs where key.hasPrefix("blobs/"): nil
      case .wrongBytes where key.hasPrefix("blobs/"): Data(bytes.map { $0 ^ 1 })
      case .entries where key.hasPrefix("log/"): nil
      case .damagedEntries where key.hasPrefix("log/"): Data("{".utf8)
      case .mark where key == "container": Data()
      default: bytes
      }
    }
  }

  @Test func `gets from each machine also what an earlier version needs`() async throws {
    let (store, a, b) = try await DeviceFixture.two()
    // Larger than a document that its version contains.
    let (old, new) = (String(repeating: "one", count: 5_000), String(repeating: "ONE", count: 5_000))
    try await a.share("Trip.imageNotes", ["1.txt": old, "2.txt": "two"], with: b)
    try await b.upload("Trip.imageNotes", ["1.txt": new])
    // Only the machine that did not learn of the edit still has the first text.
    try await store.delete(BlobName(of: Data(old.utf8)).key)
    #expect(try await !b.container.repair(reads: true).check.isWhole)
    #expect(try await a.container.repair(reads: true).check.isWhole)
    #expect(a.text("Trip.imageNotes/1.txt") == new)
    #expect(try await b.container.check(reads: true).isWhole)
  }

  @Test(arguments: [false, true])
  func `merges what two machines have after the loss of a version that one of them knew`(
    isEdited: Bool
  ) async throws {
    let (store, a, b) = try await DeviceFixture.two()
    try await a.share("one", as: "Notes.txt", with: b)
    try await b.upload("two", to: "Notes.txt")
    try a.write("three", to: "Notes.txt")
    if isEdited { try b.write("four", to: "Notes.txt") }
    let lost = try #require(store.keys.last { $0.string.hasPrefix("log/") })
    try await store.delete(lost)
    _ = try await a.container.repair()
    _ = try await b.container.repair()
    try await sync(a, b)
    let names = try FileManager.default.contentsOfDirectory(atPath: b.url.path).filter {
      $0.hasSuffix(".txt")
    }
    #expect(Set(names.compactMap { b.text($0) }) == ["three", isEdited ? "four" : "two"], "\(names)")
  }

  @Test(arguments: LossyStore.Kind.allCases, Damage.allCases)
  func `is whole again after a repair on a machine with the documents`(
    kind: LossyStore.Kind, damage: Damage
  ) async throws {
    let lossy = try LossyStore(kind)
    let a = try await DeviceFixture("a", lossy.store, enclosesSmall: damage.isOfEntries)
    try a.write("one", to: "Notes.txt")
    try await a.uploadPackage("Trip.imageNotes", ["1.txt": "one", "Folder/2.txt": "two"])
    try lossy.change(damage.left)
    #expect(try await !a.container.check(reads: true).isWhole)
    let report = try await a.container.repair(reads: true)
    #expect(report.check.isWhole, "\(report.check)")
    let b = try await DeviceFixture("b", lossy.store)
    try await b.sync()
    try await b.container.download(itemsNamed: ["Notes.txt", "Trip.imageNotes"])
    #expect(b.text("Notes.txt") == "one" && b.text("Trip.imageNotes/Folder/2.txt") == "two")
  }

  @Test func `asks the store once for the content of each document`() async throws {
    let store = MeteredStore()
    let a = try await DeviceFixture("a", store, enclosesSmall: false)
    var requests: [Int] = []
    for count in [1, 21] {
      for number in 0..<count { try a.write("text \(number)", to: "\(number).txt") }
      try await a.sync()
      requests.append(try await store.requests { _ = try await a.container.repair() })
    }
    // The page and the content of each.
    #expect(requests[1] - requests[0] < 3 * 20, "\(requests)")
  }

  @Test func `leaves an entry of a newer program in its place`() async throws {
    let (store, a) = try await DeviceFixture.one()
    try await a.upload("one", to: "Notes.txt")
    let last = try #require(store.keys.compactMap(ContainerLog.number).max())
    let newer = Data([2, 0, 0])
    try await store.put(newer, at: ContainerLog.key(last + 1))
    await expect(\CloudDataError.code, .newerFormat) { try await a.container.repair() }
    #expect(try await store.get(ContainerLog.key(last + 1)) == newer)
  }

  @Test func `names what no machine has, and is not made of an empty store`() async throws {
    let lossy = try LossyStore(.folder)
    let a = try await DeviceFixture("a", lossy.store, enclosesSmall: false)
    try a.write("one", to: "Notes.txt")
    try await a.upload("two", to: "Gone.txt")
    try await a.container.evict(itemNamed: "Gone.txt")
    try lossy.change { key, bytes in key.hasPrefix("blobs/") ? nil : bytes }
    let report = try await a.container.repair()
    #expect(report.documents == ["Notes.txt"])
    #expect(report.check.finding == .damaged && "\(report.check)".contains("'Gone.txt'"), "\(report.check)")
    try lossy.restore([:])
    await #expect(throws: CloudDataError.self) { try await a.container.repair() }
    #expect(try lossy.objects.isEmpty)
  }

  @Test
  func `still gives its garbage away, and keeps all content`()
    async throws
  {
    let clock = ModelClock()
    let (store, a) = try await DeviceFixture.one(clock: clock, enclosesSmall: false)
    for text in ["one", "two"] {
      try a.write(text, to: "Notes.txt")
      try await a.upload(text + " here", to: "Other.txt")
      clock.advance(60)
    }
    clock.advance(40 * 86_400)
    let head = try #require(a.container.session.head(of: await a.container.session.placed("Notes.txt")))
    try await store.put(Data("damaged".utf8), at: head.root.page.key)
    // The page that this machine keeps hides the damage from the marking.
    try await a.container.session.state.database.write { db in
      try db.execute(sql: "DELETE FROM blob")
    }
    let report = try await a.container.collectGarbage(isDryRun: false)
    #expect(report.versions == 2 && report.blobs == 0)
    #expect(report.problems.map(\.document) == ["Notes.txt"])
    #expect(try await a.container.repair(reads: true).documents == ["Notes.txt"])
    let repaired = try await a.container.collectGarbage(isDryRun: false)
    #expect(repaired.versions == 0 && repaired.blobs == 4 && repaired.problems.isEmpty)
    #expect(try await a.container.check(reads: true).isWhole)
  }

  @Test func `is found out although each piece of a file is whole`() async throws {
    let (_, a) = try await DeviceFixture.one(enclosesSmall: false)
    let session = a.container.session
    let pieces = ["one", "two"].map { Data($0.utf8) }
    var parts: [FilePiece] = []
    for piece in pieces {
      parts.append(FilePiece(try await session.blobs.put(piece), size: UInt64(piece.count)))
    }
    // The hash is that of another file.
    let content = FileContent(
      size: 6, hash: ContentHash(of: Array("twoone".utf8)), modified: FileTime(seconds: 1, nanoseconds: 0),
      list: try await PieceList.store(parts, in: session.blobs))
    let root = try await DocumentTree.store(
      [TreeEntry(LocalTree.flatFile, .file(content), mode: 0o644)], in: session.blobs)
    try await a.upload("small", to: "Large.bin")
    var version = try #require(session.head(of: await session.placed("Large.bin")))
    (version.sequence, version.root) = (2, root)
    var record = try await session.placed("Large.bin")
    _ = try await session.commit(version, of: &record, since: nil)
    #expect(try await a.container.check().isWhole)
    let report = try await a.container.check(reads: true)
    #expect(report.problems.count == 1 && "\(report)".contains("Large.bin"), "\(report)")
  }
}
