import SystemPackage
import TestSupport
import Testing

@Suite(
  "A process that comes after one that was killed, and is killed, too", .tags(.crash, .process), .tracing,
  .temporaryDirectory)
struct BrokenRecoveryTests {
  @Test(arguments: Way.sound)
  func `leaves what the first one left`(_ way: Way) async throws {
    try await waiting {
      let fixture = try SaveFixture(in: folder, children: 2)
      try fixture.reset()
      let calls = try fixture.save(2, way).calls
      var (points, bad) = (0, 0)
      for first in Self.deaths(calls) {
        for second in Second.allCases {
          let following = try fixture.killSecond(way, first, second, at: 0).calls
          for number in Points.of(following, sample: 1) {
            points += 1
            if let problem = try fixture.problemAfterTwoDeaths(way, first, second, at: number) {
              bad += 1
              Issue.record(
                "save killed at \(calls[first - 1]), \(second) killed at \(following[number - 1]): \(problem)"
              )
            }
          }
        }
      }
      print("\(way.rawValue), killed twice: \(points) points, \(bad) bad")
    }
  }

  /// Returns the calls at which the save is killed: around the exchange of the states, and after it.
  private static func deaths(_ calls: [String]) -> [Int] {
    let middle = (calls.lastIndex { $0.contains(" fsync ") || $0.contains(" fdatasync ") } ?? 0) + 1
    let early = calls.count / 3
    let last = min(middle + (calls.count - middle) / 3, calls.count)
    return Points.all ? [early, middle - 1, middle, middle + 1, last, calls.count - 2] : [early, middle + 1]
  }
}

/// The work of the process that follows the killed one.
enum Second: String, CaseIterable {
  case check, save
}

extension SaveFixture {
  /// Kills a save at its call `first`.
  private func killSave(_ way: Way, at first: Int) throws {
    try reset()
    _ = try save(2, way, .kill, at: first)
  }

  /// Kills the process that follows a killed save; does not kill it if `number` is 0.
  fileprivate func killSecond(_ way: Way, _ first: Int, _ second: Second, at number: Int) throws -> BrokenRun
  {
    try killSave(way, at: first)
    switch second {
    case .check:
      return try Program.saver.run(["check", package.string], in: folder, .kill, at: number)
    case .save:
      return try save(3, way, .kill, at: number)
    }
  }

  fileprivate func problemAfterTwoDeaths(
    _ way: Way, _ first: Int, _ second: Second, at number: Int
  ) throws -> String? {
    try killSave(way, at: first)
    let left: Int
    switch try look() {
    case .failure(let problem): return problem.text
    case .success(let state): left = state
    }
    _ = try killSecond(way, first, second, at: number)
    if let problem = try naiveProblem() { return problem }
    switch try look() {
    case .failure(let problem): return problem.text
    case .success(let state) where state != left && !(second == .save && state == 3):
      return "generation \(left) became \(state)"
    case .success: return try nextSaveProblem(4, way)
    }
  }
}
