import CLinux
import Glibc
import Synchronization

/// The most memory that a program had which was waited for.
private let largest = Mutex<UInt64?>(nil)

/// A program run to its end, by posix_spawn(3).
struct ChildProcess {
  /// The most memory that one of the programs had which were run since `forgetPeak()`; nil when there were none.
  static var peak: UInt64? { largest.withLock { $0 } }

  static func forgetPeak() {
    largest.withLock { $0 = nil }
  }

  /// What is given to the program beside this process's own environment.
  var environment: [String: String] = [:]
  /// The program's working directory, where it is not this process's.
  var directory: String?

  /// Runs a program, which is looked for in PATH unless it is a path, with nothing to read and nothing to say.
  ///
  /// - Parameter output: a file to put what it says into; nil for nowhere.
  /// - Throws: `StrategyUnavailable` when there is no such program, `ChildProcessError` when it fails.
  func run(_ program: String, _ arguments: [String], output: String? = nil) throws {
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
    var status: Int32 = 0
    var usage = rusage()
    while wait4(process, &status, 0, &usage) < 0 {
      guard errno == EINTR else { throw ChildProcessError(program: program, status: -1) }
    }
    let peak = UInt64(usage.ru_maxrss) * 1024
    largest.withLock { $0 = max($0 ?? 0, peak) }
    guard status == 0 else { throw ChildProcessError(program: program, status: status >> 8 & 0xFF) }
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

struct ChildProcessError: Error, CustomStringConvertible {
  var program: String
  var status: Int32

  var description: String { "'\(program)' ended with status \(status)" }
}

/// Calls `body` with the strings as C has them, and a null after the last.
private func withCStrings<Result>(
  _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  var pointers = strings.map { strdup($0) } + [nil]
  defer { for pointer in pointers { free(pointer) } }
  return pointers.withUnsafeMutableBufferPointer { buffer in
    // Never empty, because of the null.
    withUnsafeMutablePointer(to: &buffer[0]) { body($0) }
  }
}
