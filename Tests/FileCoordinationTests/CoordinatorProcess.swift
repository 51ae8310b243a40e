import Documents
import Foundation
import SystemPackage
import TestSupport

/// A process of `Tests/Coordinator`: it reads commands and prints results, line by line.
final class CoordinatorProcess: Sendable {
  private let program: TalkingProgram

  /// - Parameter runtime: the folder that stands for `$XDG_RUNTIME_DIR`; nil for the tests' own folder.
  init(_ runtime: FilePath?) throws {
    program = try TalkingProgram(
      Program("coordinator"), environment: runtime.map { ["XDG_RUNTIME_DIR": $0.string] } ?? [:])
  }

  var number: Int32 { program.number }

  func send(_ line: String) { program.send(line) }

  /// The lines that it has printed so far.
  var lines: [String] { program.lines }
  var hasEnded: Bool { program.hasEnded }

  func lines(_ id: String) -> [String] { Self.lines(id, among: lines) }

  private static func lines(_ id: String, among lines: [String]) -> [String] {
    lines.filter { $0.hasPrefix(id + " ") }.map { String($0.dropFirst(id.count + 1)) }
  }

  func says(_ id: String, _ prefix: String) -> Bool { lines(id).contains { $0.hasPrefix(prefix) } }

  /// Waits until it prints a line with this beginning.
  @discardableResult
  func expect(_ id: String, _ prefixes: String...) async throws -> String {
    try await program.expect("\(id) \(prefixes)") { lines in
      Self.lines(id, among: lines).first { line in prefixes.contains { line.hasPrefix($0) } }
    }
  }

  /// Sends a command, and waits until it prints a line about it with this beginning.
  @discardableResult
  func send(_ line: String, until prefix: String) async throws -> String {
    send(line)
    return try await expect(String(line.split(separator: " ")[1]), prefix)
  }

  func forgetLines(of id: String) { program.forget { $0.hasPrefix(id) } }

  func signal(_ signal: Int32) { program.signal(signal) }

  /// Kills it, and waits for its end.
  func kill() async throws { try await program.kill() }
}

/// A folder for packages, and a folder in which processes find each other.
struct Place: Sendable {
  let folder = FilePath(URL(filePath: TestSupport.folder.string).resolvingSymlinksInPath().path)

  /// Makes a package and a plain folder, each with files.
  init() throws {
    let files = FileManager.default
    for name in ["run", "Trip.pages/.docpkg", "Trip.pages/sub", "plain/deep", "other"] {
      try files.createDirectory(
        atPath: path(name), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    for name in [
      "Trip.pages/a", "Trip.pages/sub/b", "Trip.pages/guard", "plain/file", "plain/deep/file", "flat",
    ] {
      try Data("0".utf8).write(to: URL(filePath: path(name)))
    }
  }

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
}
