import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("Two stores of one package", .tags(.scale), .temporaryDirectory)
struct TwoStoresTests {
  private static func open(_ disk: any Disk) async throws -> (first: PackageStore, second: PackageStore) {
    (
      try await PackageStore.open(CrashCheck.path, on: disk),
      try await PackageStore.open(CrashCheck.path, on: disk)
    )
  }

  /// Returns the metadata on disk after a check of their sums.
  private static func metadata(at path: FilePath, on disk: any Disk) async throws -> PackageMetadata {
    try #require(try await PackageStore.open(path, on: disk).checkedMetadata())
  }

  private static func text(_ name: String, in tree: FileWrapper) throws -> String? {
    try tree.child(named: name).map { String(decoding: try $0.contents(), as: UTF8.self) }
  }

  @Test(arguments: [true, false])
  func `both succeed one after the other where they changed different children`(isClosed: Bool) async throws {
    // The second save is planned again, over the state that the first one left (W3).
    let disk = try await CrashCheck.disk(
      ["Text.txt": "old", "Other.txt": "other", "Folder": ["a": "a"]], metadata: true)
    let (first, second) = try await Self.open(disk)
    try await first.edit([.put("Text.txt", "first"), .put("Folder/b", "first")])
    try await second.edit([.put("Other.txt", "second"), .remove("Folder/a")])
    try await first.save()
    let revision = try await Self.metadata(at: CrashCheck.path, on: disk).revision
    if isClosed { try await first.close() }
    #expect(try await second.save().generation == 3)
    let after = try await Self.metadata(at: CrashCheck.path, on: disk)
    #expect(after.parentRevisions == [revision] && after.generation == 3)
    // The first store saves again over the second's save.
    #expect(try await first.save("Text.txt", "first again").generation == 4)
    #expect(try await Self.metadata(at: CrashCheck.path, on: disk).parentRevisions == [after.revision])
    try await first.close()
    try await second.close()
    try expectNoTraces(in: CrashCheck.path, on: disk)
    let tree = disk.tree["Trip.pkg"]?.withoutOurs
    #expect(tree == ["Text.txt": "first again", "Other.txt": "second", "Folder": ["b": "first"]])
  }

  @Test func `do not overwrite each other where they changed the same child`() async throws {
    for metadata in [true, false] {
      let disk = try await CrashCheck.disk(["Text.txt": "old", "Other.txt": "other"], metadata: metadata)
      let (first, second) = try await Self.open(disk)
      try await first.put("Text.txt", "first")
      try await second.edit([.put("Text.txt", "second"), .put("New.txt", "second")])
      try await first.saveAndClose()
      let before = disk.tree
      await expect(\FilePackageError.code, .changedOnDisk) { try await second.save() }
      #expect(disk.tree == before)
      #expect(disk.tree["Trip.pkg"]?["Text.txt"] == "first")
      let tree = await second.tree
      #expect(try Self.text("Text.txt", in: tree) == "second")
      #expect(try Self.text("New.txt", in: tree) == "second")
    }
  }

  @Test func `cannot both give the metadata other values`() async throws {
    let disk = try await CrashCheck.disk(["Text.txt": "old", "Other.txt": "other"], metadata: true)
    let (first, second) = try await Self.open(disk)
    func name(_ name: String) -> String {
      MetadataModelTests.plist("<key>DisplayName</key><string>\(name)</string>")
    }
    try await first.put("Metadata.plist", name("First"))
    try await second.edit([.put("Metadata.plist", name("Second")), .put("Other.txt", "second")])
    try await first.saveAndClose()
    let before = disk.tree
    let error = await #expect(throws: FilePackageError.self) { try await second.save() }
    #expect(error?.code == .changedOnDisk && error?.child == "Metadata.plist")
    #expect(disk.tree == before)
    #expect(try await Self.metadata(at: CrashCheck.path, on: disk).displayName == "First")
    #expect(try await Self.text("Other.txt", in: second.tree) == "second")
  }

  @Test func `keep the values that only one of them gave`() async throws {
    let disk = try await CrashCheck.disk(["Text.txt": "old"], metadata: true)
    let (first, second) = try await Self.open(disk)
    try await first.put(
      "Metadata.plist", MetadataModelTests.plist("<key>DisplayName</key><string>First</string>"))
    try await second.put("Text.txt", "second")
    try await first.save()
    try await second.save()
    let after = try await Self.metadata(at: CrashCheck.path, on: disk)
    #expect(after.displayName == "First" && after.generation == 3)
    #expect(disk.tree["Trip.pkg"]?["Text.txt"] == "second")
  }

  @Test func `never corrupt the package at the same time`() async throws {
    // Each writer holds the writer's lock (L1), of a lock file that no other session has removed (L3).
    let disk = PosixDisk()
    let path = folder.appending("Trip.pkg")
    var tree: TestTree = [:]
    for number in 0..<8 { tree[FileName("\(number).txt")] = "0 0" }
    try await tree.create(path, on: disk)
    let saved = try await withThrowingTaskGroup(of: Int.self) { group in
      for writer in 1...3 {
        group.addTask {
          var saved = 0
          for round in 0..<40 {
            do {
              let store = try await PackageStore.open(path, on: disk)
              // All children have the same text, so that a mixture shows.
              for number in 0..<8 { try await store.put("\(number).txt", "\(writer) \(round)") }
              try await store.save()
              saved += 1
            } catch let error as FilePackageError {
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
      try await store.tree.children().filter { ![".docpkg", "Metadata.plist"].contains($0.key) }
        .map { try $0.value.contents() })
    #expect(contents.count == 1)
    #expect(saved > 0)
    #expect(
      try await Self.metadata(at: path, on: disk).generation == saved + 1,
      "no save that succeeded was lost")
    #expect(try disk.names(in: folder) == ["Trip.pkg"])
    // Stores that were released at the same moment may have left each other's traces; the next store removes them.
    try await store.saveAndClose("0.txt", "last")
    try expectNoTraces(in: path, on: disk)
  }
}
