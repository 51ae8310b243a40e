import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite(
  "Two processes that save one package, and one that reads it", .tags(.process, .scale), .temporaryDirectory)
struct TwoProcessesTests {
  /// `TWO_PROCESSES_SECONDS`, for each of the two tests.
  private static let seconds =
    ProcessInfo.processInfo.environment["TWO_PROCESSES_SECONDS"].flatMap { Int($0) } ?? 1

  @Test(arguments: Way.sound, [false, true])
  func `lose no save and read no mixture`(_ way: Way, keepsOpen: Bool) async throws {
    try await waiting {
      let fixture = try SaveFixture(in: folder, children: 3)
      try fixture.reset()
      let flags = way.flags + (keepsOpen ? ["--keep"] : [])
      let reader = try Program.saver.start(["reading", fixture.package.string, "\(Self.seconds)"])
      let first = try fixture.startWriter("a", seconds: Self.seconds, flags)
      let second = try fixture.startWriter("b", seconds: Self.seconds, flags)
      try require(first.wait(), "the first writer")
      try require(second.wait(), "the second writer")
      let read = try require(reader.wait(), "the reader")
      let (saves, a, b) = try fixture.counts()
      #expect(try fixture.acknowledged("a") == Array((0...a).dropFirst()))
      #expect(try fixture.acknowledged("b") == Array((0...b).dropFirst()))
      #expect(saves == 1 + a + b)
      let left = try fixture.leftoverProblem()
      #expect(left == nil, "\(way.rawValue)\(keepsOpen ? ", kept open" : "")")
      print(
        "two processes (\(way.rawValue)\(keepsOpen ? ", kept open" : "")): \(a) + \(b) saves, 0 lost; "
          + read.output.trimmingCharacters(in: .newlines))
    }
  }

  @Test(arguments: Way.sound)
  func `lose no save when one of them is killed again and again`(_ way: Way) async throws {
    // A writer publishes the commit of a killed one before its own (W2).
    try await waiting {
      let fixture = try SaveFixture(in: folder, children: 3)
      try fixture.reset()
      let reader = try Program.saver.start(["reading", fixture.package.string, "\(Self.seconds)"])
      let first = try fixture.startWriter("a", seconds: Self.seconds, way.flags)
      var generator = SeededGenerator(seed: 1)
      var kills = 0
      let begin = ContinuousClock.now
      while begin.duration(to: .now) < .seconds(Self.seconds) {
        let second = try fixture.startWriter("b", seconds: 60, way.flags)
        // The sleep waits for no event: it varies the moment of the kill.
        usleep(.random(in: 20_000...400_000, using: &generator))
        second.kill()
        _ = try second.wait()
        kills += 1
      }
      try require(first.wait(), "the first writer")
      let read = try require(reader.wait(), "the reader")
      let (saves, a, b) = try fixture.counts()
      #expect(try fixture.acknowledged("a") == Array((0...a).dropFirst()))
      // Each kill may have come between a save and its acknowledgement.
      let acknowledged = try fixture.acknowledged("b")
      #expect(acknowledged == acknowledged.sorted() && Set(acknowledged).count == acknowledged.count)
      #expect((acknowledged.last ?? 0) <= b && b <= acknowledged.count + kills)
      #expect(saves == 1 + a + b)
      print(
        "two processes (\(way.rawValue)), one killed \(kills) times: \(a) + \(b) saves, 0 lost; "
          + read.output.trimmingCharacters(in: .newlines))
      // The next save removes the leftovers of the killed programs.
      try require(fixture.startWriter("b", saves: 1, way.flags).wait(), "the last writer")
      let left = try fixture.leftoverProblem()
      #expect(left == nil, "\(way.rawValue)")
    }
  }
}

extension SaveFixture {
  private func acknowledgements(_ writer: String) -> FilePath {
    folder.removingLastComponent().appending("acknowledged-\(writer)")
  }

  fileprivate func startWriter(
    _ writer: String, seconds: Int? = nil, saves: Int = 0, _ flags: [String]
  ) throws -> RunningProgram {
    try Program.saver.start(
      [
        "write", package.string, writer, seconds.map { "\($0)s" } ?? "\(saves)",
        acknowledgements(writer).string,
      ]
        + flags)
  }

  /// Returns the counts that a writer recorded after its saves.
  fileprivate func acknowledged(_ writer: String) throws -> [Int] {
    // The file does not exist before the first save.
    let text =
      FileManager.default.contents(atPath: acknowledgements(writer).string).map {
        String(decoding: $0, as: UTF8.self)
      } ?? ""
    return text.split(separator: "\n").compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
  }

  /// Returns the number of all saves of the package, and of each writer's.
  fileprivate func counts() throws -> (saves: Int, a: Int, b: Int) {
    let text = try require(Program.saver.runInTime(["count", package.string]), "counting").output
    func number(_ word: String) -> Int { Self.number(after: word, in: text) ?? 0 }
    return (number("saves"), number("a"), number("b"))
  }
}
