import Foundation
import Glibc
import SystemPackage
import Testing

/// The output and the end of a program.
struct Run: Sendable {
  var output: String
  var errors: String
  /// The exit status; 128 + the signal if a signal ended the program.
  var status: Int32
}

/// A program that tests run as a process of its own.
struct Program: Sendable {
  var path: String

  /// A program of this build, which stands beside the tests' own.
  init(_ name: String) {
    path =
      URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: name).path
  }

  init(path: String) { self.path = path }

  /// Finds a program of the system; nil if it is not installed.
  static func installed(_ name: String) -> Program? {
    ["/usr/bin", "/bin", "/usr/local/bin"].map { "\($0)/\(name)" }
      .first(where: FileManager.default.isExecutableFile).map(Program.init(path:))
  }

  /// Whether a command of the shell succeeds on this machine.
  static func succeeds(_ command: String) -> Bool {
    (try? Program(path: "/bin/sh").run(["-c", command]).status) == 0
  }

  /// Runs the program to its end; without an input it reads nothing.
  func run(
    _ arguments: [String], in folder: FilePath? = nil, input: String = "", environment: [String: String] = [:]
  ) throws -> Run {
    let program = try RunningProgram(self, arguments, in: folder, input: input, environment)
    return program.wait()
  }
}

/// A program that is running. Its output and its errors are in files: a full pipe would block it.
final class RunningProgram: Sendable {
  // `@unchecked`: `process` and `files` are constants, and a `Process` may be used by several threads.
  private struct State: @unchecked Sendable {
    let process = Process()
    let files = ["out", "err", "in"].map { NSTemporaryDirectory() + "notes-\(UUID().uuidString).\($0)" }
  }

  private let state = State()

  init(
    _ program: Program, _ arguments: [String], in folder: FilePath? = nil, input: String = "",
    _ environment: [String: String] = [:]
  ) throws {
    let (process, files) = (state.process, state.files)
    process.executableURL = URL(filePath: program.path)
    process.arguments = arguments
    if let folder { process.currentDirectoryURL = URL(filePath: folder.string) }
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    try Data(input.utf8).write(to: URL(filePath: files[2]))
    for file in files[..<2] { try Data().write(to: URL(filePath: file)) }
    process.standardOutput = try FileHandle(forWritingTo: URL(filePath: files[0]))
    process.standardError = try FileHandle(forWritingTo: URL(filePath: files[1]))
    process.standardInput = try FileHandle(forReadingFrom: URL(filePath: files[2]))
    // A thread of Dispatch blocks signals, and the program would inherit that.
    var (none, before) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try process.run()
  }

  var number: Int32 { state.process.processIdentifier }
  var isRunning: Bool { state.process.isRunning }
  /// The output so far.
  var output: String { Self.text(state.files[0]) }

  func signal(_ number: Int32) {
    // The number of a program that has ended may belong to another one.
    if isRunning { _ = Glibc.kill(self.number, number) }
  }

  /// Waits for the end.
  func wait() -> Run {
    let process = state.process
    process.waitUntilExit()
    return Run(
      output: output, errors: Self.text(state.files[1]),
      status: process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
    )
  }

  private static func text(_ file: String) -> String {
    String(decoding: (try? Data(contentsOf: URL(filePath: file))) ?? Data(), as: UTF8.self)
  }

  deinit {
    signal(SIGKILL)
    // A file that cannot be removed stays in the temporary directory.
    for file in state.files { unlink(file) }
  }
}

/// A program whose output a test awaits, line by line.
final class TalkingProgram: Sendable {
  private let program: RunningProgram

  init(_ program: Program, _ arguments: [String] = [], environment: [String: String] = [:]) throws {
    self.program = try RunningProgram(program, arguments, environment)
  }

  var number: Int32 { program.number }

  /// The lines that it has printed so far. The last one may not be whole yet.
  var lines: [String] {
    program.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  func signal(_ signal: Int32) { program.signal(signal) }

  /// Waits until `find` finds something among the lines.
  func expect<Result: Sendable>(
    _ awaited: String, _ find: @escaping @Sendable ([String]) -> Result?
  ) async throws -> Result {
    try await withDeadline(awaited) { [self] in
      while true {
        let hasEnded = !program.isRunning
        if let result = find(lines) { return result }
        if hasEnded { throw Ended(awaited: awaited, run: program.wait()) }
        try await Task.sleep(for: .milliseconds(10))
      }
    }
  }

  /// A process ended although nothing killed it.
  private struct Ended: Error {
    var awaited: String
    var run: Run
  }

  /// Waits until it has ended.
  @discardableResult
  func waitForEnd() async throws -> Run { try await waiting { [program] in program.wait() } }

  /// Kills it, and waits for its end.
  func kill() async throws {
    signal(SIGKILL)
    try await waitForEnd()
  }
}

/// Runs `body`, which waits for programs, on a thread of its own, so that Swift's few threads run other tests.
func waiting<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: .init(catching: body)) }
  }
}

/// Calls `body`, and throws if it does not end in time: a call that hangs then fails one test instead of all of them.
func withDeadline<Result: Sendable>(
  _ what: String, seconds: Int = 1_200, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
  try await withThrowingTaskGroup(of: Result.self) { group in
    defer { group.cancelAll() }
    group.addTask { try await body() }
    group.addTask {
      try await Task.sleep(for: .seconds(seconds))
      throw DeadlineExceeded(what: what)
    }
    return try #require(try await group.next())
  }
}

/// The error of a call that does not end in time.
struct DeadlineExceeded: Error { let what: String }

/// Runs `body` with a directory of its own, and removes the directory afterwards, even after an error.
func withTemporaryDirectory(_ body: (FilePath) async throws -> Void) async throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: "notes-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
  defer { try? FileManager.default.removeItem(at: folder) }
  try await body(FilePath(folder.path))
}

/// The folder of the package Notes.
let packageFolder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()

/// The folder of the project, which has the fixtures.
let projectFolder = packageFolder.deletingLastPathComponent().deletingLastPathComponent()
