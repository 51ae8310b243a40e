import ArgumentParser
import CommandSupport
import Documents
import FilePackages
import FoundationEssentials

struct Info: AsyncParsableCommand, DocumentCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Show a package's metadata.",
    discussion: """
      The keys are those of Metadata.plist. A package of another program has no metadata. If there are several \
      packages, each line begins with the path. Each JSON object is one line, and has the path as 'path'. The exit \
      status is the greatest of all.

      A document with a database has more lines: the size of the database, its tables with their rows, the files in \
      AdditionalContent, the steps that can be undone, and whether a program has it open. With --json they are the \
      object 'DatabaseContents', with the keys ByteCount, Tables, FileCount, FileByteCount, UndoCount, \
      HasUnsavedChanges and IsOpen.

      Examples:
        docpkg info Trip.imageNotes --json
        docpkg info *.imageNotes

      \(ExitStatus.help)
      """)

  @Argument(paths: "The packages.")
  var paths: [String]

  @Flag(name: .long, help: "Print a JSON object.")
  var json = false

  var documents: [String] { paths }

  func run() async throws {
    try await forEachOperand(paths) { path in
      try await coordinated(path) { try await show(path) }
    }
  }

  private func show(_ path: String) async throws {
    let info = try await document(at: path).info()
    if json {
      return try paths.count > 1
        ? printJSON(Located(path: path, report: info.values)) : printJSON(info.values)
    }
    var output = StandardOutput()
    let prefix = paths.count == 1 ? "" : "\(display(path)): "
    for line in info.lines { output.line(prefix + line) }
  }
}

extension [String: PropertyListValue] {
  /// A line for each key, in order.
  package var lines: [String] {
    sorted { $0.key < $1.key }.map { "\(display($0.key)): \(display($0.value.text))" }
  }
}

extension PropertyListValue {
  fileprivate var text: String {
    switch self {
    case .boolean(let value): value ? "yes" : "no"
    case .integer(let value): "\(value)"
    case .unsigned(let value): "\(value)"
    case .real(let value): "\(value)"
    case .string(let value): value
    case .date(let value): localTime(value)
    case .data(let value): value.base64EncodedString()
    case .array(let values): values.map(\.text).joined(separator: ", ")
    case .dictionary(let values):
      values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.text)" }.joined(separator: ", ")
    }
  }
}
