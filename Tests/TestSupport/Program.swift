import CLinux
package import Foundation
import Glibc
import Synchronization
package import SystemPackage

/// The output and the end of a program.
package struct Run: Sendable, Equatable {
  package var output: String
  package var errors: String
  /// The exit status; 128 + the signal if a signal ended the program.
  package var status: Int32
  /// The signal that ended the program; nil if it ended by itself.
  package var signal: Int32?

  /// Returns whether a line is in the output.
  package func says(_ line: String) -> Bool {
    output.split(separator: "\n").contains { $0 == line }
  }
}

/// A program that tests run as a process of its own.
package struct Program: Sendable {
  package var path: String

  /// A program of this build, which stands beside the tests' own.
  package init(_ name: String) {
    path =
      URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: name).path
  }

  package init(path: String) { self.path = path }

  /// Finds a program of the system; nil if it is not installed.
  package static func installed(_ name: String) -> Program? {
    ["/usr/bin", "/bin", "/usr/local/bin"].map { "\($0)/\(name)" }
      .first(where: FileManager.default.isExecutableFile).map(Program.init(path:))
  }

  /// Whether a command of the shell succeeds on this machine.
  package static func succeeds(_ command: String) -> Bool {
    (try? Program(path: "/bin/sh").run(["-c", command]).status) == 0
  }

  /// Runs the program to its end; without an input it reads nothing.
  package func run(
    _ arguments: [String], in folder: FilePath? = nil, input: String? = nil,
    environment: [String: String] = [:]
  ) throws -> Run {
    let input: RunningProgram.Input = input.map { .text($0) } ?? .nothing
    return try start(arguments, in: folder, input: input, environment: environment).wait()
  }

  /// Runs the program, and kills it after 30 seconds; its status then tells.
  package func runInTime(_ arguments: [String]) throws -> Run {
    try Program(path: "/usr/bin/timeout").run(["-s", "KILL", "30", path] + arguments)
  }

  /// - Parameter receive: receives the output piece by piece, and at the end an empty piece.
  package func start(
    _ arguments: [String], in folder: FilePath? = nil, input: RunningProgram.Input = .nothing,
    environment: [String: String] = [:], _ receive: (@Sendable ([UInt8]) -> Void)? = nil
  ) throws -> RunningProgram {
    try RunningProgram(path, arguments, folder, input, environment, receive)
  }
}

