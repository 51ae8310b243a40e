import ArgumentParser
import FilePackages
import FoundationEssentials
import Glibc

/// Standard output: data. Collected and written in large pieces.
struct StandardOutput: ~Copyable {
  private var buffer: [UInt8] = []

  mutating func write(_ text: String) {
    buffer.append(contentsOf: text.utf8)
    if buffer.count >= 1 << 16 { flush() }
  }

  mutating func line(_ text: String) {
    write(text)
    write("\n")
  }

  mutating func flush() {
    buffer.withUnsafeBytes { writeAll($0, to: STDOUT_FILENO) }
    buffer.removeAll(keepingCapacity: true)
  }

  deinit {
    buffer.withUnsafeBytes { writeAll($0, to: STDOUT_FILENO) }
  }
}

/// Standard error: talk.
enum StandardError {
  static func write(_ text: String) {
    Array(text.utf8).withUnsafeBytes { writeAll($0, to: STDERR_FILENO) }
  }
}

/// Writes all bytes; ends the program where nobody can hear it any more.
func writeAll(_ bytes: UnsafeRawBufferPointer, to file: Int32) {
  var rest = bytes
  while !rest.isEmpty {
    let count = write(file, rest.baseAddress, rest.count)
    if count >= 0 {
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    } else if errno != EINTR {
      if file != STDERR_FILENO {
        let reason = String(cString: strerror(errno))
        StandardError.write("docpkg: standard output cannot be written: \(reason)\n")
      }
      exit(ExitStatus.failed)
    }
  }
}

/// Prints one JSON value on a line of its own.
func printJSON(_ value: some Encodable) throws {
  var output = StandardOutput()
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
  @Flag(name: .long, help: "Print what would be done, a line a step, and do nothing.")
  var dryRun = false

  @Flag(name: .long, help: "Print the report, or with --dry-run the plan, as JSON.")
  var json = false

  @Flag(name: .long, help: "Print nothing.")
  var quiet = false

  /// Prints a plan.
  func report(_ plan: SavePlan) throws {
    if quiet { return }
    if json { return try printJSON(["plan": plan.lines]) }
    var output = StandardOutput()
    if plan.isEmpty { output.line("nothing to save") }
    for line in plan.lines { output.line(line) }
  }

  /// Prints what was done, in one line, and what is left to be done.
  func report(_ report: SaveReport, of path: String) throws {
    warn(report.warnings)
    if quiet { return }
    if json { return try printJSON(report) }
    var output = StandardOutput()
    output.line("\(display(path)): \(report)")
  }
}

/// Says what is left to be done, though the command is.
func warn(_ warnings: [SaveWarning]) {
  for warning in warnings { StandardError.write("docpkg: warning: \(warning)\n") }
}

/// A string as a terminal can show it: control characters as `\xNN`.
func display(_ text: String) -> String {
  FilePackages.displayString(text)
}
