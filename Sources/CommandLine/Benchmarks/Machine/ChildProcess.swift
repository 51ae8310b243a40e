import CLinux
import Glibc
import Synchronization

/// The most memory of a program that has ended.
private let largest = Mutex<UInt64?>(nil)

/// A program that this process runs to its end, with posix_spawn(3).
struct ChildProcess {
  /// The most memory of any program since `forgetPeak()`; nil if none has run.
  static var peak: UInt64? { largest.withLock { $0 } }

  static func forgetPeak() {
    largest.withLock { $0 = nil }
  }

  /// Variables for the program beside this process's own environment.
  var environment: [String: String] = [:]
  /// The program's working directory; nil for this process's own.
  var directory: String?

  /// Runs a program from `PATH` or with a path, without input.
  ///
  /// - Parameter output: a file for the program's output; nil discards it.
  /// - Throws: `StrategyUnavailable` if there is no such program, `ChildProcessError` if it fails.
  func run(_ program: String, _ arguments: [String], output: String? = nil) throws {
    let process = try spawn(program, arguments, output: output)
    var status: Int32 = 0
    var usage = rusage()
    while wait4(process, &status, 0, &usage) < 0 {
      guard errno == EINTR else { throw ChildProcessError(program: program, status: -1) }
    }
    let peak = UInt64(usage.ru_maxrss) * 1024
    largest.withLock { $0 = max($0 ?? 0, peak) }
    guard status == 0 else { throw ChildProcessError(program: program, status: status >> 8 & 0xFF) }
  }

  /// Starts a program, whose output is discarded.
  ///
  /// - Throws: `StrategyUnavailable` if there is no such program.
  func start(_ program: String, _ arguments: [String]) throws -> RunningChild {
    RunningChild(try spawn(program, arguments, output: nil), program)
  }

  private func spawn(_ program: String, _ arguments: [String], output: String?) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(
      &actions, STDOUT_FILENO, output ?? "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0o666)
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
    if let directory { clinux_spawn_in(&actions, directory) }
    var process: pid_t = 0
    let code = withCStrings([program] + arguments) { arguments in
      withCStrings(completeEnvironment) { environment in
        posix_spawnp(&process, program, &actions, nil, arguments, environment)
      }
    }
    guard code == 0 else {
      throw StrategyUnavailable(
        description: "'\(program)' cannot be started: \(String(cString: strerror(code)))")
    }
    return process
  }

  private var completeEnvironment: [String] {
    var strings: [String] = []
    var entry = environ
    while let string = entry.pointee {
      strings.append(String(cString: string))
      entry += 1
    }
    strings.removeAll { string in environment.keys.contains { string.hasPrefix("\($0)=") } }
    return strings + environment.map { "\($0)=\($1)" }
  }
}

/// A program that runs beside this process; it is ended if nothing holds this object any more.
final class RunningChild: Sendable {
  private let number: pid_t
  private let program: String
  private let hasEnded = Mutex(false)

  fileprivate init(_ number: pid_t, _ program: String) { (self.number, self.program) = (number, program) }

  deinit { end() }

  /// Waits for the end of the program.
  ///
  /// - Throws: `ChildProcessError` if it fails.
  func wait() throws {
    let status = hasEnded.withLock { hasEnded in
      var status: Int32 = 0
      while !hasEnded, waitpid(number, &status, 0) < 0, errno == EINTR {}
      hasEnded = true
      return status
    }
    guard status == 0 else { throw ChildProcessError(program: program, status: status >> 8 & 0xFF) }
  }

  /// Ends the program with SIGTERM, and waits for that.
  func end() {
    hasEnded.withLock { hasEnded in
      // The number of a program that was waited for may belong to another one.
      if hasEnded { return }
      kill(number, SIGTERM)
      while waitpid(number, nil, 0) < 0 && errno == EINTR {}
      hasEnded = true
    }
  }
}

struct ChildProcessError: Error, CustomStringConvertible {
  var program: String
  var status: Int32

  var description: String { "'\(program)' ended with status \(status)" }
}

/// Calls `body` with the strings in C's form, and a null after the last.
private func withCStrings<Result>(
  _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  var pointers = strings.map { strdup($0) } + [nil]
  defer { for pointer in pointers { free(pointer) } }
  return pointers.withUnsafeMutableBufferPointer { buffer in
    // The null makes sure that the buffer is not empty.
    withUnsafeMutablePointer(to: &buffer[0]) { body($0) }
  }
}
