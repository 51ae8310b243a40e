import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("Two stores of one package")
struct TwoStoresTests {
  @Test func `do not overwrite each other one after the other`() async throws {
    let disk = try await CrashCheck.disk(["Text.txt": "old", "Other.txt": "other"], metadata: true)
    let first = try await PackageStore.open(CrashCheck.path, on: disk)
    let second = try await PackageStore.open(CrashCheck.path, on: disk)
    try await first.put("Text.txt", "first")
    try await second.put("Other.txt", "second")
    try await first.save()
    let before = disk.tree
    let error = await #expect(throws: FilePackageError.self) { try await second.save() }
    #expect(error?.code == .changedOnDisk)
    #expect(disk.tree == before)
  }

  @Test func `leave the new state that another one is making alone`() async throws {
    let base = try await CrashCheck.disk(["Text.txt": "old"], metadata: true)
    let second = try await PackageStore.open(CrashCheck.path, on: base)
    try await second.put("Text.txt", "second")
    let (outcome, tree) = (Outcome(), await second.tree)
    let disk = CountingDisk(base) { (event) throws(SystemError) in
      if event.operation == .createFile || event.operation == .exchange { outcome.interrupt(tree) }
    }
    let first = try await PackageStore.open(CrashCheck.path, on: disk)
    try await first.put("Text.txt", "first")
    try await first.save()
    #expect(outcome.codes == [.changedOnDisk, .changedOnDisk, .changedOnDisk])
    #expect(base.tree["Trip.pkg"]?["Text.txt"] == "first")
    #expect(try base.names(in: "/") == ["Trip.pkg"])
    let error = await #expect(throws: FilePackageError.self) { try await second.save() }
    #expect(error?.code == .changedOnDisk)
  }

  @Test func `never corrupt the package at the same time`() async throws {
    try await withTemporaryDirectory { folder in
      let disk = PosixDisk()
      let path = folder.appending("Trip.pkg")
      var tree: TestTree = [:]
      for number in 0..<8 { tree[FileName("\(number).txt")] = "0 0" }
      _ = try await PackageStore.create(tree.wrapper, path, contentType: "com.example.trip", on: disk)
      let saved = try await withThrowingTaskGroup(of: Int.self) { group in
        for writer in 1...3 {
          group.addTask {
            var saved = 0
            for round in 0..<40 {
              do {
                let store = try await PackageStore.open(path, on: disk)
                // All children carry the same text, so that a mixture shows.
                for number in 0..<8 { try await store.put("\(number).txt", "\(writer) \(round)") }
                try await store.save()
                saved += 1
              } catch let error as FilePackageError {
                // An instant without the package does not exist; a busy or changed one does.
                #expect(error.code == .changedOnDisk, "\(error)")
              }
            }
            return saved
          }
        }
        return try await group.reduce(0, +)
      }
      let store = try await PackageStore.open(path, on: disk)
      let contents = Set(
        try await store.tree.children().filter { $0.key != "Metadata.plist" }.map { try $0.value.contents() })
      #expect(contents.count == 1)
      let metadata = try #require(try await store.metadata())
      #expect(metadata.generation == saved + 1, "no save that succeeded was lost")
      let summary = try await ContentSummary(reading: store.tree.snapshot())
      #expect(metadata.contentDigest == summary.digest.hexadecimal)
      #expect(try disk.names(in: folder) == ["Trip.pkg"])
      print("two stores: \(saved) of 120 concurrent saves succeeded, none lost")
    }
  }
}
