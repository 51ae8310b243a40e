import DurableIO
import Foundation
import TestSupport
import Testing

/// Runs up to eight processes that read, write, move, present, and are cancelled, killed and stopped, by seed.
///
/// No two processes are in a package against the rules, and no increment is lost. No call takes longer than its
/// deadline, and no file is left. `RANDOM_SCHEDULES` is the number of schedules, and `RANDOM_SEED` the seed of the
/// first. `RANDOM_SECONDS` is the time after which no schedule begins.
@Suite("Random schedules", .tags(.process, .scale), .temporaryDirectory)
struct RandomScheduleTests {
  private static func number(_ name: String, otherwise number: UInt64) -> UInt64 {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) } ?? number
  }

  @Test func `keep every promise`() async throws {
    // No two accesses in conflict run at once, whatever numbers they take (C1).
    // No call takes longer than its deadline, and no claim is left (CA3).
    let (count, first) = (
      Self.number("RANDOM_SCHEDULES", otherwise: 60), Self.number("RANDOM_SEED", otherwise: 0)
    )
    let end = ContinuousClock.now + .seconds(Int(Self.number("RANDOM_SECONDS", otherwise: 3600)))
    let place = try Place()
    let schedules = try Schedules(place)
    var done: UInt64 = 0
    for seed in first..<first + count {
      if ContinuousClock.now > end { break }
      do {
        try await schedules.run(seed)
      } catch {
        Issue.record("seed \(seed): \(error)\n\(schedules.transcript)")
        break
      }
      #expect(schedules.problems.isEmpty, "seed \(seed): \(schedules.problems)\n\(schedules.transcript)")
      if !schedules.problems.isEmpty { break }
      done += 1
    }
    print("random schedules: \(done) of \(count), \(schedules.tally.sorted { $0.key < $1.key })")
    guard count >= 60, done == count else { return }
    // The schedules reached every case. Only the machine decides which calls time out or are cancelled. These have
    // tests of their own. `BadNeighbourTests` has both timeouts of a stopped process, `PresenterTests` those of a silent
    // presenter and `cancelled`, `WaitingRuleTests` the timeout of a slow access.
    for kind in ["bumped", "found", "moved", "saved", "killed", "stopped"] {
      #expect(schedules.tally[kind, default: 0] > 0, "\(kind)")
    }
  }
}

/// The processes, which one schedule after the other uses.
private final class Schedules {
  private let place: Place
  private var processes: [CoordinatorProcess] = []
  private var stopped: Set<Int> = []
  /// The calls that have begun, each with its process.
  private var calls: [(id: String, process: CoordinatorProcess)] = []
  private var presenters: [(id: String, process: CoordinatorProcess)] = []
  private var random = SeededGenerator(seed: 0)
  private var log: [String] = []
  private(set) var problems: [String] = []
  private(set) var tally: [String: Int] = [:]
  /// The number of acknowledged increments, and of increments with an unknown outcome.
  private var acknowledged = 0
  private var unknown = 0
  private var last = 0

  init(_ place: Place) throws {
    self.place = place
    for _ in 0..<8 { processes.append(try CoordinatorProcess(place.runtime)) }
  }

  var transcript: String { log.suffix(60).joined(separator: "\n") }

  private func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  private func send(_ process: CoordinatorProcess, _ line: String) {
    log.append("\(process.number)> \(line)")
    process.send(line)
  }

  func run(_ seed: UInt64) async throws {
    random = SeededGenerator(seed: seed)
    (log, calls, presenters) = ([], [], [])
    let width = number(2...8)
    for step in 0..<number(6...14) { try await act(step, seed, width) }
    try await finish(seed)
  }

