import ArgumentParser
import Documents
import FilePackages
import FoundationEssentials

struct Info: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Show a package's metadata.",
    discussion: """
      The keys are those of Metadata.plist. A package of another program has no metadata. If there are several \
      packages, each line begins with the path. Each JSON object is one line, and has the path as 'path'. The exit \
      status is the greatest of all.

      Examples:
        docpkg info Trip.imageNotes --json
        docpkg info *.imageNotes

      \(ExitStatus.help)
      """)

  @Argument(paths: "The packages.")
  var paths: [String]

  @Flag(name: .long, help: "Print a JSON object.")
  var json = false

  func run() async throws {
    try await forEachOperand(paths) { path in
      try await coordinated(path) { try await show(path) }
    }
  }

  private func show(_ path: String) async throws {
    let store = try await PackageStore.open(at: url(path))
    let values = try await store.metadata()?.propertyList
    if json && paths.count > 1 { return try printJSON(Located(path: path, report: values ?? [:])) }
    if json { return try printJSON(values ?? [:]) }
    var output = StandardOutput()
    let prefix = paths.count == 1 ? "" : "\(display(path)): "
    guard let values else {
      output.line("\(prefix)no metadata: a package of another program (\(await store.knownContentType))")
      return
    }
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      output.line("\(prefix)\(display(key)): \(display(value.text))")
    }
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
    case .date(let value): value.formatted(.iso8601)
    case .data(let value): value.base64EncodedString()
    case .array(let values): values.map(\.text).joined(separator: ", ")
    case .dictionary(let values):
      values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.text)" }.joined(separator: ", ")
    }
  }
}
