import DurableIO
import FilePackages
import FoundationEssentials
import Glibc
import SystemPackage

/// A buffer for standard output, which writes large pieces.
package struct StandardOutput: ~Copyable {
  package enum Purpose {
    /// The command's result. If it cannot be written, the command has failed, and the program ends.
    case data
    /// The report on a finished change. If it cannot be written, a warning goes to standard error, because the
    /// change is done.
    case report
    /// The news of a program that goes on. As with data, it ends if their reader has gone; another error is a warning.
    case news
  }

  private let purpose: Purpose
  private var buffer: [UInt8] = []
  private var isBroken = false

  package init(_ purpose: Purpose = .data) {
    self.purpose = purpose
  }

  package mutating func write(_ text: String) {
    write(bytes: text.utf8)
  }

  package mutating func line(_ text: String) {
    write(text)
    write("\n")
  }

  /// Writes a path as it is. On a terminal, control characters and bytes that are not UTF-8 appear as `\xNN`.
  package mutating func write(path: String, quoting: Bool = true) {
    if quoting && Self.isTerminal { write(display(path)) } else { write(bytes: FileName(path).bytes) }
  }

  private static let isTerminal = isatty(STDOUT_FILENO) == 1

  package mutating func write(bytes: some Sequence<UInt8>) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= 1 << 16 { flush() }
  }

  package mutating func flush() {
    if !isBroken { isBroken = !Self.put(buffer, purpose) }
    buffer.removeAll(keepingCapacity: true)
  }

  deinit {
    if !isBroken { _ = Self.put(buffer, purpose) }  // `put` has reported it.
  }

  private static func put(_ buffer: [UInt8], _ purpose: Purpose) -> Bool {
    // A reader that has gone ends a program that prints data. The change of a report is done all the same.
    if purpose == .report { signal(SIGPIPE, SIG_IGN) }
    let problem = buffer.withUnsafeBytes { writeAll($0, to: STDOUT_FILENO) }
    guard let problem else { return true }
    switch purpose {
    case .data: endSinceOutputFailed(problem)
    case .report, .news:
      StandardError.write(
        "docpkg: done, but the report could not be written to standard output: \(words(problem))\n")
      return false
    }
  }

  /// Writes data at once.
  package static func write(_ bytes: UnsafeRawBufferPointer) {
    if let problem = writeAll(bytes, to: STDOUT_FILENO) { endSinceOutputFailed(problem) }
  }

  private static func endSinceOutputFailed(_ problem: Int32) -> Never {
    StandardError.write("docpkg: standard output could not be written: \(words(problem))\n")
    exit(ExitStatus.failed)
  }

  /// - Throws: `InputError` if standard output was closed at the start of the program.
  package static func requireOpen() throws {
    if fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE == O_RDONLY {
      throw InputError(description: "Standard output could not be written: it is closed.")
    }
  }

  private static func words(_ problem: Int32) -> String {
    problem == EBADF ? "it is closed" : Errno(rawValue: problem).description
  }
}

/// Standard error, for messages. An error there cannot be reported.
package enum StandardError {
  /// Whether standard error is a terminal that can erase a line, as progress needs.
  package static let takesEscapes: Bool = {
    let terminal = getenv("TERM").map { String(cString: $0) }
    return isatty(STDERR_FILENO) == 1 && terminal != nil && terminal != "dumb"
  }()

  package static func write(_ text: String) {
    _ = Array(text.utf8).withUnsafeBytes { writeAll($0, to: STDERR_FILENO) }  // Nowhere to report it.
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
package func printJSON(_ value: some Encodable, as purpose: StandardOutput.Purpose = .data) throws {
  var output = StandardOutput(purpose)
  output.line(try json(value))
}

package func json(_ value: some Encodable) throws -> String {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  encoder.dateEncodingStrategy = .iso8601
  return String(decoding: try encoder.encode(value), as: UTF8.self)
}

/// Returns a string that a terminal can show, with `\xNN` for control characters.
package func display(_ text: String) -> String {
  FilePackages.displayString(text)
}
