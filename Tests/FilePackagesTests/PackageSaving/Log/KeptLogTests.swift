import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("A log that stays when its store is closed", .temporaryDirectory)
struct KeptLogTests {
  private static let path = CrashCheck.path
  private static let hidden = CrashCheck.path.appending(".docpkg")
  private static let log = hidden.appending("log")

  /// Saves one text in a store of its own.
  @discardableResult
  private static func save(
    _ text: String, to path: FilePath = path, on disk: any Disk, logCapacity: Int = 1 << 20
  ) async throws -> SaveReport {
    let store = try await PackageStore.open(path, on: disk, logCapacity: logCapacity)
    let report = try await store.save("Text.txt", text, options: .keepsHistory)
    return await store.close(after: report)
  }

  private static func texts(_ path: FilePath = path, on disk: any Disk) async throws -> [String?] {
    try await PackageStore.open(path, on: disk).versionTexts()
  }

  /// Returns another disk with the same files.
  private static func copy(of disk: CrashDisk) async throws -> CrashDisk {
    try #require(await CrashDisk.crashPoints(of: disk) {}.last).afterKill()
  }

  // MARK: Cost

  @Test func `makes an edit by a store of its own five flushes, all of them in its report`() async throws {
    let disk = CountingDisk(try await CrashCheck.disk(["Text.txt": "0"], metadata: true))
    var flushes: [Int] = []
    for number in 1...48 {
      let before = disk.counts
      let report = try await Self.save("\(number)", on: disk)
      let after = disk.counts
      #expect(report.synchronizations == after.synchronizations - before.synchronizations)
      flushes.append(report.synchronizations)
      #expect(try disk.contents(of: Self.log).count <= 192 << 10)
      #expect(after.bytesWritten - before.bytesWritten < 192 << 10)
    }
    // The first save makes the folder of kept files. After a few later ones a shorter log takes the long one's place.
    let rest = flushes.dropFirst()
    #expect(rest.filter { $0 == 5 }.count >= 44)
    #expect(rest.allSatisfy { $0 <= 10 })
    #expect(try await Self.texts(on: disk) == (0..<48).reversed().map { "\($0)" })
    #expect(try await PackageStore.open(Self.path, on: disk).verify().isWhole)
  }

  @Test func `is looked at when the package is opened, however many saves it has, and nothing is written`()
    async throws
  {
    // The package was closed in good order (W4).
    let disk = CountingDisk(try await CrashCheck.disk(["Text.txt": "0"], metadata: true))
    var costs: [[Int]] = []
    for number in 1...12 {
      try await Self.save("\(number)", on: disk)
      let before = disk.counts
      let store = try await PackageStore.open(Self.path, on: disk)
      let after = disk.counts
      #expect(await store.logDamage == nil)
      #expect(after.changes == before.changes)
      #expect(after[.lock] == before[.lock] && after[.lockByte] == before[.lockByte])
      costs.append(DiskOperation.allCases.map { after[$0] - before[$0] })
    }
    #expect(costs[0] == costs[11])
  }

  @Test func `gives way to a short one if it has grown long, and another store finds that`() async throws {
    // The new one has its name durably before the session ends (J7).
    let disk = try await CrashCheck.disk(["Text.txt": "0", "Other.txt": "0"], metadata: true)
    let other = try await PackageStore.open(Self.path, on: disk)
    try await other.save("Other.txt", "1", options: .keepsHistory)
    let large = String(repeating: "x", count: 100_000)
    try await Self.save(large, on: disk)
    #expect(try disk.contents(of: Self.log).count <= 12 << 10)
    try await other.saveAndClose("Other.txt", "2")
    try await Self.save("3", on: disk)
    #expect(try await Self.texts(on: disk) == [large, large, "0", "0"])
    let store = try await PackageStore.open(Self.path, on: disk)
    #expect(try await store.verify().isWhole)
    #expect(try await store.tree.regularFile(at: "Other.txt").text == "2")
    // Many saves of one store make it long as well.
    for number in 0..<40 {
      try await store.save("Text.txt", "many \(number)")
    }
    try await store.close()
    #expect(try disk.contents(of: Self.log).count <= 48 << 10)
    try await Self.save("last", on: disk)
    #expect(try await Self.texts(on: disk).count == 45)
  }

