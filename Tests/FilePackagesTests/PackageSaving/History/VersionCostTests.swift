import DurableIO
import FilePackages
import FoundationEssentials
import TestSupport
import Testing

@Suite("What versions cost")
struct VersionCostTests {
  private static func package(_ count: Int, size: Int = 8) async throws -> CrashDisk {
    var entries: [FileName: TestTree] = [:]
    for number in 0..<count {
      entries[FileName("\(number).txt")] = .file([UInt8](repeating: UInt8(number & 0xFF), count: size))
    }
    return try await CrashCheck.disk(.directory(entries), metadata: true)
  }

  /// Returns the disk operations of a store's fourth save: until its commit, and after that.
  private static func costs(
    keeping: Bool
  ) async throws -> (commit: [DiskOperation: Int], publish: [DiskOperation: Int]) {
    let disk = CountingDisk(try await package(100))
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    var costs: (commit: [DiskOperation: Int], publish: [DiskOperation: Int]) = ([:], [:])
    for number in 0..<4 {
      // Equal files would share one that is kept.
      let edits: [Edit] = [.put("5.txt", "\(number)"), .put("6.txt", "other \(number)")]
      let options: PackageStore.SavingOptions = keeping ? .keepsHistory : []
      (_, costs.commit, costs.publish) = try await store.save(edits, options: options, counting: disk)
    }
    return costs
  }

  @Test func `to keep are a rename in the place of an unlink, and no flush`() async throws {
    let without = try await Self.costs(keeping: false)
    let with = try await Self.costs(keeping: true)
    for costs in [without, with] {
      #expect(costs.commit[.synchronizeData] == 1 && costs.commit[.synchronize] == nil)
      #expect(costs.publish[.synchronize] == 4 && costs.publish[.synchronizeData] == nil)
    }
    #expect(with.commit[.write] == without.commit[.write])
    // The removed files are two children and the metadata.
    #expect(without.publish[.removeFile] == 3 && without.publish[.rename] == nil)
    #expect(with.publish[.removeFile] == 1 && with.publish[.rename] == 2)
    // The version is in the record of the save.
    #expect(with.publish[.write] == without.publish[.write])
    #expect(with.publish[.createFile] == without.publish[.createFile])
  }

  @Test func `to open one is the same for ten versions as for three hundred`() async throws {
    var costs: [[DiskOperation: Int]] = []
    for count in [10, 300] {
      let plain = try await Self.package(40)
      let disk = CountingDisk(plain)
      let store = try await PackageStore.open(CrashCheck.path, on: disk)
      for number in 0..<count {
        try await store.save("\(number % 5).txt", "\(number)", options: .keepsHistory)
      }
      try await store.close()
      let other = try await PackageStore.open(CrashCheck.path, on: disk)
      let oldest = try #require(try await other.versions().last?.persistentIdentifier)
      let before = disk.counts
      let (tree, lost) = try await other.contents(of: oldest)
      costs.append(disk.counts.since(before))
      #expect(lost == [])
      #expect(try tree.regularFile(at: "3.txt").contents() == Data([UInt8](repeating: 3, count: 8)))
    }
    // A longer log takes more reads, and nothing else.
    let reads = costs.map { $0[.read] ?? 0 }
    for index in costs.indices { costs[index][.read] = nil }
    #expect(costs[0] == costs[1])
    #expect(reads[1] <= reads[0] + 64, "\(reads)")
  }

  @Test func `to remove or to mark are the same reads for twenty as for one`() async throws {
    var reads: [[Int]] = []
    for count in [1, 20] {
      let disk = CountingDisk(try await Self.package(2))
      let store = try await PackageStore.open(CrashCheck.path, on: disk)
      for number in 0..<30 { try await store.save("1.txt", "\(number)", options: .keepsHistory) }
      let versions = Set(try await store.versions().suffix(count).map(\.persistentIdentifier))
      let before = disk.counts
      try await store.setDiscardable(true, versions)
      let between = disk.counts
      try await store.removeVersions(versions)
      reads.append([between[.read] - before[.read], disk.counts[.read] - between[.read]])
      #expect(try await store.versions().count == 30 - count)
    }
    #expect(reads[0] == reads[1])
  }

  @Test func `on the disk are what was replaced, and little more`() async throws {
    // The full run takes a minute: a disk in memory copies all its bytes.
    let count = ProcessInfo.processInfo.environment["ALL_VERSIONS"] == nil ? 200 : 1000
    let (children, size, saves) = (count, 4096, count)
    let disk = try await Self.package(children, size: size)
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    var generator = SeededGenerator(seed: 1)
    var kept: [Int: VersionPicture] = [:]
    for number in 0..<saves {
      // A save does not write equal bytes again.
      let text = String(repeating: " ", count: size - 4) + "\(1000 + number)"
      try await store.put("\(Int.random(in: 0..<children, using: &generator)).txt", text)
      try await store.save(options: .keepsHistory)
      if number % (count / 10) == count / 20 { kept[number] = try await VersionPicture(store.tree) }
    }
    try await store.close()
    let bytes = try PackagePicture(of: CrashCheck.path, on: disk).entries.values.reduce(0) {
      $0 + ($1.kind == .file ? $1.bytes.count : 0)
    }
    let allowed = Double(children * size + saves * size) * 1.1
    #expect(Double(bytes) <= allowed)
    let other = try await PackageStore.open(CrashCheck.path, on: disk)
    let versions = try await other.versions()
    #expect(versions.count == saves)
    for (number, picture) in kept {
      let version = try #require(versions.first { $0.metadata.generation == number + 2 })
      let (tree, lost) = try await other.contents(of: version.persistentIdentifier)
      #expect(try lost == [] && VersionPicture(tree) == picture)
    }
  }
}
