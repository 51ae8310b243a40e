import CommandSupport
import Documents
import FilePackages
import FoundationEssentials
import Glibc
import ImageNotes
import Synchronization

/// The output of a session: data and JSON on standard output, messages and the prompt on standard error. Lines of
/// different tasks never mix.
final class SessionOutput: Sendable {
  /// Whether every line is a JSON value.
  let isJSON: Bool
  /// Whether a user types the commands.
  let isInteractive: Bool

  private struct State {
    var prompt: String?
    var flags: DocumentState = []
    /// The last error, so that the session reports a repeated error once.
    var lastError = ""
    var hasFailed = false
  }
  private let state = Mutex(State())

  init(isJSON: Bool, isInteractive: Bool) {
    (self.isJSON, self.isInteractive) = (isJSON, isInteractive && !isJSON)
  }

  // MARK: Lines

  /// One line of JSON.
  struct Line: Encodable {
    var event: String
    var document: String?
    var command: String?
    var state: [String]?
    var outcome: String?
    var paths: [String]?
    var text: String?
    var content: ShownNotes?
    var report: SaveReport?
    var message: String?
    var hasUnsavedChanges: Bool?
    var undo: String?
    var redo: String?
    var recoveryCopies: [String]?
    var conflictVersions: [String]?
    var time: Date?
  }

  /// Prints the result of a command.
  func answer(_ line: Line, _ print: (inout StandardOutput) -> Void) {
    state.withLock { _ in
      var output = StandardOutput()
      if isJSON { output.line(Self.json(line)) } else { print(&output) }
    }
  }

  /// Reports an event.
  func tell(_ line: Line, _ talk: String?) {
    state.withLock { state in
      if isJSON {
        var line = line
        line.time = Date()
        var output = StandardOutput()
        output.line(Self.json(line))
      } else if let talk {
        say(talk, after: state.prompt)
      }
    }
  }

  /// Reports an error for which the session fails; a repeated error once.
  func fail(_ message: String, during command: String? = nil) {
    state.withLock { $0.hasFailed = true }
    tellOnce(message, during: command)
  }

  private func tellOnce(_ message: String, during command: String? = nil) {
    let isNew = state.withLock { state in
      defer { state.lastError = message }
      return state.lastError != message
    }
    if isNew { tell(Line(event: "error", command: command, message: message), message) }
  }

  /// Whether the session has failed.
  var hasFailed: Bool { state.withLock { $0.hasFailed } }

  private static func json(_ line: Line) -> String {
    do {
      return try CommandSupport.json(line)
    } catch {
      // Texts, numbers and dates have no value that JSON lacks.
      return #"{"event":"error","message":"a line could not be printed"}"#
    }
  }

  // MARK: Prompt

  /// Shows the prompt.
  func prompt(_ name: String) {
    guard isInteractive else { return }
    state.withLock { state in
      let prompt = "\(display(name))> "
      state.prompt = prompt
      StandardError.write(prompt)
    }
  }

  /// Notes that the user has answered the prompt.
  func promptIsAnswered() { state.withLock { $0.prompt = nil } }

  /// Prints a message on a line of its own, and the prompt again. The terminal still holds the user's unfinished
  /// line.
  private func say(_ talk: String, after prompt: String?) {
    StandardError.write((prompt == nil ? "" : "\n") + talk + "\n" + (prompt ?? ""))
  }
}

// Messages of the open document.

extension SessionOutput {
  func tell(_ error: DocumentError) {
    switch error.operation {
    // The program itself reports a failed opening, because there is no session then.
    case .open: break
    // The document is saved, so that this is a warning, as with the commands that save once.
    case .close:
      let warning = error.fileError.map { "\(SaveWarning(closing: $0))" } ?? error.text(.session)
      tell(Line(event: "warning", message: warning), "warning: \(warning)")
    // An autosave may fail, and the save at the end may succeed. A save that a command asks for fails the command.
    case .save: tellOnce(error.text(.session))
    default: fail(error.text(.session))
    }
  }

  func tell(_ event: DocumentEvent) {
    switch event {
    case .stateChanged(let flags): tell(flags)
    case .saved(let report):
      state.withLock { $0.lastError = "" }
      let talk = ["saved: \(report)"] + report.warnings.map { "warning: \($0)" }
      tell(
        Line(event: "saved", report: report),
        report.strategy == .none && report.warnings.isEmpty ? nil : talk.joined(separator: "\n"))
    case .published(let report): tell(Line(event: "published", report: report), nil)
    case .moved(let url): tell(Line(event: "moved", document: url.path), "moved to \(display(url.path))")
    case .changedByOthers(let outcome, let paths):
      tell(Line(event: "changed", outcome: outcome.rawValue, paths: paths), words(outcome, paths))
    }
  }

  private func tell(_ flags: DocumentState) {
    // Other flags change too fast for users, or their causes are reported elsewhere.
    let reported = flags.intersection([.inConflict, .savingError])
    let isNew = state.withLock { state in
      defer { state.flags = reported }
      return state.flags != reported
    }
    tell(Line(event: "state", state: flags.names), isNew ? "state: \(reported)" : nil)
  }

  private func words(_ outcome: ExternalChangeOutcome, _ paths: [String]) -> String {
    // The metadata change with every save.
    let paths = paths.count > 1 ? paths.filter { $0 != "Metadata.plist" } : paths
    let what = paths.isEmpty ? "the document" : paths.prefix(4).map(display).joined(separator: ", ")
    let more = paths.count > 4 ? " and \(paths.count - 4) more" : ""
    let who = "another program changed \(what)\(more)"
    return switch outcome {
    case .nothing: who
    case .reloaded: "\(who): read again"
    case .merged: "\(who): merged with your edits"
    case .conflict: "\(who), as you did: yours stays, theirs is a conflict version; 'status' has its path"
    case .deleted: "another program removed the document; 'save PATH' saves it again"
    }
  }
}
