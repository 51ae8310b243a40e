import ArgumentParser
import FilePackages
import FoundationEssentials

struct Watch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Tell what happens to a document, as it happens.",
    discussion: """
      Prints a line for each thing that any program does to the document: changed, with the children; moved, with the \
      new place; replaced, when another file or folder stands in its place; deleted; and overflow, when more happened \
      than could be told and everything has to be looked at. Changes that follow each other at once are told together. \
      Goes on, also after the document was deleted, until it is interrupted.

      Where the system allows no more watches, and on file systems that other machines write to (--poll), the document \
      is looked at every two seconds.

      Examples:
        docpkg watch Trip.imageNotes
        docpkg watch Trip.imageNotes --json --once | jq -r .paths[]

      \(ExitStatus.help) 130 when it is interrupted by Ctrl-C.
      """)

  @Argument(help: "The document.")
  var path: String

  @Flag(help: "End after the first line.")
  var once = false

  @Flag(help: "Look at everything every two seconds, too.")
  var poll = false

  @Flag(help: "Print a JSON object a line.")
  var json = false

  func run() async throws {
    var options = PackageWatcher.Options()
    options.polls = poll
    let watcher = try await PackageWatcher.watch(url(path), options: options)
    if let limitation = watcher.limitation { StandardError.write("docpkg: \(limitation)\n") }
    for await event in watcher {
      let line = Line(event, at: watcher.url)
      if json {
        try printJSON(line)
      } else {
        var output = StandardOutput()
        for text in line.texts { output.line(text) }
      }
      if once { break }
    }
    await watcher.end()
  }

  /// What is printed of one event.
  private struct Line: Encodable {
    var event: String
    /// Where the document is.
    var document: String
    var paths: [String]?
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

    /// A line for each child; of a single file, and of all else, one for the document.
    var texts: [String] {
      let places = paths.map { $0.map { $0.isEmpty ? document : $0 } } ?? [document]
      return places.map { "\(event) \(display($0))" }
    }
  }
}
