import Documents
import Foundation
import SystemPackage
import TestSupport
import Testing

/// Merging by other programs that are installed.
@Suite("A merge of texts beside other programs", .tags(.process), .temporaryDirectory)
struct OtherMergersTests {
  enum Merger: String, CaseIterable, Sendable {
    case git, diff3

    static var installed: [Merger] { allCases.filter { Program.installed($0.rawValue) != nil } }

    /// Returns the program's merge of the files `base`, `ours` and `theirs`, and whether there is a conflict.
    func merge(in folder: FilePath) throws -> (text: String, isConflict: Bool) {
      let arguments =
        switch self {
        case .git: ["merge-file", "-p", "--diff3", "ours", "base", "theirs"]
        // Without -E, diff3 also marks equal changes of both sides.
        case .diff3: ["-m", "-E", "ours", "base", "theirs"]
        }
      let run = try #require(Program.installed(rawValue)).run(arguments, in: folder)
      // The status is the number of conflicts, or 1; a higher one is a failure.
      try #require(run.signal == nil && run.status < (self == .git ? 128 : 2))
      return (run.output, run.status != 0)
    }
  }

  /// No two lines are equal, so that there is one difference. Two programs may disagree only about changes that touch.
  @Test(.enabled(if: !Merger.installed.isEmpty, "needs git or diff3"), arguments: Merger.installed)
  func `comes to the same as`(merger: Merger) throws {
    var conflicts = 0
    for seed in 0..<60 as Range<UInt64> {
      let edited = ThreeWayMergeTests.Edited(seed: seed, lines: 12, edits: 5)
      let texts = (edited.base.joined(), edited.text(0), edited.text(1))
      for (name, text) in [("base", texts.0), ("ours", texts.1), ("theirs", texts.2)] {
        try Data(text.utf8).write(to: url(name))
      }
      let merge = ThreeWayMerge(base: texts.0, ours: texts.1, theirs: texts.2)
      let other = try merger.merge(in: folder)
      #expect(other.isConflict == !merge.conflicts.isEmpty, "seed \(seed): \(other.text)")
      if merge.conflicts.isEmpty && !other.isConflict {
        #expect(merge.text() == other.text, "seed \(seed)")
      }
      conflicts += merge.conflicts.count
    }
    // There were merges with and without conflicts.
    #expect(conflicts > 5)
  }
}
