import Documents
import DurableIO
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// A process of `Tests/Coordinator`: takes lines, and says lines.
final class CoordinatorProcess: Sendable {
  private struct State {
    var lines: [String] = []
    var rest: [UInt8] = []
    var hasEnded = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())
  private let input: FileHandle
  private let process: Mutex<Process>
  let number: Int32

  /// - Parameter runtime: the folder that stands for `$XDG_RUNTIME_DIR`; nil for that of the tests themselves.
  init(_ runtime: FilePath?) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appending(path: "coordinator")
    if let runtime {
      process.environment = ProcessInfo.processInfo.environment.merging(
        ["XDG_RUNTIME_DIR": runtime.string]
      ) { _, new in new }
    }
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    self.input = input.fileHandleForWriting
    try process.run()
    number = process.processIdentifier
    self.process = Mutex(process)
    output.fileHandleForReading.readabilityHandler = { [weak self] handle in
      let data = handle.availableData
      if data.isEmpty { handle.readabilityHandler = nil }
      self?.take(data)
    }
  }

  private func take(_ data: Data) {
    let waiting = state.withLock { state in
      state.hasEnded = data.isEmpty
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
    // A process that was killed reads nothing.
    try? input.write(contentsOf: Data((line + "\n").utf8))
  }

  /// What it has said so far.
  var lines: [String] { state.withLock { $0.lines } }
  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  func lines(_ id: String) -> [String] {
    lines.filter { $0.hasPrefix(id + " ") }.map { String($0.dropFirst(id.count + 1)) }
  }

  func says(_ id: String, _ prefix: String) -> Bool { lines(id).contains { $0.hasPrefix(prefix) } }

  /// Waits until it says a line that begins so.
  @discardableResult
  func expect(_ id: String, _ prefixes: String...) async throws -> String { try await expect(id, prefixes) }

  private func expect(_ id: String, _ prefixes: [String]) async throws -> String {
    try await withDeadline("\(id) \(prefixes)", seconds: 60) { [self] in
      while true {
        if let line = lines(id).first(where: { line in prefixes.contains { line.hasPrefix($0) } }) {
          return line
        }
        if hasEnded { throw Ended(what: "\(id) \(prefixes): \(lines.suffix(8))") }
        await more()
      }
    }
  }

  struct Ended: Error { var what: String }

  private func more() async {
    let count = lines.count
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.lines.count > count || state.hasEnded { return true }
        state.waiting.append(continuation)
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  func forgetLines(of id: String) {
    state.withLock { state in state.lines.removeAll { $0.hasPrefix(id + " ") } }
  }

  func signal(_ signal: Int32) { _ = Glibc.kill(number, signal) }

  /// Ends it.
  func kill() {
    signal(SIGKILL)
    process.withLock { $0.waitUntilExit() }
  }

  deinit { signal(SIGKILL) }
}

/// A folder for packages, and one in which processes find each other.
struct Place: Sendable {
  var folder: FilePath

  var runtime: FilePath { folder.appending("run") }
  var registry: FilePath { runtime.appending("filepackages") }

  func path(_ name: String) -> String { folder.appending(name).string }

  /// The names in `claims` or `presenters`.
  func names(_ part: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: registry.appending(part).string)) ?? []
  }

  /// Waits until so many accesses have a number.
  func waitForClaims(_ count: Int) async throws {
    try await withDeadline("\(count) claims", seconds: 60) { [self] in
      while names("claims").filter({ $0.contains(".") }).count < count { await Task.yield() }
    }
  }

  /// Runs with a folder that has a package and a plain folder, each with files.
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
