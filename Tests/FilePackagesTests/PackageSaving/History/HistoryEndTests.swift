import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("The end of a history", .tags(.scale))
struct HistoryEndTests {
  private static let history: FileName = "history"

  /// Saves one text after the other, each in a store of its own.
  private static func save(_ texts: some Sequence<String>, on disk: any Disk) async throws {
    for text in texts {
      let store = try await PackageStore.open(CrashCheck.path, on: disk)
      try await store.put("Text.txt", text)
      try await store.save(options: .keepsHistory)
      try await store.close()
    }
  }

  private static func texts(on disk: any Disk) async throws -> [String?] {
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    var texts: [String?] = []
    for version in try await store.versions() {
      let (tree, lost) = try await store.contents(of: version.persistentIdentifier)
      texts.append(lost.isEmpty ? try tree.regularFile(at: "Text.txt").text : nil)
    }
    return texts
  }

  private static func change(_ disk: CrashDisk, _ body: (inout [UInt8]) -> Void) throws {
    let folder = try disk.openDirectory(at: "/Trip.pkg/.docpkg")
    var bytes = try disk.contents(of: history, in: folder)
    body(&bytes)
    try disk.removeFile(history, in: folder)
    try disk.write(bytes, to: disk.createFile(history, in: folder, mode: 0o644), at: 0)
  }

  @Test func `is found where the last version is larger than what is read at first`() async throws {
    let disk = try await CrashCheck.disk(["Text.txt": "0"], metadata: true)
    try await Self.save(["1"], on: disk)
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    for number in 0..<400 { try await store.put("a child with a long name, number \(number)", "\(number)") }
    try await store.save()
    try await store.close()
    try await Self.save(["2", "3"], on: disk)
    #expect(try await Self.texts(on: disk) == ["2", "1", "1", "0"])
    #expect(try await PackageStore.open(CrashCheck.path, on: disk).verify().isWhole)
  }

  @Test(arguments: [1, 40, 5000])
  func `is that of the last whole version, whatever follows`(count: Int) async throws {
    let disk = try await CrashCheck.disk(["Text.txt": "0"], metadata: true)
    try await Self.save(["1", "2"], on: disk)
    try Self.change(disk) { $0 += [UInt8](repeating: 0x56, count: count) }
    try await Self.save(["3", "4"], on: disk)
    #expect(try await Self.texts(on: disk) == ["3", "2", "1", "0"])
    #expect(try await PackageStore.open(CrashCheck.path, on: disk).verify().isWhole)
  }

  @Test
  func `is where it was although a version before it is damaged, and what comes after that is to be had`()
    async throws
  {
    // The versions after a damaged one count if the journal does not have them (H2).
    let disk = try await CrashCheck.disk(["Text.txt": "0"], metadata: true)
    try await Self.save(["1", "2", "3", "4"], on: disk)
    try disk.removeFile("journal", in: disk.openDirectory(at: "/Trip.pkg/.docpkg"))
    // The damage is within the second of four versions.
    try Self.change(disk) { $0[$0.count * 3 / 8] ^= 0xFF }
    #expect(try await Self.texts(on: disk) == ["3", "2"])
    let damaged = try await PackageStore.open(CrashCheck.path, on: disk).verify()
    #expect(!damaged.isWhole && damaged.damaged == [] && damaged.versions == 2)
    #expect(damaged.damagedVersions.count == 1)
    try await Self.save(["5"], on: disk)
    #expect(try await Self.texts(on: disk) == ["4", "3", "2"])
    // Thinning makes a whole history of the available versions.
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    let newest = try #require(try await store.versions().first).persistentIdentifier
    try await store.removeVersions([newest])
    #expect(try await Self.texts(on: disk) == ["3", "2"])
  }

  @Test func `heals if the journal has the damaged version`() async throws {
    // Versions that the journal has count up to the first that is not intact (H2).
    let disk = try await CrashCheck.disk(["Text.txt": "0"], metadata: true)
    try await Self.save(["1", "2", "3", "4"], on: disk)
    try Self.change(disk) { $0[$0.count * 3 / 8] ^= 0xFF }
    #expect(try await Self.texts(on: disk) == ["3", "2", "1", "0"])
    #expect(try await PackageStore.open(CrashCheck.path, on: disk).verify().isWhole)
    try await Self.save(["5"], on: disk)
    try disk.removeFile("journal", in: disk.openDirectory(at: "/Trip.pkg/.docpkg"))
    #expect(try await Self.texts(on: disk) == ["4", "3", "2", "1", "0"])
  }

  @Test func `does not heal where the journal began after the damaged version`() async throws {
    let disk = try await CrashCheck.disk(["Text.txt": "0"], metadata: true)
    try await Self.save(["1", "2", "3"], on: disk)
    try disk.removeFile("journal", in: disk.openDirectory(at: "/Trip.pkg/.docpkg"))
    try await Self.save(["4", "5"], on: disk)
    // The damage is within the second of five versions.
    try Self.change(disk) { $0[$0.count * 3 / 10] ^= 0xFF }
    #expect(try await Self.texts(on: disk) == ["4", "3", "2"])
    #expect(try await PackageStore.open(CrashCheck.path, on: disk).verify().damagedVersions.count == 1)
    try await Self.save(["6"], on: disk)
    #expect(try await Self.texts(on: disk) == ["5", "4", "3", "2"])
  }

  @Test func `is all that a save reads of it, so that saves cost the same after hundreds of versions`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let path = folder.appending("Trip.pkg")
      let disk = CountingDisk(PosixDisk())
      _ = try await PackageStore.create(
        FileWrapper(directoryWithFileWrappers: ["Text.txt": FileWrapper("0")]), path,
        contentType: UTType(exportedAs: "com.example.trip"),
        on: disk)
      var costs: [(operations: Int, bytes: UInt64)] = []
      for number in 0..<450 {
        let before = disk.counts
        let store = try await PackageStore.open(path, on: disk)
        try await store.put("Text.txt", "text \(number)")
        try await store.save(options: .keepsHistory)
        try await store.close()
        costs.append((disk.counts.total - before.total, disk.counts.bytesRead - before.bytesRead))
      }
      func median(_ range: Range<Int>) -> (operations: Int, bytes: UInt64) {
        (
          costs[range].map(\.operations).sorted()[range.count / 2],
          costs[range].map(\.bytes).sorted()[range.count / 2]
        )
      }
      let (first, last) = (median(50..<150), median(350..<450))
      let looks = costs[350..<450].reduce(0) { $0 + $1.bytes } / 100
      print(
        "saves with 100 and with 400 versions: \(first) and \(last); with looks at all versions \(looks) bytes read"
      )
      #expect(last.operations == first.operations)
      #expect(last.bytes < first.bytes + 1024)
      // This includes the looks for versions to drop, which are rarer in a longer history, and the journal.
      #expect(looks < 128 << 10)
      #expect(try await PackageStore.open(path, on: disk).versions().count == 450)
    }
  }
}
