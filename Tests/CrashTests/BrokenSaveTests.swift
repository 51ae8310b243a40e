import SystemPackage
import TestSupport
import Testing

private let codes: [Errno] = [
  .noSpace, .ioError, Errno(rawValue: 122), .tooManyOpenFiles, .interrupted, .permissionDenied,
]

@Suite("A process that saves and is broken off", .tags(.crash, .process), .tracing, .temporaryDirectory)
struct BrokenSaveTests {
  @Test(arguments: Way.sound)
  func `killed at any call leaves the old document or the new one`(_ way: Way) async throws {
    try await breakSaves(way, [.kill], sample: 14)
  }

  @Test(arguments: Way.sound)
  func `with any call failing fails with the old document or saves the new one`(_ way: Way) async throws {
    try await breakSaves(way, codes.map { .error($0) }, sample: 1)
  }

  @Test(arguments: Way.sound)
  func `with any call failing after it was done never loses what it acknowledged`(_ way: Way) async throws {
    try await breakSaves(way, [.lateError(.ioError), .lateError(.interrupted), .short], sample: 2)
  }

  @Test func `killed in a careless save shows`() async throws {
    try await waiting {
      let fixture = try SaveFixture(in: folder, children: 3)
      try fixture.reset()
      let calls = try fixture.save(2, .careless).calls
      let problems = try Points.of(calls, sample: 8).compactMap { number in
        try fixture.reset()
        return try fixture.problem(
          after: fixture.save(2, .careless, .kill, at: number), .log, wasKilled: true)
      }
      #expect(problems.contains { $0.contains("broken ") })
      #expect(problems.contains { $0.contains("mixed: ") })
    }
  }

  /// Breaks a save in each of these ways at each call, or at a sample of them.
  private func breakSaves(_ way: Way, _ breakings: [Breaking], sample: Int) async throws {
    try await waiting {
      let fixture = try SaveFixture(in: folder, children: 3)
      try fixture.reset()
      let calls = try fixture.save(2, way).calls
      #expect(calls.count > 50, "no calls were numbered")
      var (points, bad) = (0, 0)
      for (index, breaking) in breakings.enumerated() {
        // Each way has its own sample.
        for number in Points.of(Array(calls.dropLast(index)), sample: sample) {
          // A listing continues after its first entries; no kernel returns entries and then reports an interruption.
          if "\(breaking)" == "late=4" && calls[number - 1].contains(" getdents64 ") { continue }
          try fixture.reset()
          let broken = try fixture.save(2, way, breaking, at: number)
          guard broken.calls.count >= number else { continue }
          points += 1
          if let problem = try fixture.problem(after: broken, way, wasKilled: "\(breaking)" == "kill") {
            bad += 1
            Issue.record("\(breaking) at call \(broken.calls[number - 1]): \(problem)")
          }
        }
      }
      print("\(way.rawValue) \(breakings): \(points) points, \(bad) bad")
    }
  }
}
