import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("A history of many versions", .tags(.scale), .temporaryDirectory)
struct LongHistoryTests {
  /// Saves one text after the other, each in a store of its own.
  private static func save(_ texts: some Sequence<String>, on disk: any Disk) async throws {
    for text in texts {
      try await CrashCheck.save("Text.txt", text, options: .keepsHistory, on: disk)
    }
  }

  private static func texts(on disk: any Disk) async throws -> [String?] {
    try await PackageStore.open(CrashCheck.path, on: disk).versionTexts()
  }

  @Test func `is read although a version is larger than what is read at first`() async throws {
    let disk = try await CrashCheck.disk(["Text.txt": "0"], metadata: true)
    try await Self.save(["1"], on: disk)
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    for number in 0..<400 { try await store.put("a child with a long name, number \(number)", "\(number)") }
    try await store.saveAndClose()
    try await Self.save(["2", "3"], on: disk)
    #expect(try await Self.texts(on: disk) == ["2", "1", "1", "0"])
    #expect(try await PackageStore.open(CrashCheck.path, on: disk).verify().isWhole)
  }

  /// Damages the log where it has a text.
  private static func damage(_ text: String, on disk: CrashDisk) throws {
    var bytes = try disk.contents(of: "/Trip.pkg/.docpkg/log")
    let place = try #require(bytes.ranges(of: Array(text.utf8)).last)
    bytes[place.lowerBound] ^= 0xFF
    try disk.rewrite("log", bytes, in: "/Trip.pkg/.docpkg")
  }

  /// Saves texts, each with a child that only its version removes.
  private static func saveNamed(_ numbers: ClosedRange<Int>, on disk: any Disk) async throws {
    for number in numbers {
      let store = try await PackageStore.open(CrashCheck.path, on: disk)
      try await store.put("Text.txt", "\(number)")
      try await store.saveAndClose("child of \(number)", "\(number)", options: .keepsHistory)
    }
  }

  @Test(arguments: [true, false])
  func `loses only what was before a damaged version`(isRecord: Bool) async throws {
    let disk = try await CrashCheck.disk(["Text.txt": "0"], metadata: true)
    try await Self.saveNamed(1...4, on: disk)
    if !isRecord {
      // A long log gives way to one whose facts have the versions.
      let store = try await PackageStore.open(CrashCheck.path, on: disk)
      try await store.save("Text.txt", String(repeating: "x", count: 100_000), options: .keepsHistory)
      try await store.saveAndClose("Text.txt", "5")
    }
    // The second version says that the child of the next save was not there.
    try Self.damage("child of 2", on: disk)
    let texts = try await Self.texts(on: disk)
    #expect(!texts.contains("0") && texts.contains("2") && texts.contains("3"), "\(texts)")
    let damaged = try await PackageStore.open(CrashCheck.path, on: disk).verify()
    #expect(!damaged.isWhole && damaged.damaged == [])
    #expect(damaged.damagedVersions.count == 1)
    try await Self.saveNamed(6...6, on: disk)
    #expect(try await Self.texts(on: disk).count == texts.count + 1)
    // Thinning makes a whole history of the available versions.
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    let newest = try #require(try await store.versions().first).persistentIdentifier
    try await store.removeVersions([newest])
    #expect(try await Self.texts(on: disk).count == texts.count)
  }

  @Test func `is not read by a save, so that saves cost the same after hundreds of versions`()
    async throws
  {
    let path = folder.appending("Trip.pkg")
    let disk = CountingDisk(PosixDisk())
    try await (["Text.txt": "0"] as TestTree).create(path, on: disk)
    var costs: [(operations: Int, bytes: UInt64)] = []
    for number in 0..<450 {
      let before = disk.counts
      try await CrashCheck.save("Text.txt", "text \(number)", options: .keepsHistory, to: path, on: disk)
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
    #expect(last.operations == first.operations)
    // A save reads only the last records of the log.
    #expect(last.bytes < 160 << 10)
    // This includes the looks for versions to drop, which are rarer in a longer history, and the log.
    #expect(looks < 256 << 10)
    #expect(try await PackageStore.open(path, on: disk).versions().count == 450)
  }
}
