import ArgumentParser
import Documents
import FilePackages
import FoundationEssentials
import ManagedDocuments

struct Info: AsyncParsableCommand {
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

  func run() async throws {
    try await forEachOperand(paths) { path in
      try await coordinated(path) { try await show(path) }
    }
  }

  private func show(_ path: String) async throws {
    if let package = managedPackage(path) { return try await show(package, path) }
    let store = try await PackageStore.open(at: url(path))
    let values = try await store.metadata()?.propertyList
    if json && paths.count > 1 { return try printJSON(Located(path: path, report: values ?? [:])) }
    if json { return try printJSON(values ?? [:]) }
    var output = StandardOutput()
    let prefix = paths.count == 1 ? "" : "\(display(path)): "
    guard let values else {
      if try await folderKind(of: path) == .library {
        return output.line("\(prefix)no metadata: a folder, and no document")
      }
      output.line("\(prefix)no metadata: a package of another program (\(try await store.shownContentType))")
      return
    }
    for line in values.lines { output.line(prefix + line) }
  }

  private func show(_ package: ManagedPackage, _ path: String) async throws {
    let summary = try await package.summary()
    var values = summary.metadata?.propertyList ?? [:]
    if json {
      values["DatabaseContents"] = .dictionary(summary.values)
      return try paths.count > 1 ? printJSON(Located(path: path, report: values)) : printJSON(values)
    }
    var output = StandardOutput()
    let prefix = paths.count == 1 ? "" : "\(display(path)): "
    for line in values.lines + summary.lines { output.line(prefix + line) }
  }
}

extension ManagedSummary {
  /// The keys of `DatabaseContents` with `--json`.
  fileprivate var values: [String: PropertyListValue] {
    let rows = tables.map { ($0.name, PropertyListValue.integer(Int64($0.rows))) }
    return [
      "ByteCount": .integer(Int64(size)), "Tables": .dictionary(Dictionary(uniqueKeysWithValues: rows)),
      "FileCount": .integer(Int64(fileCount)), "FileByteCount": .integer(Int64(fileSize)),
      "UndoCount": .integer(Int64(undoCount)), "HasUnsavedChanges": .boolean(hasUnsavedChanges),
      "IsOpen": .boolean(isOpen),
    ]
  }

  fileprivate var lines: [String] {
    let rows = tables.map { "\(display($0.name)) (\($0.rows) row\($0.rows == 1 ? "" : "s"))" }
    return [
      "database: \(SaveReport.bytes(UInt64(size)))",
      "tables: \(rows.isEmpty ? "none" : rows.joined(separator: ", "))",
      "additional content: \(fileCount) file\(fileCount == 1 ? "" : "s"), \(SaveReport.bytes(UInt64(fileSize)))",
      "undo: \(undoCount) step\(undoCount == 1 ? "" : "s")",
      "unsaved changes: \(hasUnsavedChanges ? "yes" : "no")",
      "open: \(isOpen ? "yes, in another program" : "no")",
    ]
  }
}

extension [String: PropertyListValue] {
  /// A line for each key, in order.
  fileprivate var lines: [String] {
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
