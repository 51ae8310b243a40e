import ArgumentParser
import CommandSupport
import Documents
import FilePackages
import FoundationEssentials
import Glibc
import ImageNotes

struct Open: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "open",
    abstract: "Open an ImageNotes document, and edit it by commands.",
    discussion: """
      Reads commands, one a line, from a terminal or from standard input; 'help' lists them. The session saves the \
      document two seconds after the last edit, and when it ends. Each save keeps a version, which 'docpkg versions' \
      lists. The session ends at 'quit', at the end of input, at Ctrl-C \
      or at a signal to end. If another program changes the document, the session reads the changes, or merges them \
      with its own edits, and reports them.

      Standard output has the answers to commands; standard error has all other messages. With --json, standard \
      output has both, one JSON object a line.

      Examples:
        docpkg open Trip.imageNotes
        docpkg open Trip.imageNotes --exec 'append The hut.' --exec 'undo'
        printf 'append One\\nundo\\nappend Two\\n' | docpkg open Trip.imageNotes --json

      \(ExitStatus.help) A refused command makes it 2, unless a user typed it in a terminal. If everything is saved \
      and only the session could not end in good order, that is a warning, as with the other commands.
      """)

  @Argument(path: "The document.")
  var path: String

  @Option(
    name: .customLong("exec"),
    help: ArgumentHelp(
      "A command to run instead of those from standard input; the first refused command ends the session.",
      valueName: "command"))
  var commands: [String] = []

  @Flag(help: "Do not begin a history in a document that has none.")
  var noHistory = false

  @Flag(help: "Print a JSON object a line.")
  var json = false

  func run() async throws {
    let isInteractive = commands.isEmpty && isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1
    let output = SessionOutput(isJSON: json, isInteractive: isInteractive)
    let session = try await DocumentSession(path, keepsHistory: !noHistory, output)
    // If all edits are saved, a session that is asked to end has succeeded.
    let handler = TerminationHandler {
      output.promptIsAnswered()
      if isInteractive { StandardError.write("\n") }
      Glibc.exit(await Self.end(session))
    }
    if commands.isEmpty {
      await read(session, isInteractive: isInteractive)
    } else {
      for command in commands where await !session.run(command) || output.hasFailed { break }
    }
    let end = await Self.end(session)
    withExtendedLifetime(handler) {}
    let status = output.hasFailed && !isInteractive ? ExitStatus.failed : end
    if status != 0 { throw ExitCode(status) }
  }

  private func read(_ session: DocumentSession, isInteractive: Bool) async {
    let input = LineInput()
    var wasRefused = false
    while true {
      session.output.prompt(await session.document.localizedName)
      let line: String?
      do {
        line = try await input.next()
      } catch {
        session.output.fail(errorMessage(of: error, .session))
        break
      }
      session.output.promptIsAnswered()
      guard let line else {
        // Ctrl-D leaves the cursor behind the prompt.
        if isInteractive { StandardError.write("\n") }
        break
      }
      if await session.run(line) { continue }
      // After a failed save, the user may mend the cause, or quit all the same.
      if !isInteractive || wasRefused { break }
      if await session.end() { break }
      wasRefused = true
      StandardError.write("The document is still open. A second 'quit' ends the session all the same.\n")
    }
  }

  /// Saves and closes the document, and returns the exit status.
  private static func end(_ session: DocumentSession) async -> Int32 {
    let isInConflict = await session.document.documentState.contains(.inConflict)
    guard await session.end() else { return ExitStatus.failed }
    return isInConflict ? ExitStatus.different : 0
  }
}