  @Test func `has room for several long records, so that few saves of one store replace it`() async throws {
    let disk = CountingDisk(try await CrashCheck.disk(["Text.txt": "0"], metadata: true))
    let store = try await PackageStore.open(Self.path, on: disk)
    var flushes: [Int] = []
    for number in 0..<24 {
      try await store.put("Text.txt", String(repeating: "\(number % 10)", count: 300_000))
      let before = disk.counts.synchronizations
      try await store.save(options: .returnsAtCommit)
      flushes.append(disk.counts.synchronizations - before)
      try await store.publish()
    }
    // The first save makes the log.
    #expect(flushes.dropFirst().filter { $0 > 1 }.count <= 3)
    #expect(try disk.contents(of: Self.log).count <= 8 * 310_000)
    try await store.close()
    #expect(try disk.contents(of: Self.log).count <= 24 << 10)
    #expect(try await PackageStore.open(Self.path, on: disk).verify().isWhole)
  }

  // MARK: Kept files

  @Test func `has versions whose files are still among the staged ones, and the next save keeps them`()
    async throws
  {
    // A killed program may not have moved them (H2).
    let disk = try await CrashCheck.disk(["Text.txt": "0", "Other.txt": "0"], metadata: true)
    for text in ["1", "2", "3"] { try await Self.save(text, on: disk) }
    let staging = try disk.openDirectory(at: Self.hidden.appending("tmp"))
    let kept = try disk.openDirectory(at: Self.hidden.appending("kept"))
    for (index, name) in try disk.names(in: Self.hidden.appending("kept")).enumerated() {
      try disk.rename(FileName(name), in: kept, to: FileName("\(index)"), in: staging, .replace)
    }
    try disk.makeFile("rest", Array("of a save that was not committed".utf8), in: staging)
    let before = try PackagePicture(of: "/", on: disk)
    #expect(try await Self.texts(on: disk) == ["2", "1", "0"])
    #expect(try await PackageStore.open(Self.path, on: disk).verify().isWhole)
    // Reading has written nothing.
    #expect(try PackagePicture(of: "/", on: disk) == before)
    try await PackageStore.open(Self.path, on: disk).saveAndClose("Other.txt", "1")
    #expect(try await Self.texts(on: disk) == ["3", "2", "1", "0"])
    #expect(try disk.names(in: Self.hidden.appending("tmp")).isEmpty)
    #expect(try disk.names(in: Self.hidden.appending("kept")).count == 3)
  }

  @Test func `shows a record that a killed program did not mark`() async throws {
    let disk = try await CrashCheck.disk(["Text.txt": "0", "Other.txt": "0"], metadata: true)
    let store = try await PackageStore.open(Self.path, on: disk)
    for text in ["1", "2"] {
      try await store.save("Other.txt", text)
    }
    let before = try disk.contents(of: Self.log)
    let other = try await PackageStore.open(Self.path, on: disk)
    try await other.save("Text.txt", "theirs", options: .returnsAtCommit)
    await other.relinquish()
    // The program was killed between the commit and the mark.
    let folder = try disk.openDirectory(at: Self.hidden)
    try disk.write(Array(before[512..<568]), to: disk.openFileForWriting("log", in: folder), at: 512)
    try await store.saveAndClose("Other.txt", "3")
    let found = try await PackageStore.open(Self.path, on: disk)
    let texts = try await found.tree.children().mapValues { $0.text }
    #expect(texts["Text.txt"] == "theirs" && texts["Other.txt"] == "3")
    #expect(try await found.verify().isWhole)
  }

  @Test(arguments: [5000, 40_000, 90_000])
  func `of many children that is cut short takes the next save all the same`(length: Int) async throws {
    // The notes of the save stand alone (G2).
    let children = Dictionary(
      uniqueKeysWithValues: (0..<1500).map { (FileName("child \($0)"), TestTree.file([1])) })
    let disk = try await CrashCheck.disk(.directory(children), metadata: true)
    for text in ["1", "2"] { try await Self.save(text, on: disk) }
    let bytes = try disk.contents(of: Self.log)
    try #require(bytes.count > length)
    try disk.rewrite("log", Array(bytes[..<length]), in: Self.hidden)
    try await Self.save("3", on: disk)
    #expect(disk.tree["Trip.pkg"]?["Text.txt"] == "3")
    let store = try await PackageStore.open(Self.path, on: disk)
    #expect(await store.logDamage == nil)
    let report = try await store.verify()
    #expect(report.damaged == [] && report.missing == [] && report.changed == [] && !report.isUnexplained)
    try await Self.save("4", on: disk)
    #expect(disk.tree["Trip.pkg"]?["Text.txt"] == "4")
  }

