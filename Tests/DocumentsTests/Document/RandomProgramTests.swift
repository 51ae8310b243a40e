import Documents
import DurableIO
import FoundationEssentials
import TestSupport
import Testing

/// Random edits, undos, saves, changes of other programs, failures of the disk and power cuts. Every edit stays in the
/// content, the document on disk, a conflict version or a recovery copy.
///
/// `RANDOM_PROGRAMS` is the number of programs, `RANDOM_SEED` the first one's seed.
@Suite("A document under random programs")
struct RandomProgramTests {
  private static func number(_ name: String, otherwise number: UInt64) -> UInt64 {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) } ?? number
  }

  @Test func `loses no edit`() async throws {
    // Each edit is in memory or on disk, also after failures and power cuts (D2).
    var total = RandomProgram.Tally()
    let (count, first) = (
      Self.number("RANDOM_PROGRAMS", otherwise: 40), Self.number("RANDOM_SEED", otherwise: 0)
    )
    for seed in first..<first + count {
      var program = try await RandomProgram(seed: seed)
      do {
        for _ in 0..<40 { try await program.step() }
        try await program.finish()
      } catch {
        Issue.record("seed \(seed): \(error)\n\(program.log.suffix(20).joined(separator: "\n"))")
      }
      total.add(program.tally)
      #expect(program.lost.isEmpty, "seed \(seed): \(program.lost.joined(separator: "\n"))")
    }
    print("random programs: \(count) runs, \(total)")
    guard count >= 40 else { return }
    // The programs made steps of every kind.
    #expect(total[.edit] > 300 && total[.save] > 50 && total[.failure] > 30 && total[.powerCut] > 30)
    #expect(total[.othersEdit] > 100 && total[.conflict] > 10 && total[.recovery] > 0)
    #expect(total[.move] > 10 && total[.deletion] > 10 && total[.replacement] > 10)
  }

  /// The check finds a loss.
  @Test func `is found out when an edit is lost`() async throws {
    var program = try await RandomProgram(seed: 0)
    for _ in 0..<10 { try await program.step() }
    program.pretendEdit()
    try await program.check("pretending")
    #expect(!program.lost.isEmpty)
  }
}
