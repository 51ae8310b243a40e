import Foundation
import ManagedDocuments
import TestSupport

/// A process of `Tests/Bookkeeper` that has a document open, and reads commands.
struct BookkeeperProcess: Sendable {
  let program: TalkingProgram

  /// - Parameter setup: a command of the shell, run as root of a user namespace of its own before the program.
  init(_ url: URL, after setup: String? = nil) async throws {
    let bookkeeper = Program("bookkeeper")
    let arguments = [url.path, "talk"]
    if let setup {
      program = try TalkingProgram(
        Program(path: "/usr/bin/unshare"),
        ["-Ur", "sh", "-ec", "\(setup); exec \"$0\" \"$@\"", bookkeeper.path] + arguments)
    } else {
      program = try TalkingProgram(bookkeeper, arguments)
    }
    try await program.expect("the opening") { $0.contains("open") ? () : nil }
  }

  /// Has it perform a command.
  ///
  /// - Returns: its result; the reason if it failed.
  @discardableResult
  func perform(_ command: String) async throws -> String {
    program.forget { $0.hasPrefix("done ") || $0.hasPrefix("failed ") }
    program.send(command)
    return try await program.expect(command) { lines in
      for line in lines {
        for beginning in ["done \(command): ", "done \(command)", "failed \(command): "] {
          if line.hasPrefix(beginning) { return String(line.dropFirst(beginning.count)) }
        }
      }
      return nil
    }
  }

  /// Waits until an observation's last value is `rows`.
  func waitToSee(_ rows: String) async throws {
    try await program.expect("'\(rows)' in an observation") { lines in
      lines.last { $0.hasPrefix("sees ") } == "sees \(rows)" ? () : nil
    }
  }

  func waitForEvent(_ text: String) async throws {
    try await program.expect("event '\(text)'") { $0.contains("event \(text)") ? () : nil }
  }

  /// Has it repeat a command until the result is `result`.
  func wait(for result: String, of command: String) async throws {
    try await withDeadline("'\(result)' from '\(command)'") { while try await perform(command) != result {} }
  }
}
