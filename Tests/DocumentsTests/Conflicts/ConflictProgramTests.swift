import Documents
import DurableIO
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

/// `CONFLICT_PROGRAMS` is the number of programs.
@Suite("Versions that were made apart at random", .tags(.scale))
struct ConflictProgramTests {
  private static let count =
    ProcessInfo.processInfo.environment["CONFLICT_PROGRAMS"].flatMap { UInt64($0) } ?? 60

  @Test func `are found whole, and have all lines when they are merged`() async throws {
    // The merge has every line of either side (K1).
    var (merged, undecided) = (0, 0)
    for seed in 0..<Self.count {
      let program = try await ConflictProgram(seed: seed)
      for path in [ConflictTests.first, ConflictTests.second] {
        let store = try await PackageStore.open(path, on: program.disk)
        let versions = try await store.conflictVersions()
        // Each side's last state is there, exactly: in its place, or as a version.
        var states: [ConflictProgram.Texts] = []
        if try await store.isPresentVersionWhole() {
          states.append(try ConflictTests.texts(await store.contents(ofConflict: nil)))
        }
        for version in versions {
          #expect(version.isWhole, "seed \(seed): \(version)")
          states.append(try ConflictTests.texts(await store.contents(ofConflict: version.id)))
        }
        if program.own == program.base || program.other == program.base { continue }
        #expect(states.contains(program.own), "seed \(seed) \(path): ours is not there")
        #expect(states.contains(program.other), "seed \(seed) \(path): theirs is not there")
        let isFirst = path == ConflictTests.first
        var report = try await store.mergeConflicts(options: .keepsHistory)
        var wanted = program.written
        if report.save == nil {
          undecided += 1
          // Nothing has changed, and all versions are still there.
          #expect(try await store.conflictVersions().map(\.id) == versions.map(\.id))
          if isFirst {
            report = try await store.mergeConflicts(keepingBoth: true, options: .keepsHistory)
          } else if let version = versions.last {
            // The result is one side's version, exactly.
            let texts = try ConflictTests.texts(await store.contents(ofConflict: version.id))
            try await store.resolveConflicts(
              store.conflictVersions(), keeping: version.id, options: .keepsHistory)
            #expect(try ConflictTests.texts(await store.tree) == texts, "seed \(seed)")
            wanted = []
          }
        } else {
          merged += 1
          let lines = ConflictProgram.lines(try ConflictTests.texts(await store.tree))
          #expect(lines.isDisjoint(with: program.removed), "seed \(seed): a removed line is there again")
        }
        let lines = ConflictProgram.lines(try ConflictTests.texts(await store.tree))
        #expect(
          wanted.subtracting(lines).isEmpty,
          "seed \(seed) \(path): \(wanted.subtracting(lines).sorted()) \(report.conflicts)")
        #expect(try await store.conflictVersions().isEmpty, "seed \(seed)")
        #expect(try await store.verify().isWhole, "seed \(seed)")
        let problems = try await program.problems(store)
        #expect(problems.isEmpty, "seed \(seed) \(path): \(problems)")
        try await store.close()
        let names = try SyncedFolders.files(in: path, on: program.disk).keys.map(\.string)
        // A version of the history has the files of its save.
        #expect(!names.contains { $0.contains("sync-conflict") }, "seed \(seed): \(names)")
        let again = try await PackageStore.open(path, on: program.disk)
        #expect(try ConflictProgram.lines(ConflictTests.texts(await again.tree)) == lines)
      }
    }
    #expect(merged > Int(Self.count) / 4 && undecided > Int(Self.count) / 10)
  }
}
