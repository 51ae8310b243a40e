import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite(
  "Two machines with a container in Ceph", .tags(.process, .scale),
  .enabled(if: ProcessInfo.processInfo.environment["CEPH_FOLDER"] != nil, "Tests/long/run ceph runs this"),
  .temporaryDirectory)
struct CloudKillTests {
  private static let count = 8
  /// The kills of each program: `CLOUD_KILLS`.
  private static let kills = ProcessInfo.processInfo.environment["CLOUD_KILLS"].flatMap { Int($0) } ?? 2

  private func order(_ words: String...) throws {
    let cluster = try #require(ProcessInfo.processInfo.environment["CEPH_FOLDER"])
    let run = try Program(path: projectFolder.appending(path: "Tests/Cloud/ceph-node").path).run(
      [cluster] + words)
    #expect(run.status == 0, "\(words): \(run.errors)")
  }

  /// `A` edits packages and `B` edits files, so that nothing is in conflict.
  private func edit(_ round: Int) throws {
    for number in 0..<Self.count {
      let package = "A/a\(number).imageNotes"
      let arguments = [round == 0 ? "new" : "edit", package, "--text", "a \(round) \(number)", "--quiet"]
      #expect(try run(tool, arguments).status == 0)
      try write("b \(round) \(number)", to: "B/b\(number).txt")
    }
  }

  /// Waits for a moment within the work of a program.
  private func pause(_ program: RunningProgram, _ random: inout SeededGenerator) {
    for _ in 0..<Int.random(in: 0...300_000, using: &random) { _ = program.number }
  }

  @Test(.timeLimit(.minutes(60)))
  func `keep every edit while clients, the gateway and the disk are killed`() throws {
    let store = try CloudPlace.service.containerArguments()
    try cloud(["init"] + store + ["A"])
    try cloud(["add"] + store + ["B"])
    var random = SeededGenerator(seed: 7)
    let victims = Array(repeating: ["gateway", "A", "osd", "B", "gc"], count: Self.kills).flatMap(\.self)
    let numbers = 0..<Self.count
    var failed = 0
    for (round, victim) in victims.enumerated() {
      try edit(round)
      var clients: [(side: String, program: RunningProgram)] = []
      if victim == "gc" {
        clients.append((victim, try tool.start(["cloud", "gc", "A"], in: folder)))
      } else {
        clients = try ["A", "B"].map { side in
          (side: side, program: try tool.start(["cloud", "sync", side, "--quiet"], in: folder))
        }
      }
      pause(clients[0].program, &random)
      if let client = clients.first(where: { $0.side == victim }) {
        kill(client.program.number, SIGKILL)
      } else {
        try order("kill", victim)
        try order("start", victim)
      }
      for client in clients {
        let end = try client.program.wait()
        if end.status != 0 { failed += 1 }
        #expect(end.status == 0 || end.status == 2 || end.signal == SIGKILL, "\(client.side): \(end.errors)")
      }
      if round == 0 {
        // From now on each machine downloads what the other one edits.
        for side in ["A", "B", "A"] { try cloud(["sync", side, "--quiet"]) }
        try cloud(["download", "--quiet"] + numbers.map { "B/a\($0).imageNotes" })
        try cloud(["download", "--quiet"] + numbers.map { "A/b\($0).txt" })
      }
    }
    for side in ["A", "B", "A", "B"] { try cloud(["sync", side, "--quiet"]) }
    let last = victims.count - 1
    for side in ["A", "B"] {
      for number in numbers {
        #expect(try text("\(side)/a\(number).imageNotes/Text.txt") == "a \(last) \(number)")
        #expect(try text("\(side)/b\(number).txt") == "b \(last) \(number)")
      }
      let names = try names(in: side)
      #expect(names.count == 2 * Self.count + 1, "\(side): \(names.sorted())")
      try cloud(["status", side])
    }
    try cloud(["check", "A", "--read"])
    print("  \(victims.count) kills, \(failed) syncs failed or were killed, every edit is there")
  }
}
