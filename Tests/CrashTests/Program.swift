import Dispatch
import Foundation
import SystemPackage

/// What a program printed, and how it ended.
struct Run: Sendable {
  var output: String
  var errors: String
  /// The exit status; 128 + the signal where one ended it.
  var status: Int32

  /// Whether a line is in the output.
  func says(_ line: String) -> Bool {
    output.split(separator: "\n").contains { $0 == line }
  }
}

/// A program that stands beside the tests' own.
struct Program: Sendable {
  var url: URL

  init(_ name: String) {
    url = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: name)
  }

  init(path: String) {
    url = URL(filePath: path)
  }

  static let saver = Program("saver")

  /// Runs it to its end.
  func run(_ arguments: [String]) throws -> Run {
    try start(arguments).wait()
  }

  /// Runs it, and kills it when it has not ended after 30 seconds, which its status then says.
  func runInTime(_ arguments: [String]) throws -> Run {
    try Program(path: "/usr/bin/timeout").run(["-s", "KILL", "30", url.path] + arguments)
  }

  func start(_ arguments: [String]) throws -> RunningProgram {
    try RunningProgram(url, arguments)
  }
}

/// A program that was started.
struct RunningProgram: ~Copyable {
  private let process = Process()
  // Files instead of pipes: nothing can fill up and wait.
  private let files: [URL]

  fileprivate init(_ url: URL, _ arguments: [String]) throws {
    files = ["out", "err"].map { name in
      URL(filePath: NSTemporaryDirectory() + "filepackages-\(UUID().uuidString).\(name)")
    }
    for file in files { try Data().write(to: file) }
    process.executableURL = url
    process.arguments = arguments
    process.standardOutput = try FileHandle(forWritingTo: files[0])
    process.standardError = try FileHandle(forWritingTo: files[1])
    process.standardInput = FileHandle.nullDevice
    // The same calls in the same order each time.
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["SWIFT_DETERMINISTIC_HASHING": "1"]
    ) { _, new in new }
    try process.run()
  }

  func kill() { signal(SIGKILL) }

  func signal(_ number: Int32) {
    // It may have ended by itself.
    _ = Glibc.kill(process.processIdentifier, number)
  }

  consuming func wait() throws -> Run {
    process.waitUntilExit()
    let wasKilled = process.terminationReason == .uncaughtSignal
    return Run(
      output: String(decoding: try Data(contentsOf: files[0]), as: UTF8.self),
      errors: String(decoding: try Data(contentsOf: files[1]), as: UTF8.self),
      status: process.terminationStatus + (wasKilled ? 128 : 0))
  }

  deinit {
    // What cannot be removed is in the temporary directory.
    for file in files { try? FileManager.default.removeItem(at: file) }
  }
}

/// Runs what waits for programs on a thread of its own, so that Swift's few go on with other tests.
func waiting<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread {
      continuation.resume(with: .init(catching: body))
    }
  }
}

extension Program {
  /// Whether file systems can be made and mounted here.
  static let canMount = succeeds(
    "cd $(mktemp -d) && truncate -s 8M i && mkfs.ext4 -q i && unshare -m mount -o loop i /mnt; r=$?; rm i; exit $r"
  )

  private static func succeeds(_ command: String) -> Bool {
    (try? Program(path: "/bin/sh").run(["-c", command]).status) == 0
  }
}