  private func act(_ step: Int, _ seed: UInt64, _ width: Int) async throws {
    let index = number(0...width - 1)
    let process = processes[index]
    let id = "s\(seed).\(step)"
    // The test does not know its present place.
    let item = place.path(number(0...1) == 0 ? "Trip.pages" : "Away.pages")
    let deadline = "deadline=\(number(1...4) * 60)"
    switch number(0...99) {
    case 0..<30: begin(id, process, "write \(id) \(item) do=bump \(deadline)")
    case 30..<55: begin(id, process, "read \(id) \(item) do=check \(deadline)")
    case 55..<63:
      let target = place.path(item.hasSuffix("Trip.pages") ? "Away.pages" : "Trip.pages")
      begin(id, process, "write \(id) \(item) do=move to=\(target) \(deadline)")
    case 63..<78:
      let hangs = number(0...7) == 0 ? " hang" : ""
      presenters.append((id, process))
      send(process, "present \(id) \(item) \(deadline)\(hangs)")
      send(process, "dirty \(id)")
    case 78..<83:
      if let call = calls.randomElement(using: &random) { send(call.process, "cancel \(call.id)") }
    case 83..<88:
      if let presenter = presenters.randomElement(using: &random) {
        send(presenter.process, "dirty \(presenter.id)")
      }
    case 88..<94:
      stopped.insert(index)
      tally["stopped", default: 0] += 1
      log.append("\(process.number)> stop")
      process.signal(SIGSTOP)
    default:
      tally["killed", default: 0] += 1
      log.append("\(process.number)> kill")
      try await replace(index)
    }
  }

  private func begin(_ id: String, _ process: CoordinatorProcess, _ line: String) {
    calls.append((id, process))
    send(process, line)
  }

  /// Kills a process, and starts another one.
  private func replace(_ index: Int) async throws {
    let process = processes[index]
    try await process.kill()
    processes[index] = try CoordinatorProcess(place.runtime)
    stopped.remove(index)
  }

  /// Ends the schedule: continues stopped processes, waits for every result, and checks that no file is left.
  private func finish(_ seed: UInt64) async throws {
    for index in stopped { processes[index].signal(SIGCONT) }
    stopped = []
    for (id, process) in calls where !process.hasEnded { try await process.expect(id, "ended", "failed") }
    for (id, process) in presenters where !process.hasEnded {
      try await process.expect(id, "presents")
      send(process, "forget \(id)")
      try await process.expect(id, "forgotten")
    }
    // A presenter's save also ends if no access waits for it any more.
    for (id, process) in presenters where !process.hasEnded {
      while !process.hasEnded {
        let lines = process.lines(id)
        let begun = lines.filter { $0 == "is-to-save" }.count
        if lines.filter({ $0.hasPrefix("has-") }).count == begun { break }
        send(process, "ping s\(seed).ping")
        try await process.expect("s\(seed).ping", "pong")
        process.forgetLines(of: "s\(seed).ping")
      }
    }
    let process = processes[0]
    let id = "s\(seed).end"
    send(process, "write \(id) \(place.path("Trip.pages")) do=move to=\(place.path("Away.pages"))")
    try await process.expect(id, "ended", "failed")
    send(process, "write \(id)b \(place.path("Away.pages")) do=bump")
    try await process.expect("\(id)b", "ended", "failed")
    calls.append(("\(id)b", process))
    count()
    for name in place.names("claims") + place.names("presenters") { problems.append("left: \(name)") }
    check(process.lines("\(id)b").first ?? "")
    for process in processes { process.forgetLines(of: "s\(seed)") }
  }

  private func count() {
    for (id, process) in calls + presenters {
      let lines = process.lines(id)
      log += lines.map { "\(process.number): \(id) \($0)" }
      for line in lines {
        let words = line.split(separator: " ").map(String.init)
        if line.contains("violation") { problems.append("\(id): \(line)") }
        switch words[0] {
        case "bumped" where words.last != "missing": acknowledged += 1
        case "saved" where words.last != "missing": acknowledged += Int(words[1]) ?? 0
        case "failed": tally[words[1], default: 0] += 1
        default: break
        }
        tally[words[0], default: 0] += 1
      }
      // A killed process may have made an increment without a report.
      if process.hasEnded { unknown += 1 + lines.filter { $0 == "dirty" }.count }
    }
  }

  /// Checks that the package holds the acknowledged number.
  private func check(_ line: String) {
    let words = line.split(separator: " ")
    guard words.count == 2, words[0] == "bumped", let number = Int(words[1]) else {
      return problems.append("the package is gone: \(line)")
    }
    if number < acknowledged || number > acknowledged + unknown {
      problems.append("\(number) in the package, \(acknowledged) acknowledged, \(unknown) unknown")
    }
    (acknowledged, unknown) = (number, 0)
  }
}
