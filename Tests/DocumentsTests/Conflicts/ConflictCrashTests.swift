import Documents
import DurableIO
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("A conflict that is resolved while the power goes", .tags(.crash, .scale))
struct ConflictCrashTests {
  private static let own = ["a.txt": "ours\ntwo\nthree\n", "b.txt": "b", "begun.txt": "begun"]
  private static let other = ["a.txt": "one\ntwo\ntheirs\n", "begun.txt": "begun"]
  private static let merged = ["a.txt": "ours\ntwo\ntheirs\n", "begun.txt": "begun"]

  /// Makes two versions that were made apart, and one that a save has kept.
  private static func disk() async throws -> CrashDisk {
    let disk = try CrashDisk()
    _ = try await ConflictTests.apart(
      ["a.txt": "one\ntwo\nthree\n", "b.txt": "b"], first: ["a.txt": own["a.txt"]],
      second: ["a.txt": other["a.txt"], "b.txt": nil], on: disk)
    let store = try await PackageStore.open(ConflictTests.first, on: disk)
    try await store.keepConflict(["begun.txt"])
    try await store.close()
    disk.synchronizeAll()
    return disk
  }

  @Test func `is one with all its files, or none, while it is kept`() async throws {
    let disk = try await Self.disk()
    let points = try await CrashDisk.crashPoints(of: disk) {
      let store = try await PackageStore.open(ConflictTests.first, on: disk)
      try await store.keepConflict(["a.txt", "begun.txt"])
      try await store.close()
    }
    var sweep = CrashSweep()
    try await sweep.check(points, limit: 12) { disk, _ in
      let kept = try await PackageStore.open(ConflictTests.first, on: disk).conflictVersionURLs()
      for url in kept {
        let listing = try disk.list(disk.openDirectory(at: FilePath(url.path)))
        let names = listing.fileNames.sorted()
        if names != ["a.txt", "begun.txt"] && names != ["begun.txt"] { return "\(names)" }
      }
      return nil
    }
    #expect(sweep.states > 20 && sweep.bad.isEmpty, "\(sweep.bad)")
  }

  /// Opens every state that a power cut leaves, and checks that all versions are there or the conflict is resolved.
  private static func check(
    _ decided: [String: String], _ resolve: (PackageStore) async throws -> Void
  ) async throws -> (sweep: CrashSweep, undecided: Int) {
    let disk = try await disk()
    let points = try await CrashDisk.crashPoints(of: disk) {
      let store = try await PackageStore.open(ConflictTests.first, on: disk)
      try await resolve(store)
      disk.promise("resolved")
      try await store.close()
    }
    var (sweep, undecided) = (CrashSweep(), 0)
    try await sweep.check(points.reversed(), limit: 12) { disk, point in
      let store = try await PackageStore.open(ConflictTests.first, on: disk)
      let present = try ConflictTests.texts(await store.contents(ofConflict: nil))
      if try await isAll(store) {
        undecided += 1
        if !point.promises.isEmpty { return "what was decided is not" }
        // A second attempt resolves the conflict.
        try await resolve(store)
      } else if present != decided {
        return "\(present), \(try await store.conflictVersions())"
      } else if try await !store.conflictVersions().isEmpty {
        // The conflict versions go last.
        try await store.resolveConflicts(store.conflictVersions(), keeping: nil)
      }
      let now = try ConflictTests.texts(await store.contents(ofConflict: nil))
      let left = try await store.conflictVersions()
      let verified = try await store.verify()
      try await store.close()
      if now == decided && left.isEmpty && verified.isWhole { return nil }
      return "after that: \(now), \(left), \(verified)"
    }
    return (sweep, undecided)
  }

  /// Returns whether both versions are there.
  private static func isAll(_ store: PackageStore) async throws -> Bool {
    var found: [[String: String]] = []
    for version in try await store.conflictVersions() {
      found.append(try ConflictTests.texts(await store.contents(ofConflict: version.id)))
    }
    return found.contains(own) && found.contains(other)
  }

  @Test func `has all versions, or what was decided`() async throws {
    // Each state has all versions or the durable outcome (R1).
    let merging = try await Self.check(Self.merged) { store in
      _ = try await store.mergeConflicts(options: .keepsHistory)
    }
    let keeping = try await Self.check(Self.own) { store in
      for version in try await store.conflictVersions() {
        guard try ConflictTests.texts(await store.contents(ofConflict: version.id)) == Self.own else {
          continue
        }
        try await store.resolveConflicts(store.conflictVersions(), keeping: version.id)
        return
      }
    }
    for found in [merging, keeping] {
      #expect(found.undecided > 10)
      found.sweep.expectNoneBad(moreThan: 50)
    }
  }
}
