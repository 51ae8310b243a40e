import CLinux
import Documents
import DurableIO
import Foundation
import Glibc
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

  private let state = Mutex(State())
  private let input: Int32
  let number: Int32

  /// Foundation's `Process` notices the end of a process by a descriptor, which other processes inherit. These start
  /// without it.
  private static let starting = Mutex(())

  struct NotStarted: Error { var code: Int32 }

  /// - Parameter runtime: the folder that stands for `$XDG_RUNTIME_DIR`; nil for the tests' own folder.
  init(_ runtime: FilePath?) throws {
    let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appending(path: "coordinator").path
    var environment = ProcessInfo.processInfo.environment
    if let runtime { environment["XDG_RUNTIME_DIR"] = runtime.string }
    let (number, input, output) = try Self.starting.withLock { _ in
      let (input, output) = (try Self.pipe(), try Self.pipe())
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      posix_spawn_file_actions_adddup2(&actions, input.read, 0)
      posix_spawn_file_actions_adddup2(&actions, output.write, 1)
      // It does not inherit the files that other tests have open.
      clinux_spawn_closing(&actions, 3)
      var arguments = [strdup(program), nil]
      var values = environment.map { strdup("\($0)=\($1)") } + [nil]
      defer { for text in arguments + values { free(text) } }
      var number: pid_t = 0
      let code = posix_spawn(&number, program, &actions, nil, &arguments, &values)
      for end in [input.read, output.write] { close(end) }
      guard code == 0 else { throw NotStarted(code: code) }
      return (number, input.write, output.read)
    }
    (self.number, self.input) = (number, input)
    Glibc.signal(SIGPIPE, SIG_IGN)
    // A thread that waits: it ends with the process.
    Thread.detachNewThread { [weak self] in
      var buffer = [UInt8](repeating: 0, count: 64 << 10)
      while true {
        let count = read(output, &buffer, buffer.count)
        if count <= 0 { break }
        self?.take(Data(buffer[..<count]))
      }
      close(output)
      waitpid(number, nil, 0)
      self?.take(Data())
    }
  }

  private static func pipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard Glibc.pipe(&ends) == 0 else { throw NotStarted(code: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private func take(_ data: Data) {
    let waiting = state.withLock { state in
      state.hasEnded = data.isEmpty
      state.count += 1
      state.rest += data
      while let end = state.rest.firstIndex(of: 10) {
        state.lines.append(String(decoding: state.rest[..<end], as: UTF8.self))
        state.rest.removeSubrange(...end)
      }
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  func send(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    // A killed process reads nothing; here, SIGPIPE is ignored.
    _ = write(input, bytes, bytes.count)
  }

  /// The lines that it has printed so far.
  var lines: [String] { state.withLock { $0.lines } }
  var hasEnded: Bool { state.withLock { $0.hasEnded } }

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
        let seen = state.withLock { $0.count }
        let all = lines(id)
        if let line = all.first(where: { line in prefixes.contains { line.hasPrefix($0) } }) { return line }
        if hasEnded { throw Ended(what: "\(id) \(prefixes): \(lines.suffix(8))") }
        await more(than: seen)
      }
    }
  }

  struct Ended: Error { var what: String }

  /// Waits until it has printed more than `seen` pieces of output.
  private func more(than seen: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.count > seen { return true }
        state.waiting.append(continuation)
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  func forgetLines(of id: String) {
    state.withLock { state in state.lines.removeAll { $0.hasPrefix(id) } }
  }

  func signal(_ signal: Int32) { _ = Glibc.kill(number, signal) }

  /// Kills it, and waits for its end.
  func kill() async throws {
    signal(SIGKILL)
    try await withDeadline("the end of a process") { [self] in
      while !hasEnded { await more(than: state.withLock { $0.hasEnded ? -1 : $0.count }) }
    }
  }

  deinit {
    signal(SIGKILL)
    close(input)
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
