import DurableIO
import FilePackages
import FoundationEssentials
import TestSupport
import Testing

@Suite("What a save costs", .tags(.scale))
struct SaveCostTests {
  private static func package(_ count: Int, metadata: Bool) async throws -> CrashDisk {
    var entries: [FileName: TestTree] = [:]
    for number in 0..<count { entries[FileName("\(number).txt")] = .file(Array("child \(number)".utf8)) }
    return try await CrashCheck.disk(.directory(entries), metadata: metadata)
  }

  @Test func `counts neither folders nor links as bytes of children that stayed`() async throws {
    let (_, store) = try await CrashCheck.store(["Text.txt": "text", "Old": ["a.txt": "aaa"]])
    // The stages are the first image of a document, a link, a move into a new folder, and a folder's mode.
    let stages: [(edits: [Edit], reused: Int, bytes: UInt64)] = [
      ([.folder("Images"), .put("Images/1.png", "image")], 2, 7),
      ([.link("link", to: "Text.txt"), .put("Text.txt", "other text")], 2, 8),
      ([.folder("New"), .folder("New/Deep"), .move("Old/a.txt", "New/Deep/b.txt")], 4, 18),
      ([.mode("Old", 0o700), .put("Images/2.png", String(repeating: "2", count: 2_000_000))], 4, 18),
    ]
    for (edits, reused, bytes) in stages {
      let report = try await store.save(edits)
      #expect(report.reused == reused && report.bytesReused == bytes, "\(edits): \(report)")
    }
  }

  // MARK: In place

  /// The disk operations of one save, without those at zero.
  private struct Cost: Equatable {
    var commit: [DiskOperation: Int]
    var publish: [DiskOperation: Int]
  }

