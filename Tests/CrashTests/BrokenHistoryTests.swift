import DurableIO
import FilePackages
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite(
  "A process that goes back to a version, drops versions or decides a conflict, and is killed",
  .tags(.crash, .process),
  .enabled(if: Program.canBreak, "this needs ptrace(2)"))
struct BrokenHistoryTests {
  @Test(arguments: HistoryFixture.Work.allCases)
  func `leaves every version, and can do it again`(_ work: HistoryFixture.Work) async throws {
    try await withTemporaryDirectory { folder in
      let fixture = try await waiting { try HistoryFixture(in: folder, work) }
      let known = try await fixture.look()
      #expect(known.versions.count == 3 && known.conflicts.count == (work == .resolve ? 1 : 0))
      let calls = try await waiting { try fixture.run(.nothing, at: 0).calls }
      let done = try await fixture.look()
      #expect(calls.count > 20 && done.texts != known.texts || work == .prune)
      var (points, bad) = (0, 0)
      for number in Points.of(calls, sample: 16, each: "renameat2") {
        let broken = try await waiting {
          try fixture.reset()
          return try fixture.run(.kill, at: number)
        }
        guard broken.calls.count >= number else { continue }
        points += 1
        if let problem = await fixture.problem(known, done) {
          bad += 1
          Issue.record("killed at call \(broken.calls[number - 1]): \(problem)")
        }
      }
      print("\(work) killed: \(points) points, \(bad) bad")
    }
  }
}

/// A document with a history, perhaps in conflict, and a command that works on it.
///
/// (1) The document is in its old state or in the state that the command makes.
/// (2) Each earlier version is still there and unchanged, except those that the command drops.
/// (3) The conflict versions are there whole until they are resolved.
/// (4) A second run works and gives the same result.
struct HistoryFixture: Sendable {
  enum Work: String, CaseIterable, Sendable {
    case restore, undo, prune, resolve
  }

  private static let docpkg = Program("docpkg")
  private let work: Work
  private let root: FilePath
  private var folder: FilePath { root.appending("scene") }
  private var package: String { folder.appending("Trip.imageNotes").string }

  init(in root: FilePath, _ work: Work) throws {
    self.root = root
    self.work = work
    let template = root.appending("Trip.imageNotes").string
    func edit(_ path: String, _ text: String) throws {
      try require(Self.docpkg.runInTime(["edit", path, "--text", text]), "editing")
    }
    try require(Self.docpkg.runInTime(["new", template, "--text", "one\n--\ntwo\n"]), "making")
    try edit(template, "one\n--\ntwo\n--\nthree\n")
    try edit(template, "one\n--\ntwo\n--\nthree\n--\nfour\n")
    let other = root.appending("Other.imageNotes").string
    try Self.shell("cp -a '\(template)' '\(other)'")
    try edit(template, "ONE\n--\ntwo\n--\nthree\n--\nfour\n")
    if work == .resolve {
      try edit(other, "one\n--\ntwo\n--\nthree\n--\nFOUR\n")
      try leaveConflictCopies(of: other, in: template)
    }
    try Self.shell("rm -r '\(other)'")
    try reset()
  }

  private static func shell(_ script: String) throws {
    try require(Program(path: "/bin/sh").run(["-c", "set -e; " + script]), "preparing")
  }

  /// Restores the initial state.
  func reset() throws {
    try Self.shell(
      "rm -rf '\(folder)'; mkdir '\(folder)'; cp -a '\(root.appending("Trip.imageNotes"))' '\(folder)'")
  }

  private func arguments(_ oldest: String?) -> [String] {
    switch work {
    case .restore: ["restore", package, "--version", oldest ?? ""]
    case .undo: ["undo", package]
    // The last version always stays.
    case .prune: ["versions", "prune", package, "--budget", "1"]
    case .resolve: ["resolve", package, "--merge"]
    }
  }

  private func oldest() throws -> String? {
    let listed = try Self.docpkg.runInTime(["versions", package]).output
    return listed.split(separator: "\n").last?.split(separator: " ").first.map(String.init)
  }

  func run(_ breaking: Breaking, at number: Int) throws -> BrokenRun {
    try Self.docpkg.run(arguments(work == .restore ? oldest() : nil), in: folder, breaking, at: number)
  }

  func look() async throws -> DocumentSight { try await DocumentSight.look(at: package) }

  /// Returns the problem after the command was killed; nil if there is none.
  func problem(_ before: DocumentSight, _ after: DocumentSight) async -> String? {
    do {
      let found = try await look()
      // (1)
      if found.texts != before.texts && found.texts != after.texts { return "it is \(found.texts)" }
      // (2)
      for (id, texts) in before.versions where work != .prune || after.versions[id] != nil {
        let now = found.versions[id]?.filter { texts[$0.key] != nil }
        if now != texts {
          return "version \(id) is \(found.versions[id].map { "\($0)" } ?? "gone")"
        }
      }
      // (3)
      if found.texts == before.texts && found.conflicts != before.conflicts {
        return "in conflict are \(found.conflicts)"
      }
      // (4)
      if work == .undo && found.texts == after.texts { return nil }
      let again = try await waiting { try run(.nothing, at: 0).run }
      if again.status != 0 { return "doing it again ended with \(again.status): \(again.errors)" }
      let now = try await look()
      return now.texts == after.texts && now.conflicts.isEmpty ? nil : "done again, it is \(now)"
    } catch {
      return "\(error)"
    }
  }
}
