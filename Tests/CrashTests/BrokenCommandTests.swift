import DurableIO
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite(
  "A command whose system calls fail", .tags(.crash, .process),
  .enabled(if: Program.canBreak, "this needs ptrace(2)"))
struct BrokenCommandTests {
  private static let breakings: [(name: String, breaking: Breaking)] = [
    ("EIO", .error(.ioError)), ("ENOSPC", .error(.noSpace)), ("EACCES", .error(.permissionDenied)),
    ("EROFS", .error(.readOnlyFileSystem)), ("EMFILE", .error(.tooManyOpenFiles)),
    ("ENOMEM", .error(.noMemory)),
    ("EDQUOT", .error(Errno(rawValue: 122))), ("EINTR", .error(.interrupted)), ("a kill", .kill),
  ]

  @Test(arguments: CommandFixture.Work.allCases)
  func `says nothing that the disk contradicts`(_ work: CommandFixture.Work) async throws {
    try await withTemporaryDirectory { folder in
      let fixture = try await waiting { try CommandFixture(in: folder, work) }
      var trial = try await CommandTrial(fixture)
      var (cases, lies) = (0, 0)
      for number in 1...trial.calls.count {
        for (name, breaking) in Self.breakings(at: number, of: trial.calls.count) {
          guard let found = try await trial.lies(breaking, at: number) else { continue }
          cases += 1
          if found.lies.isEmpty { continue }
          lies += 1
          let text = found.lies.map { "\n  \($0)" }.joined()
          Issue.record("\(work.rawValue), \(name) at call \(found.call):\(text)")
        }
      }
      print("\(work.rawValue): \(trial.calls.count) calls, \(cases) cases, \(lies) with lies")
    }
  }

  /// Returns the errors that break a call, and the kill before it: each breaks every call with `EVERY_CALL=1`, every
  /// fourth one with `EVERY_CALL=4`, and otherwise one by chance.
  private static func breakings(at number: Int, of count: Int) -> [(name: String, breaking: Breaking)] {
    let step = ProcessInfo.processInfo.environment["EVERY_CALL"].flatMap { Int($0) } ?? count
    return breakings.enumerated().filter { index, _ in
      var generator = SeededGenerator(seed: UInt64(count + index))
      return (number + Int.random(in: 0..<step, using: &generator)).isMultiple(of: step)
    }.map(\.element)
  }

  @Test(arguments: CommandFixture.Work.allCases.filter(\.reportsSyncs))
  func `tells of every synchronization that it waits for`(_ work: CommandFixture.Work) async throws {
    try await withTemporaryDirectory { folder in
      let run = try await waiting { try CommandFixture(in: folder, work).run() }
      let made = run.calls.count { call in
        let name = call.split(separator: " ").dropFirst().first ?? ""
        return ["fsync", "fdatasync", "syncfs"].contains(name)
      }
      let words = run.run.output.split(whereSeparator: \.isWhitespace)
      let place = try #require(words.firstIndex { $0.hasPrefix("synchronization") })
      #expect(Int(words[place - 1]) == made, "\(run.run.output)")
    }
  }
}
