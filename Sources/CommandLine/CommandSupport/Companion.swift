import ArgumentParser
import DurableIO
import FilePackages
import FoundationEssentials
import Glibc

/// A program that is a command of `docpkg`: `docpkg NAME …` runs `docpkg-NAME …`.
///
/// The program takes the place of this one (execve), so that the terminal, the signals, the descriptors and the exit
/// status are its own. A command of this program comes before a companion with its name.
package enum Companion {
  /// The program with all commands. It is no command itself.
  private static let full = "full"
  /// The commands that only this program has, each with the sentence that the help has.
  private static let fullCommands = [
    "bench": "Measure what incremental saving costs on this machine and this disk.",
    "cloud": "Keep documents the same on all machines.",
  ]

  private static let prefix = "docpkg-"
  /// The variable that tells a companion the version of the program that runs it.
  private static let version = "DOCPKG_VERSION"

  /// Runs the companion that the arguments name, and does not return then. Returns if they name none.
  ///
  /// The main thread calls it before other threads begin: execve keeps the mask of signals of its thread.
  static func run(_ arguments: [[CChar]], among program: CommandProgram) {
    let texts = arguments.prefix(2).map { bytes in
      String(decoding: bytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    let isHelp = texts.first == "help"
    guard let name = isHelp ? texts.dropFirst().first : texts.first, isPossible(name, besides: program) else {
      return
    }
    if fullCommands[name] != nil { handOver() }
    let rest = arguments.dropFirst(isHelp ? 2 : 1) + (isHelp ? [Array("--help".utf8CString)] : [])
    if let path = path(of: name) { execute(path, name, Array(rest)) }
  }

  /// Hands the whole command line over to the program with all commands.
  ///
  /// Descriptors, signals and the working directory are those of the start. The caller has printed and written
  /// nothing.
  package static func handOver() -> Never {
    // The thread of the commands blocks signals.
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
    if let path = path(of: full) { execute(path, full, argumentBytes) }
    StandardError.write(
      "docpkg: This needs the program '\(prefix)\(full)', which is not installed. Run 'make install'.\n")
    exit(ExitStatus.failed)
  }

  private static func execute(_ path: String, _ name: String, _ arguments: [[CChar]]) -> Never {
    setenv(version, FilePackagesVersion.current, 1)
    var pointers = ([Array((prefix + name).utf8CString)] + arguments).map { strdup($0) }
    pointers.append(nil)
    execv(path, pointers)
    let reason = String(cString: strerror(errno))
    StandardError.write("docpkg: '\(display(path))' cannot be run: \(reason).\n")
    exit(ExitStatus.failed)
  }

  /// The answer of `docpkg-full`, which ran beside this program.
  package struct Answer {
    /// The output; nil if the program failed, or had none.
    package var output: String?
    /// The reason for a failure: the last line of its standard error, or that it is not here.
    package var problem: String?
  }

  /// Runs a command of `docpkg-full` beside this program. It gets no input.
  package static func answer(of command: [String]) -> Answer {
    guard let path = path(of: full) else { return Answer(problem: "'\(prefix)\(full)' is not here.") }
    func failure(_ code: Int32) -> Answer {
      Answer(problem: "'\(display(path))' cannot be run: \(String(cString: strerror(code))).")
    }
    var ends: [Int32] = [-1, -1]
    // A file without a name takes any number of messages while only the output is read.
    guard let file = tmpfile() else {
      return failure(errno)
    }
    defer { fclose(file) }
    let messages = fileno(file)
    guard pipe(&ends) == 0 else {
      return failure(errno)
    }
    defer { close(ends[0]) }
    for end in ends + [messages] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }  // It cannot fail for an open one.
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, messages, STDERR_FILENO)
    var pointers = ([Array(path.utf8CString)] + command.map(bytes)).map { strdup($0) }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    var process = pid_t()
    let problem = posix_spawn(&process, path, &actions, nil, pointers, environ)
    close(ends[1])
    if problem != 0 {
      return failure(problem)
    }
    let output = readAll(ends[0])
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 && errno == EINTR {}
    if status == 0 { return Answer(output: output.isEmpty ? nil : output) }
    lseek(messages, 0, SEEK_SET)
    let last = readAll(messages).split(whereSeparator: \.isNewline).last.map(String.init)
    return Answer(problem: last ?? "'\(prefix)\(full)' gave no answer.")
  }

  private static func readAll(_ descriptor: Int32) -> String {
    var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 10))
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer[..<count]
    }
  }

  /// Returns the bytes of an argument that has a lossless spelling, with a zero byte.
  private static func bytes(_ argument: String) -> [CChar] {
    FileName(argument).bytes.map { CChar(bitPattern: $0) } + [0]
  }

  /// Ends the program if a `docpkg` of another version runs it.
  static func checkVersion() {
    guard let given = getenv(version).map({ String(cString: $0) }) else { return }
    unsetenv(version)
    if given == FilePackagesVersion.current { return }
    StandardError.write(
      "docpkg: '\(display(program ?? "this program"))' has version \(FilePackagesVersion.current), and 'docpkg' has "
        + "version \(display(given)). Install both from one build.\n")
    exit(ExitStatus.failed)
  }

  /// Returns the names of all companions that are there, in order.
  static func names(besides program: CommandProgram) -> [String] {
    if program.companion != nil { return [] }
    let found = folders.flatMap { folder in
      // PATH may have folders that cannot be read.
      ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
        .filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }
    let isFullHere = found.contains(full) && path(of: full) != nil
    return Set(
      found.filter { $0 != full && path(of: $0) != nil } + (isFullHere ? Array(fullCommands.keys) : [])
    )
    .filter { isPossible($0, besides: program) }.sorted()
  }

  /// Returns the lines of `docpkg --help` on companions; empty if there are none.
  static func help(besides program: CommandProgram) -> String {
    let names = names(besides: program)
    if names.isEmpty { return "" }
    let lines = names.map { name in
      fullCommands[name].map { "  \(name)" + String(repeating: " ", count: max(0, 24 - name.count)) + $0 }
        ?? "  \(name)"
    }
    return "\n\nOTHER PROGRAMS:\n" + lines.joined(separator: "\n")
  }

  private static func isPossible(_ name: String, besides program: CommandProgram) -> Bool {
    if name.isEmpty || name.hasPrefix("-") || name.contains("/") || name == "help" { return false }
    return program.plainCommands[name] == nil && !CommandNames(program: program).all.contains(name)
  }

  private static func path(of name: String) -> String? {
    folders.lazy.map { "\($0)/\(prefix)\(name)" }.first { path in
      var status = stat()
      return access(path, X_OK) == 0 && stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
  }

  /// The path of this program, without symbolic links; nil without `/proc`.
  private static var program: String? {
    guard let program = realpath("/proc/self/exe", nil) else { return nil }
    defer { free(program) }
    return String(cString: program)
  }

  /// The folders of companions, the first one first: this program's own, `libexec/docpkg` beside it, and those of PATH.
  ///
  /// A relative folder in PATH does not count: a document's folder must not bring a program.
  private static var folders: [String] {
    var folders: [String] = []
    if let program {
      let folder = program.split(separator: "/").dropLast().map { "/\($0)" }
      folders = [folder.joined(), folder.dropLast().joined() + "/libexec/docpkg"]
    }
    let path = getenv("PATH").map { String(cString: $0) } ?? ""
    return folders + path.split(separator: ":").filter { $0.hasPrefix("/") }.map(String.init)
  }
}
