import DurableIO
import FilePackages
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// Programs that append to one document at the same time, undo each other's appends, are killed and are stopped.
///
/// (1) Each append with status 0 is in the text, or in a version that can be restored.
/// (2) A token leaves the text only by an undo: the state after it is the text of an earlier state. There are no more
///     such states than undos that began.
/// (3) An append with another status is in the text whole, or not at all.
///
/// `APPENDERS_RUNS` and `APPENDERS_STEPS` ask for more than the sample.
@Suite("Two programs that append to one document", .tags(.crash, .process), .tracing, .temporaryDirectory)
struct TwoAppendersTests {
  private static func number(_ name: String, otherwise: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? otherwise
  }

  @Test(arguments: 0..<number("APPENDERS_RUNS", otherwise: 2))
  func `lose nothing that was acknowledged, and what an undo took is in a version`(run: Int) async throws {
    let fixture = try AppendedFixture(in: folder)
    let steps = Self.number("APPENDERS_STEPS", otherwise: 12)
    async let first: Void = waiting { try fixture.run("a", steps: steps, seed: UInt64(2 * run + 1)) }
    async let second: Void = waiting { try fixture.run("b", steps: steps, seed: UInt64(2 * run + 2)) }
    _ = try await (first, second)
    let states = try await fixture.states()
    let done = fixture.done
    let text = try #require(states.last).lines
    let all = Set(states.flatMap(\.lines))
    // (1)
    let lost = done.acknowledged.filter { !all.contains($0) }
    #expect(lost == [], "of \(done.acknowledged.count) appends")
    // (2)
    var takers: [Int: [String]] = [:]
    for (before, after) in zip(states, states.dropFirst()) {
      let taken = before.lines.filter { !after.lines.contains($0) }
      if taken.isEmpty { continue }
      takers[after.generation] = taken
      #expect(
        states.contains { $0.generation < before.generation && $0.lines == after.lines },
        "generation \(after.generation) took \(taken), and is no earlier state")
    }
    #expect(takers.count <= done.undosBegun)
    let missing = done.acknowledged.filter { !text.contains($0) }
    #expect(missing.allSatisfy { token in takers.values.contains { $0.contains(token) } })
    // (3)
    #expect(all.subtracting(done.begun).subtracting(["begin"]) == [])
    print(
      "two appenders, run \(run): \(done.begun.count) appends, \(done.acknowledged.count) acknowledged, "
        + "\(done.undosBegun) undos, \(done.kills) kills, \(done.stops) stops; \(states.count) states; "
        + "\(missing.count) not in the text, each in a version and taken by the undo that made "
        + "\(takers.sorted { $0.key < $1.key }.map { "generation \($0.key): \($0.value.joined(separator: " "))" }), 0 lost"
    )
  }
}

/// A document, and the programs that append to it.
private final class AppendedFixture: Sendable {
  /// The work of the programs.
  struct Done: Sendable {
    var begun: [String] = []
    var acknowledged: [String] = []
    var undosBegun = 0
    var kills = 0
    var stops = 0
  }

  /// A state of the document: a version or the current one.
  struct State: Sendable {
    var generation: Int
    var lines: [String]
  }

  private let folder: FilePath
  private let noted = Mutex(Done())
  private var document: String { folder.appending("Trip.imageNotes").string }

  var done: Done { noted.withLock { $0 } }

  init(in folder: FilePath) throws {
    self.folder = folder
    try require(Program.docpkg.runInTime(["new", document, "--text", "begin"]), "making")
  }

  /// Appends, undoes, kills and stops programs, at random.
  func run(_ name: String, steps: Int, seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for step in 1...steps {
      if Int.random(in: 0..<4, using: &generator) == 0 {
        noted.withLock { $0.undosBegun += 1 }
        try work(["undo", document], &generator)
      } else {
        let token = "\(name)\(step)"
        noted.withLock { $0.begun.append(token) }
        if try work(["edit", document, "--append", token], &generator) == 0 {
          noted.withLock { $0.acknowledged.append(token) }
        }
      }
    }
  }

  /// Runs a command, which it may kill or stop for a while; returns its status.
  @discardableResult
  private func work(_ arguments: [String], _ generator: inout SeededGenerator) throws -> Int32 {
    switch Int.random(in: 0..<4, using: &generator) {
    case 0:
      let number = Int.random(in: 1...420, using: &generator)
      let broken = try Program.docpkg.run(arguments, in: folder, .kill, at: number)
      if broken.run.status == 128 + SIGKILL { noted.withLock { $0.kills += 1 } }
      return broken.run.status
    case 1:
      let program = try Program.docpkg.start(arguments)
      program.signal(SIGSTOP)
      noted.withLock { $0.stops += 1 }
      // Another command runs meanwhile; its duration does not matter.
      try require(Program.docpkg.runInTime(["versions", document]), "listing")
      program.signal(SIGCONT)
      return try program.wait().status
    default: return try Program.docpkg.run(arguments).status
    }
  }

  /// Returns each available state, the oldest first.
  func states() async throws -> [State] {
    let store = try await PackageStore.open(at: URL(filePath: document))
    var states: [State] = []
    for version in try await store.versions() {
      let (tree, lost) = try await store.contents(of: version.persistentIdentifier)
      #expect(lost == [])
      states.append(State(generation: version.metadata.generation, lines: try lines(tree)))
    }
    let present = try await store.metadata()?.generation ?? 0
    states.append(State(generation: present, lines: try lines(await store.tree)))
    try await store.close()
    return states.sorted { $0.generation < $1.generation }
  }

  private func lines(_ tree: FileWrapper) throws -> [String] {
    let text = String(decoding: try tree.child(named: "Text.txt")?.contents() ?? Data(), as: UTF8.self)
    return text.split(separator: "\n").map(String.init)
  }
}
