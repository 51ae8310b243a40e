import Documents
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

/// The rules by which accesses wait: each between two processes, and between two coordinators of one process.
@Suite("Taking turns", .tags(.process), .temporaryDirectory)
struct WaitingRuleTests {
  struct Rule: Sendable, CustomTestStringConvertible {
    var first: String
    var second: String
    var waits: Bool

    init(_ first: String, _ second: String, waits: Bool) {
      (self.first, self.second, self.waits) = (first, second, waits)
    }

    var testDescription: String { "\(second) \(waits ? "waits for" : "goes on beside") \(first)" }
  }

  static let rules = [
    // Accesses of the same item, flat or a package.
    Rule("read flat", "read flat", waits: false),
    Rule("read flat", "write flat", waits: true),
    Rule("write flat", "read flat", waits: true),
    Rule("write flat", "write flat", waits: true),
    Rule("read Trip.pages", "read Trip.pages", waits: false),
    Rule("read Trip.pages", "write Trip.pages", waits: true),
    Rule("write Trip.pages", "read Trip.pages", waits: true),
    Rule("write flat", "write plain/file", waits: false),
    // A child of a package counts as the package.
    Rule("write Trip.pages/a", "read Trip.pages/sub/b", waits: true),
    Rule("write Trip.pages/sub/b", "read Trip.pages", waits: true),
    Rule("read Trip.pages", "write Trip.pages/new", waits: true),
    Rule("read Trip.pages/a", "read Trip.pages/sub/b", waits: false),
    // A plain folder and its children do not count as each other.
    Rule("write plain", "write plain/file", waits: false),
    Rule("write plain/file", "write plain", waits: false),
    Rule("write plain/file", "read plain", waits: false),
    Rule("write plain/deep/file", "read plain/file", waits: false),
    // They do if the folder is deleted, moved or replaced.
    Rule("read plain/deep/file", "write plain options=1", waits: true),
    Rule("read plain/deep/file", "write plain options=2", waits: true),
    Rule("write plain options=8", "read plain/deep/file", waits: true),
    Rule("write plain options=1", "read plain/file", waits: true),
    Rule("read plain/deep/file", "write plain options=4", waits: false),
    Rule("read plain/file", "read plain", waits: false),
    // Accesses with a purpose.
    Rule("write flat purpose=p", "write flat purpose=p", waits: false),
    Rule("write flat purpose=p", "read flat purpose=q", waits: true),
    Rule("write Trip.pages purpose=p", "read Trip.pages/a purpose=p", waits: false),
    // Two names of the same node.
    Rule("write plain/file", "read ./plain/../plain/file", waits: true),
    // Items that do not exist.
    Rule("write plain/none", "read plain/none", waits: true),
    Rule("write plain/none", "read plain/other", waits: false),
  ]

  @Test(arguments: rules, [1, 2]) func `is as the table says`(_ rule: Rule, processes: Int) async throws {
    // The rules of children of packages (AR1), and of folders that count with their contents (AR2).
    let place = try Place()
    let one = try CoordinatorProcess(place.runtime)
    let two = processes == 1 ? one : try CoordinatorProcess(place.runtime)
    one.send(command(rule.first, "first", place))
    try await one.expect("first", "began")
    two.send(command(rule.second, "second", place))
    if rule.waits {
      try await place.waitForClaims(2)
      // It has its number, and must not begin before the first one ends.
      for _ in 0..<5 {
        two.forgetPongs()
        try await two.send("ping p", until: "pong")
      }
      #expect(!two.says("second", "began"))
      try await one.send("release first", until: "ended")
    }
    try await two.expect("second", "began")
    if !rule.waits { one.send("release first") }
    two.send("release second")
    try await one.expect("first", "ended")
    try await two.expect("second", "ended")
    #expect(place.names("claims").isEmpty)
  }

  private func command(_ text: String, _ id: String, _ place: Place) -> String {
    var words = text.split(separator: " ").map(String.init)
    words[1] = place.path(words[1])
    words.insert(id, at: 1)
    return words.joined(separator: " ")
  }

  @Test func `lets a reader that comes later not pass a writer that waits`() async throws {
    // The first claim goes first (C2).
    let place = try Place()
    let processes = try (0..<3).map { _ in try CoordinatorProcess(place.runtime) }
    let item = place.path("flat")
    processes[0].send("read r1 \(item)")
    try await processes[0].expect("r1", "began")
    processes[1].send("write w \(item)")
    try await place.waitForClaims(2)
    processes[2].send("read r2 \(item)")
    try await place.waitForClaims(3)
    processes[0].send("release r1")
    try await processes[1].expect("w", "began")
    #expect(!processes[2].says("r2", "began"))
    processes[1].send("release w")
    try await processes[2].expect("r2", "began")
    processes[2].send("release r2")
    try await processes[2].expect("r2", "ended")
  }

