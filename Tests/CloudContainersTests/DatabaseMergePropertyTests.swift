import Foundation
import TestSupport
import Testing

/// Random programs: two to four machines that edit, merge and resolve one document with a database.
///
/// `RANDOM_MERGES` is the number of programs, `RANDOM_SEED` the first one's seed.
@Suite("Random edits of a document with a database on several machines")
struct DatabaseMergePropertyTests {
  private static func number(_ name: String, _ otherwise: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap(Int.init) ?? otherwise
  }

  @Test func `leave all machines with the same rows and files, and lose no value`() async throws {
    let first = Self.number("RANDOM_SEED", 1)
    for seed in first..<(first + Self.number("RANDOM_MERGES", 8)) {
      try await withTemporaryDirectory { directory in
        var program = try await DatabaseProgram(in: directory, seed: UInt64(seed))
        await program.run()
        for difference in program.differences {
          Issue.record("seed \(seed): \(difference); \(program.log.joined(separator: "; "))")
        }
      }
    }
  }

  @Test func `find a machine that merges and keeps no conflict`() async throws {
    var found = 0
    for seed in 1...40 where found == 0 {
      try await withTemporaryDirectory { directory in
        var program = try await DatabaseProgram(in: directory, seed: UInt64(seed), forgetsConflicts: true)
        await program.run()
        if !program.differences.isEmpty { found += 1 }
      }
    }
    #expect(found == 1)
  }
}
