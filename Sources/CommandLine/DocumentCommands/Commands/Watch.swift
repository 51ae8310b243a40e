import ArgumentParser
import CommandSupport
import Documents
import FilePackages
import FoundationEssentials

struct Watch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Print the changes of a document, as they happen.",
    discussion: """
      Prints a line for each event: changed, moved, replaced, deleted or overflow. A changed line has the children, \
      and a moved line has the new path. The event replaced means that another file or folder has taken the path. \
      The event overflow means that events were lost, so that any child may have changed. Changes that follow each \
      other at once are one line. If the document's state changes, a line with the state follows: inConflict, if \
      there are conflict versions; closed, while there is no document; otherwise normal. The first state is printed \
      unless it is normal. The command continues after the document was deleted, until it is interrupted.

      If the system allows no more watches, the command checks the document every two seconds. With --poll it always \
      does so, for file systems that other machines write to.

      Examples:
        docpkg watch Trip.imageNotes
        docpkg watch Trip.imageNotes --json --once | jq -r .paths[]

      \(ExitStatus.help) 130 if Ctrl-C interrupts the command.
      """)

  @Argument(path: "The document.")
  var path: String

  @Flag(help: "End after the first event, and print no states.")
  var once = false

  @Flag(help: "Check the document every two seconds, too.")
  var poll = false

  @Flag(help: "Print a JSON object a line.")
  var json = false

  func run() async throws {
    var options = PackageWatcher.Options()
    options.polls = poll
    let watcher = try await PackageWatcher.watch(url(path), options: options)
    if let limitation = watcher.limitation { StandardError.write("docpkg: \(limitation)\n") }
    var state = DocumentState.normal
    if !once { try await tellState(after: &state, at: watcher.url) }
    for await event in watcher {
      try print(Line(event, at: watcher.url))
      if once { break }
      try await tellState(after: &state, at: watcher.url)
    }
    await watcher.stop()
  }

  private func print(_ line: Line) throws {
    if json { return try printJSON(line) }
    var output = StandardOutput()
    for text in line.texts { output.line(text) }
  }

  /// Prints the state of the document on disk if it changed.
  private func tellState(after state: inout DocumentState, at url: URL) async throws {
    let now: DocumentState
    do {
      now = try await DocumentState.ofDocument(at: url)
    } catch {
      // The next event brings the next look.
      return StandardError.write("docpkg: \(error)\n")
    }
    if now == state { return }
    state = now
    try print(Line(now, at: url))
  }

  /// The output for one event.
  private struct Line: Encodable {
    var event: String
    /// The document's path.
    var document: String
    var paths: [String]?
    var state: [String]?
    var time = Date()

    init(_ event: PackageWatcher.Event, at url: URL) {
      document = url.path
      switch event {
      case .changed(let paths): (self.event, self.paths) = ("changed", paths)
      case .moved(let new): (self.event, document) = ("moved", new.path)
      case .replaced: self.event = "replaced"
      case .deleted: self.event = "deleted"
      case .overflow: self.event = "overflow"
      }
    }

    init(_ state: DocumentState, at url: URL) {
      (event, document, self.state) = ("state", url.path, state.names)
    }

    /// The lines for users: one for each child, or one for the document.
    var texts: [String] {
      if let state { return ["state \(state.isEmpty ? "normal" : state.joined(separator: ", "))"] }
      let places = paths.map { $0.map { $0.isEmpty ? document : $0 } } ?? [document]
      return places.map { "\(event) \(display($0))" }
    }
  }
}

extension DocumentState {
  /// Finds the state of a document that this program has not opened, as `docpkg conflicts` does. It only looks, because
  /// a watching program publishes nothing.
  fileprivate static func ofDocument(at url: URL) async throws -> DocumentState {
    do {
      let database = try databaseDocument(at: url.path) as? any RowConflictDocument
      if try await database?.rowConflicts().isEmpty == false { return .inConflict }
      let versions = try await PackageStore.reading(at: url) { try await $0.conflictVersions() }
      return versions.isEmpty ? .normal : .inConflict
    } catch let error as FilePackageError where error.code == .noSuchFile {
      return .closed
    } catch let error as FilePackageError where error.code == .wrongKind {
      // A flat file has no conflict versions beside it.
      return .normal
    }
  }
}