/// A program that is running. It is killed if nothing holds this object any more.
package final class RunningProgram: Sendable {
  package enum Input: Sendable {
    case nothing
    case text(String)
    /// The lines of `say(_:)`.
    case lines
  }

  package struct NotStarted: Error { var code: Int32 }

  package let number: Int32
  /// The files of output, errors and input. A full pipe would block the program.
  private let files: [String]
  private let input: Int32?
  private let ended = Mutex<Run?>(nil)

  fileprivate init(
    _ path: String, _ arguments: [String], _ folder: FilePath?, _ source: Input,
    _ environment: [String: String], _ receive: (@Sendable ([UInt8]) -> Void)?
  ) throws {
    let prefix = NSTemporaryDirectory() + "filepackages-\(UUID().uuidString)"
    files = ["out", "err", "in"].map { "\(prefix).\($0)" }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var ends: [Int32] = []
    defer { for end in ends { close(end) } }
    switch source {
    case .nothing:
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      input = nil
    case .text(let text):
      try Data(text.utf8).write(to: URL(filePath: files[2]))
      posix_spawn_file_actions_addopen(&actions, 0, files[2], O_RDONLY, 0)
      input = nil
    case .lines:
      let pipe = try Self.pipe()
      posix_spawn_file_actions_adddup2(&actions, pipe.read, 0)
      ends.append(pipe.read)
      input = pipe.write
      // A program that has ended reads nothing.
      Glibc.signal(SIGPIPE, SIG_IGN)
    }
    var output: Int32?
    if receive == nil {
      posix_spawn_file_actions_addopen(&actions, 1, files[0], O_WRONLY | O_CREAT, 0o600)
    } else {
      let pipe = try Self.pipe()
      posix_spawn_file_actions_adddup2(&actions, pipe.write, 1)
      ends.append(pipe.write)
      output = pipe.read
    }
    posix_spawn_file_actions_addopen(&actions, 2, files[1], O_WRONLY | O_CREAT, 0o600)
    // It does not inherit the files that other tests have open.
    clinux_spawn_closing(&actions, 3)
    if let folder { clinux_spawn_in(&actions, folder.string) }
    number = try Self.spawn(path, arguments, environment, &actions)
    if let output, let receive { Self.read(output, receive) }
  }

  private static func spawn(
    _ path: String, _ arguments: [String], _ environment: [String: String],
    _ actions: inout posix_spawn_file_actions_t
  ) throws -> pid_t {
    // A thread of Dispatch blocks signals, and a test or a shell may ignore some; the program does neither.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGPIPE, SIGHUP, SIGINT, SIGQUIT, SIGTERM] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    // The calls of a program and their order are the same each time.
    let own = ["SWIFT_DETERMINISTIC_HASHING": "1"]
    let values = ProcessInfo.processInfo.environment.merging(own) { $1 }.merging(environment) { $1 }
    var texts = ([path] + arguments).map { strdup($0) } + [nil]
    var variables = values.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in texts + variables { free(text) } }
    var number: pid_t = 0
    let code = posix_spawn(&number, path, &actions, &attributes, &texts, &variables)
    guard code == 0 else { throw NotStarted(code: code) }
    return number
  }

  private static func pipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard Glibc.pipe(&ends) == 0 else { throw NotStarted(code: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// Reads on a thread of its own, which ends with the output.
  private static func read(_ output: Int32, _ receive: @escaping @Sendable ([UInt8]) -> Void) {
    Thread.detachNewThread {
      var buffer = [UInt8](repeating: 0, count: 64 << 10)
      while true {
        let count = Glibc.read(output, &buffer, buffer.count)
        if count < 0 && errno == EINTR { continue }
        if count <= 0 { break }
        receive(Array(buffer[..<count]))
      }
      close(output)
      receive([])
    }
  }

  /// The output so far.
  package var output: Data { (try? Data(contentsOf: URL(filePath: files[0]))) ?? Data() }

  package var isRunning: Bool { end(WNOHANG) == nil }

  package func say(_ line: String) {
    guard let input else { return }
    let bytes = Array((line + "\n").utf8)
    _ = write(input, bytes, bytes.count)
  }

  package func kill() { signal(SIGKILL) }

  package func signal(_ number: Int32) {
    // The number of a program that was waited for may belong to another one.
    ended.withLock { if $0 == nil { _ = Glibc.kill(self.number, number) } }
  }

  /// Waits for the end.
  @discardableResult
  package func wait() throws -> Run {
    var information = siginfo_t()
    // The end is taken with the lock held, so waiting for it leaves it there.
    while waitid(P_PID, id_t(number), &information, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
    guard let run = end(0) else { throw NotStarted(code: ECHILD) }
    return run
  }

  private func end(_ options: Int32) -> Run? {
    ended.withLock { ended in
      if let ended { return ended }
      var status: Int32 = 0
      guard waitpid(number, &status, options) == number else { return nil }
      let signal = status & 0x7F
      let errors = (try? Data(contentsOf: URL(filePath: files[1]))) ?? Data()
      ended = Run(
        output: String(decoding: output, as: UTF8.self), errors: String(decoding: errors, as: UTF8.self),
        status: signal == 0 ? status >> 8 & 0xFF : 128 + signal, signal: signal == 0 ? nil : signal)
      return ended
    }
  }

  deinit {
    kill()
    if let input { close(input) }
    _ = end(0)
    // A file that cannot be removed stays in the temporary directory.
    for file in files { unlink(file) }
  }
}

/// Runs `body`, which waits for programs, on a thread of its own, so that Swift's few threads run other tests.
package func waiting<Result: Sendable>(
  _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
  let path = TemporaryDirectoryTrait.path
  return try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread {
      continuation.resume(with: .init { try TemporaryDirectoryTrait.$path.withValue(path, operation: body) })
    }
  }
}
