import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("Looking at a package while a save waits to be published")
struct WaitingLookTests {
  private static let tree: TestTree = [
    "Text.txt": "0", "Gone.txt": "gone", "Folder": ["a.txt": "a", "b.txt": "b"],
  ]

  /// Makes a document with a history and a conflict version; its last save waits.
  private static func waiting(
    hasHistory: Bool = true
  ) async throws -> (disk: CrashDisk, counting: CountingDisk, store: PackageStore) {
    let disk = try await CrashCheck.disk(tree, metadata: true)
    let counting = CountingDisk(disk)
    let store = try await PackageStore.open(CrashCheck.path, on: counting)
    if hasHistory {
      try await store.save("Text.txt", "1", options: .keepsHistory)
      try await store.keepConflict(["Text.txt"])
    }
    try await store.save(
      [
        .put("Text.txt", "2"), .remove("Gone.txt"), .put("New.txt", "new"),
        .move("Folder/a.txt", "moved.txt"),
      ], options: [.returnsAtCommit, .keepsHistory])
    return (disk, counting, store)
  }

  @Test(arguments: [
    "versions", "keepsHistory", "contents", "differences", "conflicts", "hasConflicts", "whole",
    "contents of a conflict", "ancestor", "policy", "thinning", "redo", "verify", "copy", "metadata",
  ])
  func `writes nothing`(call: String) async throws {
    let (disk, counting, store) = try await Self.waiting()
    let before = try PackagePicture(of: CrashCheck.path, on: disk)
    let count = counting.counts.changes
    let newest = try #require(try await store.versions().first).persistentIdentifier
    let conflict = try #require(try await store.conflictVersions().first).id
    switch call {
    case "versions": #expect(try await store.versions().count == 2)
    case "keepsHistory": #expect(try await store.keepsHistory())
    case "contents": _ = try await store.contents(of: newest)
    case "differences": #expect(try await !store.differences(from: newest).changes.isEmpty)
    case "conflicts": #expect(try await store.conflictVersions().count == 1)
    case "hasConflicts": #expect(try await store.hasConflicts())
    case "whole": _ = try await store.isPresentVersionWhole()
    case "contents of a conflict":
      #expect(try await store.contents(ofConflict: nil).regularFile(at: "Text.txt").text == "2")
      #expect(try await store.contents(ofConflict: conflict).regularFile(at: "Text.txt").text == "1")
    case "ancestor": _ = try await store.commonAncestor(ofConflict: conflict)
    case "policy": #expect(try await store.retentionPolicy() != nil)
    case "thinning": _ = try await store.thinHistory(dryRun: true)
    case "redo":
      await #expect(throws: FilePackageError.self) { try await store.redoPlan() }
    case "verify": #expect(try await store.verify().isWhole)
    case "copy": _ = try await store.copyPlan(to: URL(filePath: "/Copy.pkg"))
    default: _ = try await store.metadata()
    }
    #expect(try PackagePicture(of: CrashCheck.path, on: disk) == before)
    #expect(counting.counts.changes == count)
    // The save was ready to be published all the time.
    try await store.publish()
    #expect(try disk.names(in: "/Trip.pkg").contains("moved.txt"))
  }

  @Test(arguments: ["plan", "restore", "undo", "resolve"])
  func `publishes it before a plan is made, and writes nothing else`(call: String) async throws {
    let (disk, _, store) = try await Self.waiting()
    let newest = try #require(try await store.versions().first).persistentIdentifier
    let conflict = try #require(try await store.conflictVersions().first).id
    switch call {
    case "plan": #expect(try await store.plan().isEmpty)
    case "restore": #expect(try await !store.restorePlan(newest).isEmpty)
    case "undo": #expect(try await !store.undoPlan().isEmpty)
    default: _ = try await store.resolvingPlan(keeping: conflict)
    }
    let planned = try PackagePicture(of: CrashCheck.path, on: disk)
    let (other, _, published) = try await Self.waiting()
    try await published.publish()
    let names = try PackagePicture(of: CrashCheck.path, on: other).natural.entries.mapValues(\.bytes)
    #expect(
      planned.natural.entries.mapValues(\.bytes).filter { $0.key != "Metadata.plist" }
        == names.filter { $0.key != "Metadata.plist" })
    try await store.publish()
    #expect(try PackagePicture(of: CrashCheck.path, on: disk) == planned)
  }

  @Test func `tells of a history that begins with it`() async throws {
    let (_, _, store) = try await Self.waiting(hasHistory: false)
    let version = try #require(try await store.versions().first)
    #expect(try await store.versions().count == 1)
    let tree = try await store.contents(of: version.persistentIdentifier).tree
    #expect(try tree.regularFile(at: "Gone.txt").text == "gone")
    #expect(try tree.regularFile(at: "Folder/a.txt").text == "a")
    #expect(try tree.descendant(at: "New.txt") == nil)
    _ = try await store.undoSave()
    #expect(try await store.tree.regularFile(at: "Text.txt").text == "0")
  }
}
