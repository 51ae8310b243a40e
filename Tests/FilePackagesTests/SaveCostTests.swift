import DurableIO
import FilePackages
import FoundationEssentials
import TestSupport
import Testing

@Suite("What a staged save costs")
struct SaveCostTests {
  private static func package(_ count: Int, metadata: Bool) async throws -> CrashDisk {
    var tree: TestTree = [:]
    for number in 0..<count { tree[FileName("\(number).txt")] = .file(Array("child \(number)".utf8)) }
    return try await CrashCheck.disk(tree, metadata: metadata)
  }

  @Test(arguments: [true, false])
  func `is a link for each unchanged child and the bytes of the changed one`(metadata: Bool) async throws {
    let disk = CountingDisk(try await Self.package(1000, metadata: metadata))
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    try await store.put("500.txt", "changed")
    let before = disk.counts
    let report = try await store.save()
    let after = disk.counts
    func count(_ operation: DiskOperation) -> Int { after[operation] - before[operation] }
    #expect(report.reused == 999)
    #expect(report.written == (metadata ? ["500.txt", "Metadata.plist"] : ["500.txt"]))
    #expect(count(.createFile) == (metadata ? 2 : 1))
    #expect(count(.link) == 999)
    #expect(count(.write) == (metadata ? 2 : 1))
    #expect(after.bytesRead - before.bytesRead == (metadata ? UInt64("child 500".utf8.count) : 0))
    #expect(after.bytesWritten - before.bytesWritten == report.bytesWritten)
    // The child, the metadata, the package's directory, the folder before the exchange and after it.
    #expect(report.synchronizations == (metadata ? 5 : 4))
    #expect(count(.synchronize) == report.synchronizations)
    print("one of 1,000 children\(metadata ? " and the metadata" : ""): \(report)")
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
      #expect(plan.lines == ["write 5.txt (7 bytes)"])
    }
    print("planning one change: \(operations) operations for 10 and 10,000 children")
    #expect(operations[0] == operations[1])
  }

  @Test func `is nothing when nothing changed`() async throws {
    let disk = CountingDisk(try await Self.package(10, metadata: true))
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    _ = try await store.tree.children()
    let report = try await store.save()
    #expect(report.strategy == "none")
    #expect(disk.counts.changes == 0)
    #expect(try await store.plan().isEmpty)
  }

  @Test func `says in its plan that the metadata is written`() async throws {
    let store = try await PackageStore.open(CrashCheck.path, on: try await Self.package(3, metadata: true))
    try await store.edit([.put("1.txt", "x"), .remove("2.txt"), .move("0.txt", "zero.txt")])
    #expect(
      try await store.plan().lines == [
        "remove 0.txt", "write 1.txt (1 bytes)", "remove 2.txt", "write Metadata.plist",
        "reuse 0.txt as zero.txt",
      ])
  }
}
