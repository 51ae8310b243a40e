import CLinux
import FilePackages
import FoundationEssentials
import Glibc

/// A program of the user's settings that prints keys: posix_spawn(3), without a shell.
///
/// It has this process's environment, no input, and the same standard error: its questions and errors go there.
struct S3KeyProgram: Sendable, CustomStringConvertible {
  /// The largest output in bytes.
  private static let limit = 64 << 10

  private let program: String
  private let arguments: [String]

  var description: String { "the program '\(program)'" }

  init(_ program: String, _ arguments: [String]) { (self.program, self.arguments) = (program, arguments) }

  /// Runs the program to its end, on a thread of its own.
  ///
  /// - Throws: `S3KeyProblem`, which names the program and repeats nothing of its output.
  func output() async throws(S3KeyProblem) -> Data {
    try await BlockingThread().run { () throws(S3KeyProblem) in try run() }
  }

  private func run() throws(S3KeyProblem) -> Data {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw problem(errno) }
    // Another program that starts meanwhile does not hold the pipe open.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }  // It cannot fail for an open descriptor.
    defer { close(ends[0]) }
    let started = Result { () throws(S3KeyProblem) in try spawn(writing: ends[1]) }
    close(ends[1])
    let number = try started.get()
    var (bytes, buffer) = (Data(), [UInt8](repeating: 0, count: 4_096))
    while true {
      let count = read(ends[0], &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { break }
      // The rest is read and dropped, so that the program does not wait for ever.
      if bytes.count <= Self.limit { bytes.append(contentsOf: buffer[..<count]) }
    }
    var status: Int32 = 0
    while waitpid(number, &status, 0) < 0 {
      guard errno == EINTR else { throw problem(errno) }
    }
    let signal = status & 0x7F
    if signal != 0 { throw S3KeyProblem(reason: "\(self) was ended by signal \(signal)") }
    let code = status >> 8 & 0xFF
    if code != 0 { throw S3KeyProblem(reason: "\(self) ended with status \(code)") }
    if bytes.count > Self.limit { throw S3KeyProblem(reason: "\(self) prints too much") }
    return bytes
  }

  private func problem(_ code: Int32) -> S3KeyProblem {
    S3KeyProblem(reason: "\(self) could not be started: \(String(cString: strerror(code)))")
  }

  private func spawn(writing end: Int32) throws(S3KeyProblem) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, end, STDOUT_FILENO)
    clinux_spawn_closing(&actions, 3)
    // A thread of Dispatch blocks signals; the program does not.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var texts = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for text in texts { free(text) } }
    var number: pid_t = 0
    let code = posix_spawnp(&number, program, &actions, &attributes, &texts, environ)
    guard code == 0 else { throw problem(code) }
    return number
  }
}