  // MARK: Copies

  @Test func `gives its versions to a copy of the package, which gets a log of its own`() async throws {
    let disk = PosixDisk()
    let (original, copy) = (folder.appending("Trip.pkg"), folder.appending("Copy.pkg"))
    try await (["Text.txt": "0"] as TestTree).create(original, on: disk)
    try await Self.save("1", to: original, on: disk)
    try await Self.save("2", to: original, on: disk)
    #expect(try Program(path: "/bin/cp").run(["-a", original.string, copy.string]).status == 0)
    #expect(try await Self.texts(copy, on: disk) == ["1", "0"])
    try await Self.save("copied", to: copy, on: disk)
    #expect(try await Self.texts(copy, on: disk) == ["2", "1", "0"])
    let inHidden = try disk.openDirectory(at: copy.appending(".docpkg"))
    let made = try disk.status(of: "log", in: inHidden).identity
    try await Self.save("copied again", to: copy, on: disk)
    #expect(try disk.status(of: "log", in: inHidden).identity.isSameNode(as: made))
    #expect(try await Self.texts(copy, on: disk) == ["copied", "2", "1", "0"])
    #expect(try await PackageStore.open(copy, on: disk).verify().isWhole)
    #expect(try await Self.texts(original, on: disk) == ["1", "0"])
  }

  @Test(arguments: [true, false])
  func `changes nothing if it comes from another computer without its document`(hasSaved: Bool) async throws {
    let disk = try await CrashCheck.disk(["Text.txt": "0"], metadata: true)
    try await Self.save("1", on: disk)
    let other = try await Self.copy(of: disk)
    if hasSaved { try await Self.save("theirs", on: other) }
    try await Self.save("2", on: disk)
    try other.rewrite("log", disk.contents(of: Self.log), in: Self.hidden)
    // The save continues the state that is there, and what was saved over it elsewhere does not count (G1, G3). It knows
    // nothing of a state that was saved on the other computer alone, and so nothing of the way to it.
    #expect(try await Self.texts(on: other) == (hasSaved ? [] : ["0"]))
    try await Self.save("next", on: other)
    #expect(try await Self.texts(on: other) == (hasSaved ? ["theirs"] : ["1", "0"]))
    let report = try await PackageStore.open(Self.path, on: other).verify()
    #expect(report.damaged == [] && report.changed == [] && report.missing == [])
    #expect(report.damagedVersions.isEmpty == !hasSaved)
  }

  // MARK: Another program

  @Test func `takes back no edit of another program after it was closed`() async throws {
    // The marks of a log that stays are durable: no opening repeats the save (J5).
    func sweep(leavingOut number: Int?) async throws -> (sweep: CrashSweep, points: [CrashDisk.SyncPoint]) {
      let disk = try await CrashCheck.disk(
        ["Text.txt": "old", "Notes.txt": "notes"], metadata: true,
        mistake: { $0.number == number ? .leftOut : nil })
      disk.synchronizeAll()
      let before = disk.syncPoints.count
      let store = try await PackageStore.open(Self.path, on: disk)
      try await store.save([.put("Text.txt", "new"), .remove("Notes.txt")])
      try await store.close()
      let syncs = Array(disk.syncPoints[before...])
      let points = try await CrashDisk.crashPoints(of: disk) {
        // Another program takes both changes back.
        let root = try disk.openDirectory(at: Self.path)
        for (name, text) in [("Text.txt", "old"), ("Notes.txt", "notes")] as [(FileName, String)] {
          try disk.makeFile("new", Array(text.utf8), in: root)
          try disk.synchronize(disk.openFile("new", in: root))
          try disk.rename("new", in: root, to: name, in: root, .replace)
        }
        try disk.synchronize(root)
        disk.promise("taken back")
      }
      var sweep = CrashSweep()
      try await sweep.check(points.filter { !$0.promises.isEmpty }, limit: 64, most: .max) { disk, _ in
        let found = try await PackageStore.open(Self.path, on: disk).tree.children().mapValues { $0.text }
        return found["Text.txt"] == "old" && found["Notes.txt"] == "notes" ? nil : "\(found)"
      }
      return (sweep, syncs)
    }
    let (none, points) = try await sweep(leavingOut: nil)
    none.expectNoneBad()
    let last = try #require(points.last)
    #expect(last.name == "log")
    #expect(try await !sweep(leavingOut: last.number).sweep.bad.isEmpty)
  }
}
