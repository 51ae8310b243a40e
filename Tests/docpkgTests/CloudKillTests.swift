import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite(
  "Two machines with a container in Ceph", .tags(.process, .scale),
  .enabled(if: ProcessInfo.processInfo.environment["CEPH_FOLDER"] != nil, "Tests/long/run ceph runs this"))
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

  private func cloud(_ arguments: [String], in folder: FilePath) throws {
    let run = try run(tool, ["cloud"] + arguments, in: folder)
    #expect(run.status == 0, "\(arguments): \(run.errors)")
  }

  private func text(_ path: String, in folder: FilePath) throws -> String {
    try String(contentsOfFile: folder.appending(path).string, encoding: .utf8)
  }

  /// `A` edits packages and `B` edits files, so that nothing is in conflict.
  private func edit(_ round: Int, in folder: FilePath) throws {
    for number in 0..<Self.count {
      let package = "A/a\(number).imageNotes"
      let arguments = [round == 0 ? "new" : "edit", package, "--text", "a \(round) \(number)", "--quiet"]
      #expect(try run(tool, arguments, in: folder).status == 0)
      try Data("b \(round) \(number)".utf8).write(
        to: URL(filePath: folder.appending("B/b\(number).txt").string))
    }
  }

  /// Waits for a moment within the work of a program.
  private func pause(_ program: RunningProgram, _ random: inout SeededGenerator) {
    for _ in 0..<Int.random(in: 0...300_000, using: &random) { _ = program.number }
  }

  @Test(.timeLimit(.minutes(60)))
  func `keep every edit while clients, the gateway and the disk are killed`() async throws {
    try await withTemporaryDirectory { folder in
      let store = try CloudPlace.service.containerArguments(in: folder)
      try cloud(["init"] + store + ["A"], in: folder)
      try cloud(["add"] + store + ["B"], in: folder)
      var random = SeededGenerator(seed: 7)
      let victims = Array(repeating: ["gateway", "A", "osd", "B", "gc"], count: Self.kills).flatMap(\.self)
      let numbers = 0..<Self.count
      var failed = 0
      for (round, victim) in victims.enumerated() {
        try edit(round, in: folder)
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
          #expect(
            end.status == 0 || end.status == 2 || end.signal == SIGKILL, "\(client.side): \(end.errors)")
        }
        if round == 0 {
          // From now on each machine downloads what the other one edits.
          for side in ["A", "B", "A"] { try cloud(["sync", side, "--quiet"], in: folder) }
          try cloud(["download", "--quiet"] + numbers.map { "B/a\($0).imageNotes" }, in: folder)
          try cloud(["download", "--quiet"] + numbers.map { "A/b\($0).txt" }, in: folder)
        }
      }
      for side in ["A", "B", "A", "B"] { try cloud(["sync", side, "--quiet"], in: folder) }
      let last = victims.count - 1
      for side in ["A", "B"] {
        for number in numbers {
          #expect(try text("\(side)/a\(number).imageNotes/Text.txt", in: folder) == "a \(last) \(number)")
          #expect(try text("\(side)/b\(number).txt", in: folder) == "b \(last) \(number)")
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.appending(side).string)
        #expect(names.count == 2 * Self.count + 1, "\(side): \(names.sorted())")
        try cloud(["status", side], in: folder)
      }
      try cloud(["check", "A", "--read"], in: folder)
      print("  \(victims.count) kills, \(failed) syncs failed or were killed, every edit is there")
    }
  }
}
