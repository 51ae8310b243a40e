import Documents
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// A process of `Tests/Coordinator`: it reads commands and prints results, line by line.
final class CoordinatorProcess: Sendable {
  private struct State {
    var lines: [String] = []
    var rest: [UInt8] = []
    var hasEnded = false
    /// The number of pieces of output.
    var count = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  /// The state, which the thread that reads the output holds, too.
  private final class Output: Sendable {
    let state = Mutex(State())

    func take(_ bytes: [UInt8]) {
      let waiting = state.withLock { state in
        state.hasEnded = bytes.isEmpty
        state.count += 1
        state.rest += bytes
        while let end = state.rest.firstIndex(of: 10) {
          state.lines.append(String(decoding: state.rest[..<end], as: UTF8.self))
          state.rest.removeSubrange(...end)
        }
        defer { state.waiting = [] }
        return state.waiting
      }
      for continuation in waiting { continuation.resume() }
    }
  }

  private let output = Output()
  private let program: RunningProgram

  /// - Parameter runtime: the folder that stands for `$XDG_RUNTIME_DIR`; nil for the tests' own folder.
  init(_ runtime: FilePath?) throws {
    program = try Program("coordinator").start(
      [], input: .lines, environment: runtime.map { ["XDG_RUNTIME_DIR": $0.string] } ?? [:]
    ) { [output] in output.take($0) }
  }

  var number: Int32 { program.number }

  func send(_ line: String) { program.say(line) }

  /// The lines that it has printed so far.
  var lines: [String] { output.state.withLock { $0.lines } }
  var hasEnded: Bool { output.state.withLock { $0.hasEnded } }

  func lines(_ id: String) -> [String] {
    lines.filter { $0.hasPrefix(id + " ") }.map { String($0.dropFirst(id.count + 1)) }
  }

  func says(_ id: String, _ prefix: String) -> Bool { lines(id).contains { $0.hasPrefix(prefix) } }

  /// Waits until it prints a line with this beginning.
  @discardableResult
  func expect(_ id: String, _ prefixes: String...) async throws -> String { try await expect(id, prefixes) }

  private func expect(_ id: String, _ prefixes: [String]) async throws -> String {
    try await withDeadline("\(id) \(prefixes)") { [self] in
      while true {
        let seen = output.state.withLock { $0.count }
        let all = lines(id)
        if let line = all.first(where: { line in prefixes.contains { line.hasPrefix($0) } }) { return line }
        if hasEnded { throw try ended(before: "\(id) \(prefixes)") }
        await more(than: seen)
      }
    }
  }

  /// The error of a process that ended although nothing killed it.
  private struct Ended: Error, CustomStringConvertible { var description: String }

  private func ended(before awaited: String) throws -> Ended {
    let run = try program.wait()
    return Ended(
      description: """
        process \(number) ended before '\(awaited)': status \(run.status), signal \(run.signal ?? 0), \
        errors '\(run.errors)', last lines \(lines.suffix(8))
        """)
  }

  /// Waits until it has printed more than `seen` pieces of output.
  private func more(than seen: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = output.state.withLock { state in
        if state.count > seen { return true }
        state.waiting.append(continuation)
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  func forgetLines(of id: String) {
    output.state.withLock { state in state.lines.removeAll { $0.hasPrefix(id) } }
  }

  func signal(_ signal: Int32) { program.signal(signal) }

  /// Kills it, and waits for its end.
  func kill() async throws {
    signal(SIGKILL)
    try await withDeadline("the end of a process") { [self] in
      while !hasEnded { await more(than: output.state.withLock { $0.hasEnded ? -1 : $0.count }) }
    }
  }
}

/// A folder for packages, and a folder in which processes find each other.
struct Place: Sendable {
  var folder: FilePath

  var runtime: FilePath { folder.appending("run") }
  var registry: FilePath { runtime.appending("filepackages") }

  func path(_ name: String) -> String { folder.appending(name).string }

  /// The names in `claims` or `presenters`.
  func names(_ part: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: registry.appending(part).string)) ?? []
  }

  /// Waits until `count` accesses have a number.
  func waitForClaims(_ count: Int) async throws {
    try await withDeadline("\(count) claims") { [self] in
      while names("claims").filter({ $0.contains(".") }).count < count { await Task.yield() }
    }
  }

  /// Runs `body` with a folder that has a package and a plain folder, each with files.
  static func with<Result>(_ body: (Place) async throws -> Result) async throws -> Result {
    try await withTemporaryDirectory { folder in
      let place = Place(folder: FilePath(URL(filePath: folder.string).resolvingSymlinksInPath().path))
      let files = FileManager.default
      for name in ["run", "Trip.pages/.docpkg", "Trip.pages/sub", "plain/deep", "other"] {
        try files.createDirectory(
          atPath: place.path(name), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      }
      for name in [
        "Trip.pages/a", "Trip.pages/sub/b", "Trip.pages/guard", "plain/file", "plain/deep/file", "flat",
      ] {
        try Data("0".utf8).write(to: URL(filePath: place.path(name)))
      }
      return try await body(place)
    }
  }
}