  @Test(arguments: ["read", "write"]) func `ends at the deadline, and names the one that has the item`(
    access: String
  ) async throws {
    let place = try Place()
    let (one, two) = (try CoordinatorProcess(place.runtime), try CoordinatorProcess(place.runtime))
    try await one.send("write w \(place.path("flat"))", until: "began")
    two.send("\(access) late \(place.path("flat")) deadline=300")
    let error = try await two.expect("late", "failed timeout")
    #expect(error.contains("coordinator (process \(one.number) on") && error.contains("'flat'"))
    // Nothing waits any more, and the item goes to the next access.
    try await one.send("release w", until: "ended")
    two.send("\(access) next \(place.path("flat"))")
    try await two.expect("next", "began")
    try await two.send("release next", until: "ended")
    #expect(place.names("claims").isEmpty)
  }

  @Test func `finds an item that was moved while it waited, and what replaces one stays`() async throws {
    let place = try Place()
    let (mover, waiter) = (try CoordinatorProcess(place.runtime), try CoordinatorProcess(place.runtime))
    let (old, new) = (place.path("Trip.pages"), place.path("Away.pages"))
    try await mover.send("write m \(old) do=move to=\(new) hold", until: "began")
    waiter.send("read r \(old)/sub/b")
    // The claims have the order of the calls.
    try await place.waitForClaims(2)
    waiter.send("write w \(old) options=8")
    try await place.waitForClaims(3)
    mover.send("release m")
    try await waiter.expect("r", "began \(new)/sub/b")
    waiter.send("release r")
    try await waiter.expect("w", "began \(old)")
    try await waiter.send("release w", until: "ended")
  }

  @Test func `takes two items at once, in whatever order they are asked for`() async throws {
    // Two accesses of the same items do not wait for each other (CA2).
    let registry = CoordinationRegistry(at: folder.appending("run"))
    let urls = ["a", "b"].map { URL(filePath: folder.appending($0).string) }
    try await withThrowingTaskGroup { group in
      for turn in 0..<40 {
        let (one, other) = turn.isMultiple(of: 2) ? (urls[0], urls[1]) : (urls[1], urls[0])
        group.addTask {
          // On a busy machine the last one waits long.
          try await FileCoordinator(in: registry).coordinate(
            writingItemAt: one, writingItemAt: other, deadline: .seconds(600)
          ) { one, _ in
            let file = one.deletingLastPathComponent().appending(path: "both")
            let count = (try? String(contentsOf: file, encoding: .utf8)).flatMap { Int($0) } ?? 0
            await Task.yield()
            try Data("\(count + 1)".utf8).write(to: file)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try String(contentsOf: URL(filePath: folder.appending("both").string), encoding: .utf8) == "40")
  }

  @Test func `keeps no file open of an access that does not concern it`() async throws {
    // Many documents that save at once would otherwise take all descriptors of the process.
    let registry = CoordinationRegistry(at: folder.appending("run"))
    let open = OpenClaims(in: folder.appending("run").appending("claims"), of: 40)
    try await withThrowingTaskGroup { group in
      for number in 0..<40 {
        let item = url("\(number)")
        group.addTask {
          try await FileCoordinator(in: registry).coordinate(writingItemAt: item) { _ in await open.arrive()
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(await open.files == 40)
  }

  @Test(arguments: [
    ("read", "own-read", "nested"), ("write", "own-read", "nested"), ("write", "own-write", "nested"),
    ("read", "own-write", "nested"), ("read", "other-read", "nested"),
    ("read", "other-write", "failed wouldDeadlock"), ("write", "other-read", "failed wouldDeadlock"),
  ])
  func `within an access is for what it has, and refused where it would wait for itself`(
    outer: String, inner: String, outcome: String
  ) async throws {
    // An access does not wait for the one around it (CA4).
    let place = try Place()
    let process = try CoordinatorProcess(place.runtime)
    process.send("\(outer) x \(place.path("Trip.pages")) nested=\(inner)")
    try await process.expect("x", outcome)
    process.send("release x")
    try await process.expect("x", "ended", "failed")
    #expect(place.names("claims").isEmpty)
  }

  @Test func `within an own read that others share is refused instead of waiting for them`() async throws {
    let place = try Place()
    let (one, two) = (try CoordinatorProcess(place.runtime), try CoordinatorProcess(place.runtime))
    try await two.send("read r \(place.path("flat"))", until: "began")
    try await one.send("read x \(place.path("flat")) nested=own-write", until: "failed wouldDeadlock")
    try await two.send("release r", until: "ended")
  }
}

extension CoordinatorProcess {
  /// Makes the next answer recognisable as a new one.
  func forgetPongs() { forgetLines(of: "p") }
}

/// Accesses that wait for each other while they run. The last one counts the open files of all claims.
private actor OpenClaims {
  private let folder: FilePath
  private let count: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private(set) var files = 0

  init(in folder: FilePath, of count: Int) { (self.folder, self.count) = (folder, count) }

  func arrive() async {
    if waiting.count < count - 1 { return await withCheckedContinuation { waiting.append($0) } }
    let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    let places = numbers.compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
    }
    files = places.count { $0.hasPrefix(folder.string + "/") }
    for continuation in waiting { continuation.resume() }
  }
}