  @Test(arguments: [true, false])
  func `in place is the same for ten children as for a hundred thousand`(metadata: Bool) async throws {
    var costs: [[Cost]] = []
    for count in [10, 100_000] {
      let disk = CountingDisk(try await Self.package(count, metadata: metadata))
      let store = try await PackageStore.open(CrashCheck.path, on: disk)
      var saves: [Cost] = []
      for number in 0..<4 {
        let edits = [Edit.put("5.txt", "changed \(number)")]
        let (report, commit, publish) = try await store.save(edits, counting: disk)
        #expect(report.strategy == .log)
        #expect(report.written == (metadata ? ["5.txt", "Metadata.plist"] : ["5.txt"]))
        #expect(report.reused == (metadata ? count - 1 : 0))
        #expect(await store.unpublishedProblem == nil)
        saves.append(Cost(commit: commit, publish: publish))
      }
      costs.append(saves)
      #expect(
        try disk.contents(of: "5.txt", in: disk.openDirectory(at: CrashCheck.path))
          == Array("changed 3".utf8))
      try await store.close()
      try expectNoTraces(in: CrashCheck.path, on: disk)
    }
    // Finding a row among more takes more reads of the table, and nothing else.
    func others(_ costs: [Cost]) -> [Cost] {
      costs.map { cost in
        var cost = cost
        cost.commit[.read] = nil
        return cost
      }
    }
    let reads = costs.map { $0.map { $0.commit[.read] ?? 0 } }
    #expect(others(costs[0]) == others(costs[1]))
    #expect(zip(reads[0], reads[1]).allSatisfy { $1 <= $0 + 2 * 2 * 17 }, "\(reads)")
    let (second, last) = (costs[0][1], costs[0][3])
    #expect(costs[0][2] == last)
    // One save writes the zeros that later log writes replace: the first that finds a log.
    var expected = last
    if !metadata { expected.commit[.write, default: 0] += 1 }
    #expect(second == expected)
    for cost in costs[0].dropFirst() {
      #expect(cost.commit[.synchronizeData] == 1 && cost.commit[.synchronize] == nil)
      // The package, its hidden folder, the metadata, the log and the child, each once. Without the metadata's
      // digests, the commit opens the child to compare it.
      #expect(cost.commit[.status] == (metadata ? 5 : 7))
      #expect(cost.commit[.openDirectory] == (metadata ? nil : 1))
      // The commit changes no visible name.
      #expect(cost.commit[.rename] == nil && cost.commit[.exchange] == nil && cost.commit[.link] == nil)
      #expect(cost.commit[.createFile] == nil && cost.publish[.createFile] == (metadata ? 2 : 1))
      // The syncs are one per new file and one of the package's directory.
      #expect(cost.publish[.synchronize] == (metadata ? 3 : 2) && cost.publish[.synchronizeData] == nil)
      #expect(cost.publish[.exchange] == (metadata ? 2 : 1) && cost.publish[.rename] == nil)
      #expect(cost.publish[.removeFile] == (metadata ? 2 : 1))
      #expect(cost.commit[.list] == nil && cost.publish[.list] == nil)
    }
  }

  @Test func `in place is a flush more where the log has no record yet`() async throws {
    let disk = CountingDisk(try await Self.package(10, metadata: true))
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    let (report, commit, _) = try await store.save([.put("5.txt", "changed")], counting: disk)
    // The syncs are those of the log, and of its folder for the name.
    #expect(commit[.synchronize] == 1 && commit[.synchronizeData] == 1)
    #expect(report.synchronizations == 2)
    #expect(try await store.save("5.txt", "changed again").synchronizations == 1 + 3)
    // The log stays when the store is closed.
    try await store.close()
    #expect(try await store.save("5.txt", "changed once more").synchronizations == 1 + 3)
  }

  @Test func `is planned with as many operations for ten children as for ten thousand`() async throws {
    var operations: [Int] = []
    for count in [10, 10_000] {
      let disk = CountingDisk(try await Self.package(count, metadata: false))
      let store = try await PackageStore.open(CrashCheck.path, on: disk)
      try await store.put("5.txt", "changed")
      let before = disk.counts.total
      let plan = try await store.plan()
      operations.append(disk.counts.total - before)
      #expect(plan.lines == ["write 5.txt (7 B)"])
    }
    #expect(operations[0] == operations[1])
  }

  @Test func `of an edit by its path lists none of the document's folders, whatever their size`() async throws
  {
    var costs: [[DiskOperation: Int]] = []
    for count in [10, 10_000] {
      let disk = CountingDisk(try await Self.package(count, metadata: true))
      // The first session makes the hidden folder, which a later one lists.
      try await CrashCheck.save("5.txt", "first", on: disk)
      let start = disk.counts
      let store = try await PackageStore.open(CrashCheck.path, on: disk)
      try await store.tree.setDescendant(FileWrapper("changed", named: "5.txt"), at: "5.txt")
      try await store.tree.setDescendant(FileWrapper("new", named: "new.txt"), at: "new.txt")
      try await store.tree.removeDescendant(at: "7.txt")
      #expect(disk.counts.since(start)[.list] == nil)
      #expect(try await store.save().written == ["5.txt", "Metadata.plist", "new.txt"])
      #expect(await store.tree.knownListing == nil)
      try await store.close()
      var cost = disk.counts.since(start)
      // Finding a row among more takes more reads of the table, and nothing else.
      cost[.read] = nil
      costs.append(cost)
      #expect(try await PackageStore.open(CrashCheck.path, on: disk).verify().isWhole)
    }
    #expect(costs[0] == costs[1])
  }

  @Test func `is nothing when nothing changed`() async throws {
    // Opening and a save without a change write nothing (W4).
    let disk = CountingDisk(try await Self.package(10, metadata: true))
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    _ = try await store.tree.children()
    #expect(try await store.save().strategy == .none)
    try await store.close()
    #expect(disk.counts.changes == 0)
    #expect(try await store.plan().isEmpty)
  }

  @Test func `says in its plan that the metadata is written`() async throws {
    let store = try await PackageStore.open(CrashCheck.path, on: try await Self.package(3, metadata: true))
    try await store.edit([.put("1.txt", "x"), .remove("2.txt"), .move("0.txt", "zero.txt")])
    #expect(
      try await store.plan().lines == [
        "remove 0.txt", "write 1.txt (1 B)", "remove 2.txt", "write Metadata.plist",
        "reuse 0.txt as zero.txt",
      ])
  }
}
