import Dispatch
import Foundation
import SystemPackage

/// The output and the end of a program.
struct Run: Sendable {
  var output: String
  var errors: String
  /// The exit status; 128 + the signal if a signal ended the program.
  var status: Int32

  /// Returns whether a line is in the output.
  func says(_ line: String) -> Bool {
    output.split(separator: "\n").contains { $0 == line }
  }
}

/// A program in the folder of the tests' own.
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

  /// Runs the program to its end.
  func run(_ arguments: [String]) throws -> Run {
    try start(arguments).wait()
  }

  /// Runs the program, and kills it after 30 seconds; its status then tells.
  func runInTime(_ arguments: [String]) throws -> Run {
    try Program(path: "/usr/bin/timeout").run(["-s", "KILL", "30", url.path] + arguments)
  }

  func start(_ arguments: [String]) throws -> RunningProgram {
    try RunningProgram(url, arguments)
  }
}

/// A program that is running.
struct RunningProgram: ~Copyable {
  private let process = Process()
  // Files are used instead of pipes: a full pipe would block the program.
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
    // Makes the calls and their order the same each time.
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
    // A file that cannot be removed stays in the temporary directory.
    for file in files { try? FileManager.default.removeItem(at: file) }
  }
}

/// Runs `body`, which waits for programs, on a thread of its own, so that Swift's few threads run other tests.
func waiting<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread {
      continuation.resume(with: .init(catching: body))
    }
  }
}

extension Program {
  /// Whether this machine can make and mount file systems.
  static let canMount = succeeds(
    "cd $(mktemp -d) && truncate -s 8M i && mkfs.ext4 -q i && unshare -m mount -o loop i /mnt; r=$?; rm i; exit $r"
  )

  private static func succeeds(_ command: String) -> Bool {
    (try? Program(path: "/bin/sh").run(["-c", command]).status) == 0
  }
}
