import Foundation
import SystemPackage
import TestSupport

/// How a system call of a program is broken.
enum Breaking: Sendable, CustomStringConvertible {
  case nothing
  /// The process is killed before the call.
  case kill
  /// The process gets a signal before the call, which is made.
  case signal(Int32)
  /// The call is not made and fails.
  case error(Errno)
  /// The call is made, and fails all the same.
  case lateError(Errno)
  /// A write is of half the bytes.
  case short

  var description: String {
    switch self {
    case .nothing: "none"
    case .kill: "kill"
    case .signal(let number): "signal=\(number)"
    case .error(let code): "error=\(code.rawValue)"
    case .lateError(let code): "late=\(code.rawValue)"
    case .short: "short"
    }
  }
}

/// A run of which one call was broken.
struct BrokenRun: Sendable {
  var run: Run
  /// The calls that were numbered, the first one at 0.
  var calls: [String]
}

extension Program {
  static let breaker = Program("breaker")

  /// Whether programs can be traced here.
  static let canBreak = (try? breaker.run(["/dev/null", "9", "/", "0", "none", "/bin/true"]).status) == 0

  /// Runs it and breaks the call of that number, counted from 1 at the first one that is about `folder`.
  func run(_ arguments: [String], in folder: FilePath, _ breaking: Breaking, at number: Int) throws
    -> BrokenRun
  {
    let log = URL(filePath: NSTemporaryDirectory() + "filepackages-\(UUID().uuidString).calls")
    defer { try? FileManager.default.removeItem(at: log) }
    let run = try Self.breaker.run(
      [log.path, "30", folder.string, "\(number)", "\(breaking)", url.path] + arguments)
    let text = String(decoding: try Data(contentsOf: log), as: UTF8.self)
    return BrokenRun(run: run, calls: text.split(separator: "\n").map(String.init))
  }
}

/// Which of many points are tried.
enum Points {
  /// Whether `ALL_CRASH_POINTS=1` asks for each of them.
  static let all = ProcessInfo.processInfo.environment["ALL_CRASH_POINTS"] == "1"

  /// The number of each call, or of so many of them, the same ones in every run, and of every `name`.
  static func of(_ calls: [String], sample: Int, each name: String? = nil) -> [Int] {
    if all { return Array(calls.indices.map { $0 + 1 }) }
    var generator = SeededGenerator(seed: UInt64(calls.count))
    let always = calls.indices.filter {
      calls[$0].split(separator: " ").dropFirst().first == name.map { $0[...] }
    }
    return Set(calls.indices.shuffled(using: &generator).prefix(sample) + always).map { $0 + 1 }.sorted()
  }
}
