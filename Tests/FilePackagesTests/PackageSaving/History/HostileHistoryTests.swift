import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

/// Any program may have written a history: it may come with a download, with valid checksums.
@Suite("A history that somebody else made")
struct HostileHistoryTests {
  private static let path: FilePath = "/Trip.pkg"
  private static let outside: TestTree = ["A.txt": "outside", "Other": ["x": "outside, too"]]

  /// Makes a document with a history beside other documents, and returns its log.
  private static func document() async throws -> (disk: CrashDisk, log: [UInt8]) {
    let disk = try CrashDisk(outside)
    let tree: TestTree = ["Text.txt": "0", "Images": ["1.png": "one", "2.png": "two"], "Data.bin": "data"]
    let store = try await tree.create(path, on: disk)
    let edits: [[Edit]] = [
      [.put("Text.txt", "1")], [.put("Text.txt", "2"), .remove("Images/1.png")],
      [.move("Data.bin", "Images/3.png"), .folder("New")],
      [.put("Text.txt", "4"), .link("Link", to: "Text.txt")],
    ]
    for edits in edits {
      try await store.save(edits, options: .keepsHistory)
    }
    try await store.close()
    return (disk, try disk.contents(of: path.appending(".docpkg/log")))
  }

  /// Replaces the document's log, and calls every operation on its history.
  private static func use(_ log: [UInt8], of disk: CrashDisk, _ random: inout SeededGenerator)
    async throws
  {
    try disk.rewrite("log", log, in: path.appending(".docpkg"))
    func attempt(_ body: () async throws -> Void) async throws {
      do {
        try await body()
      } catch is FilePackageError {
        // An error with a reason is all that the test requires.
      }
    }
    let store = try await PackageStore.open(path, on: disk)
    var versions: [UUID] = []
    try await attempt { versions = try await store.versions().map(\.persistentIdentifier) }
    for version in versions.prefix(4) {
      try await attempt {
        let (tree, _) = try await store.contents(of: version)
        _ = try ContentSummary(reading: tree.snapshot())
      }
      try await attempt { _ = try await store.differences(from: version) }
    }
    try await attempt { _ = try await store.verify() }
    try await attempt { _ = try await store.undoSave() }
    if let version = versions.randomElement(using: &random) {
      try await attempt { _ = try await store.restore(version) }
    }
    try await attempt { _ = try await store.thinHistory(at: Date(timeIntervalSince1970: 4e9)) }
    try await attempt { try await store.save("After.txt", "after", options: .keepsHistory) }
    try await attempt { try await store.stopKeepingHistory() }
    try await store.close()
  }

  // MARK: Histories

  private static func body(_ version: VersionRecord) throws -> [UInt8] {
    var writer = ByteWriter()
    try version.encode(to: &writer)
    return writer.bytes
  }

  @Test func `harms nothing, whatever it says`() async throws {
    var random = SeededGenerator(seed: 1)
    // The names have the same length, so that nothing else changes.
    let names: [(String, [String])] = [
      ("Text.txt", ["../A.txt", "/etc/abc", ".docpkg/", "Images/.", "../Other", "a/../b/c"]),
      ("1.png", ["../..", "/A.tx", "../x/"]),
      ("Images", ["../Oth", "/Other", ".docpkg".prefix(6).description]),
    ]
    for round in 0..<120 {
      let (disk, log) = try await Self.document()
      var ledger = try #require(Ledger(log: log))
      let chain = try ledger.chain().chain
      var (bodies, tip) = (try chain.versions.map(Self.body), chain.tip)
      switch round % 4 {
      case 0:
        let (name, others) = names[round / 4 % names.count]
        let other = others[round / 12 % others.count]
        bodies = bodies.map { Self.replacing(Array(name.utf8), by: Array(other.utf8), in: $0) }
      case 1:
        let index = Int.random(in: bodies.indices, using: &random)
        bodies[index][Int.random(in: bodies[index].indices, using: &random)] = .random(
          in: 0...255, using: &random)
      case 2:
        let index = Int.random(in: bodies.indices, using: &random)
        bodies.insert(bodies[Int.random(in: bodies.indices, using: &random)], at: index)
      default:
        if Bool.random(using: &random) { bodies.shuffle(using: &random) } else { bodies += bodies }
        if Bool.random(using: &random) { tip = .new }
      }
      let versions = bodies.compactMap { body -> VersionRecord? in
        var reader = ByteReader(body[...])
        return try? VersionRecord(&reader)
      }
      let root = try disk.status(of: disk.openDirectory(at: Self.path))
      ledger.setHistory((VersionChain(versions, tip: tip), .standard))
      try await Self.use(SaveLog.contents(ledger, after: 9, of: root), of: disk, &random)
      for (name, node) in Self.outside.entries { #expect(disk.tree[name] == node, "round \(round): \(name)") }
      #expect(
        Set(disk.tree.entries.keys) == Set(Self.outside.entries.keys).union(["Trip.pkg"]), "round \(round)")
    }
  }

  @Test func `that is damaged anywhere leaves the document, and says so`() async throws {
    var random = SeededGenerator(seed: 2)
    for _ in 0..<40 {
      var (disk, log) = try await Self.document()
      log[Int.random(in: log.indices, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      try disk.rewrite("log", log, in: Self.path.appending(".docpkg"))
      let store = try await PackageStore.open(Self.path, on: disk)
      #expect(try await store.tree.regularFile(at: "Text.txt").contents() == Data("4".utf8))
      // A version has its old content, or reports the lost children.
      for version in (try? await store.versions()) ?? [] {
        let (tree, lost) = try await store.contents(of: version.persistentIdentifier)
        let text = try tree.child(named: "Text.txt").map {
          String(decoding: try $0.contents(), as: UTF8.self)
        }
        #expect(lost.contains("Text.txt") || ["0", "1", "2"].contains(text))
      }
      if await store.logDamage != nil { #expect(try await store.repair(accepting: true).putLogAside) }
      try await store.saveAndClose("Text.txt", "5", options: .keepsHistory)
      disk = try CrashDisk()
    }
  }

  private static func replacing(_ old: [UInt8], by new: [UInt8], in bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    guard old.count == new.count, bytes.count >= old.count else { return bytes }
    for start in 0...(bytes.count - old.count) where Array(bytes[start..<(start + old.count)]) == old {
      bytes.replaceSubrange(start..<(start + old.count), with: new)
    }
    return bytes
  }
}
