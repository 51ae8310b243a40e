import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("A history that is older than its document")
struct OlderHistoryTests {
  private static func save(_ number: Int, on disk: any Disk) async throws {
    try await CrashCheck.save("Text.txt", "\(number)", options: .keepsHistory, on: disk)
  }

  private static func problems(on disk: any Disk) async throws -> [String] {
    let report = try await PackageStore.open(CrashCheck.path, on: disk).verify()
    #expect(report.isWhole == report.damagedVersions.isEmpty)
    // A repair says the same, since it can bring no version back.
    for dryRun in [true, false] {
      let store = try await PackageStore.open(CrashCheck.path, on: disk)
      #expect(try await store.repair(dryRun: dryRun).remaining == report)
      try await store.close()
    }
    return report.damagedVersions.map { "\($0)" }
  }

  @Test(arguments: [true, false])
  func `is one whose generations verification names`(savesAgain: Bool) async throws {
    let disk = try await CrashCheck.disk(["Text.txt": "0"], metadata: true)
    // The history has the generations 1 and 2, and its present state is the third one.
    for number in 1...2 { try await Self.save(number, on: disk) }
    let hidden = CrashCheck.path.appending(".docpkg")
    let older = try disk.contents(of: hidden.appending("log"))
    for number in 3...4 { try await Self.save(number, on: disk) }
    #expect(try await Self.problems(on: disk) == [])
    // A part of a backup comes back.
    try disk.rewrite("log", older, in: hidden)
    #expect(
      try await Self.problems(on: disk) == [
        "the history lacks the generations 3 to 4; the versions before that are lost"
      ])
    #expect(try await PackageStore.open(CrashCheck.path, on: disk).versions().isEmpty)
    // The gap stays, and later versions are whole.
    if savesAgain {
      try await Self.save(5, on: disk)
      #expect(try await Self.problems(on: disk).count == 1)
    }
    // Thinning by the user's wish drops the versions before the gap.
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    #expect(try await store.versions().count == (savesAgain ? 1 : 0))
    #expect(try await store.thinHistory().removed.count == 2)
    try await store.close()
    #expect(try await Self.problems(on: disk) == [])
    try await Self.save(6, on: disk)
    #expect(try await Self.problems(on: disk) == [])
    #expect(try await PackageStore.open(CrashCheck.path, on: disk).versions().count == (savesAgain ? 2 : 1))
  }

  @Test func `is no thinned one`() async throws {
    let disk = try await CrashCheck.disk(["Text.txt": "0"], metadata: true)
    for number in 1...4 { try await Self.save(number, on: disk) }
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    let versions = try await store.versions().map(\.persistentIdentifier)
    try await store.removeVersions([versions[0], versions[2]])
    try await store.close()
    #expect(try await Self.problems(on: disk) == [])
  }
}
