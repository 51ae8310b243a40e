import Foundation
package import SystemPackage
package import Testing

/// A way to break one system call of a program.
package enum Breaking: Sendable, Hashable, CustomStringConvertible {
  case nothing
  /// A kill of the process before the call.
  case kill
  /// A signal to the process before the call, which still happens.
  case signal(Int32)
  /// An error without the call.
  case error(Errno)
  /// An error after the call, which happens.
  case lateError(Errno)
  /// A write of only half of the bytes.
  case short

  package var description: String {
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

/// A run with one broken call.
package struct BrokenRun: Sendable {
  package var run: Run
  /// The numbered calls; the first one is at index 0.
  package var calls: [String]
}

extension Program {
  package static let saver = Program("saver")
  package static let docpkg = Program("docpkg")
  package static let breaker = Program("breaker")

  /// Whether this machine can make and mount file systems.
  package static let canMount = succeeds(
    "cd $(mktemp -d) && truncate -s 8M i && mkfs.ext4 -q i && unshare -m mount -o loop i /mnt; r=$?; rm i; exit $r"
  )

  /// Whether programs can be traced on this machine.
  package static let canBreak =
    (try? breaker.run(["/dev/null", "9", "/", "0", "none", "/bin/true"]).status) == 0

  /// Runs the program and breaks the call of that number, counted from 1 at the first call about `folder`.
  package func run(
    _ arguments: [String], in folder: FilePath, _ breaking: Breaking, at number: Int, input: String? = nil,
    environment: [String: String] = [:]
  ) throws -> BrokenRun {
    let log = URL(filePath: NSTemporaryDirectory() + "filepackages-\(UUID().uuidString).calls")
    defer { try? FileManager.default.removeItem(at: log) }
    let run = try Self.breaker.run(
      [log.path, "30", folder.string, "\(number)", "\(breaking)", path] + arguments, input: input,
      environment: environment)
    let text = String(decoding: try Data(contentsOf: log), as: UTF8.self)
    return BrokenRun(run: run, calls: text.split(separator: "\n").map(String.init))
  }
}

extension Trait where Self == ConditionTrait {
  /// For tests that trace programs.
  package static var tracing: Self { .enabled(if: Program.canBreak, "this needs ptrace(2)") }
}

/// The choice of the tested points.
package enum Points {
  /// Whether `ALL_CRASH_POINTS=1` asks for every point.
  package static let all = ProcessInfo.processInfo.environment["ALL_CRASH_POINTS"] == "1"

  /// Returns the number of each call, or a sample that is the same in every run and includes every call of these names.
  package static func of(_ calls: [String], sample: Int, each names: String?...) -> [Int] {
    if all { return Array(calls.indices.map { $0 + 1 }) }
    var generator = SeededGenerator(seed: UInt64(calls.count))
    let always = calls.indices.filter {
      let name = calls[$0].split(separator: " ").dropFirst().first
      return names.contains { $0.map { $0[...] } == name }
    }
    return Set(calls.indices.shuffled(using: &generator).prefix(sample) + always).map { $0 + 1 }.sorted()
  }
}
