import ArgumentParser
import DurableIO
import FilePackages
import FoundationEssentials
import Glibc
import SystemPackage

/// A buffer for standard output, which writes large pieces.
struct StandardOutput: ~Copyable {
  enum Purpose {
    /// The command's result. If it cannot be written, the command has failed, and the program ends.
    case data
    /// The report on a finished change. If it cannot be written, a warning goes to standard error, because the
    /// change is done.
    case report
  }

  private let purpose: Purpose
  private var buffer: [UInt8] = []
  private var isBroken = false

  init(_ purpose: Purpose = .data) {
    self.purpose = purpose
  }

  mutating func write(_ text: String) {
    write(bytes: text.utf8)
  }

  mutating func line(_ text: String) {
    write(text)
    write("\n")
  }

  /// Writes a path as it is. On a terminal, control characters and bytes that are not UTF-8 appear as `\xNN`.
  mutating func write(path: String, quoting: Bool = true) {
    if quoting && Self.isTerminal { write(display(path)) } else { write(bytes: FileName(path).bytes) }
  }

  private static let isTerminal = isatty(STDOUT_FILENO) == 1

  mutating func write(bytes: some Sequence<UInt8>) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= 1 << 16 { flush() }
  }

  mutating func flush() {
    if !isBroken { isBroken = !Self.put(buffer, purpose) }
    buffer.removeAll(keepingCapacity: true)
  }

  deinit {
    if !isBroken { _ = Self.put(buffer, purpose) }
  }

  private static func put(_ buffer: [UInt8], _ purpose: Purpose) -> Bool {
    let problem = buffer.withUnsafeBytes { writeAll($0, to: STDOUT_FILENO) }
    guard let problem else { return true }
    switch purpose {
    case .data: endSinceOutputFailed(problem)
    case .report:
      StandardError.write(
        "docpkg: done, but the report could not be written to standard output: \(words(problem))\n")
      return false
    }
  }

  /// Writes data at once.
  static func write(_ bytes: UnsafeRawBufferPointer) {
    if let problem = writeAll(bytes, to: STDOUT_FILENO) { endSinceOutputFailed(problem) }
  }

  private static func endSinceOutputFailed(_ problem: Int32) -> Never {
    StandardError.write("docpkg: standard output could not be written: \(words(problem))\n")
    exit(ExitStatus.failed)
  }

  /// - Throws: `InputError` if standard output was closed at the start of the program.
  static func requireOpen() throws {
    if fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE == O_RDONLY {
      throw InputError(description: "Standard output could not be written: it is closed.")
    }
  }

  private static func words(_ problem: Int32) -> String {
    problem == EBADF ? "it is closed" : Errno(rawValue: problem).description
  }
}

/// Standard error, for messages. An error there cannot be reported.
enum StandardError {
  /// Whether standard error is a terminal that can erase a line, as progress needs.
  static let takesEscapes: Bool = {
    let terminal = getenv("TERM").map { String(cString: $0) }
    return isatty(STDERR_FILENO) == 1 && terminal != nil && terminal != "dumb"
  }()

  static func write(_ text: String) {
    _ = Array(text.utf8).withUnsafeBytes { writeAll($0, to: STDERR_FILENO) }
  }
}

/// Writes all bytes.
///
/// - Returns: the number of the system's error; nil for success.
private func writeAll(_ bytes: UnsafeRawBufferPointer, to file: Int32) -> Int32? {
  var rest = bytes
  while !rest.isEmpty {
    let count = write(file, rest.baseAddress, rest.count)
    if count >= 0 {
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    } else if errno != EINTR {
      return errno
    }
  }
  return nil
}

/// Prints one JSON value on a line of its own.
func printJSON(_ value: some Encodable, as purpose: StandardOutput.Purpose = .data) throws {
  var output = StandardOutput(purpose)
  output.line(try json(value))
}

func json(_ value: some Encodable) throws -> String {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  encoder.dateEncodingStrategy = .iso8601
  return String(decoding: try encoder.encode(value), as: UTF8.self)
}

/// The options of every command that writes.
struct WritingOptions: ParsableArguments {
  @Flag(
    name: [.customShort("n"), .long], help: "Print the plan, one line for each step, and write nothing.")
  var dryRun = false

  @Flag(name: .long, help: "Print the report, or with --dry-run the plan, as JSON.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print nothing.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Print the number of waits for the disk, too.")
  var verbose = false

  /// Prints a plan.
  func report(_ plan: SavePlan) throws {
    try report(plan.listed)
  }

  /// Prints the steps of a plan.
  func report(_ plan: [PlannedStep]) throws {
    if quiet { return }
    if json { return try printJSON(["plan": plan]) }
    var output = StandardOutput()
    if plan.isEmpty { output.line("nothing to save") }
    for step in plan { output.line(step.description) }
  }

  /// Prints the plan of a new document at a path.
  func report(_ plan: [PlannedStep], making path: String) throws {
    let lines = ["make \(display(path))"] + plan.map(\.description)
    try tell(Located(path: path, report: ["plan": plan]), lines.joined(separator: "\n"))
  }

  /// Prints a save's report in one line, and its warnings.
  func report(_ report: SaveReport, of path: String) throws {
    warn(report.warnings)
    try tell(report, line(of: report, path))
  }

  /// Prints the report of a new document, which has its path in JSON.
  func report(_ report: SaveReport, making path: String) throws {
    warn(report.warnings)
    try tell(Located(path: path, report: report), line(of: report, path))
  }

  private func line(of report: SaveReport, _ path: String) -> String {
    let waits = verbose ? ", \(counted(report.synchronizations, "synchronization"))" : ""
    return "\(display(path)): \(report)\(waits)"
  }

  /// Prints a report as JSON or as these lines. With `--dry-run` the report is the command's result.
  func tell(_ report: some Encodable, _ lines: String...) throws {
    if quiet { return }
    let purpose = dryRun ? StandardOutput.Purpose.data : .report
    if json { return try printJSON(report, as: purpose) }
    var output = StandardOutput(purpose)
    for line in lines { output.line(line) }
  }
}

/// Prints the warnings of a command that succeeded.
func warn(_ warnings: [SaveWarning]) {
  for warning in warnings { StandardError.write("docpkg: warning: \(warning)\n") }
}

/// Returns a string that a terminal can show, with `\xNN` for control characters.
func display(_ text: String) -> String {
  FilePackages.displayString(text)
}
