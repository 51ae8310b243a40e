import ArgumentParser
import CommandSupport
import FilePackages
import FoundationEssentials

struct Cat: CoordinatedCommand, DocumentCommand {
  static let configuration = CommandConfiguration(
    commandName: "cat",
    abstract: "Write a child's bytes to standard output.",
    discussion: """
      In a document with a database, the bytes of a file are those of the last edit, also before a save publishes \
      them. The database is written as one file with its log.

      Examples:
        docpkg cat Trip.imageNotes Images/Dawn.png > Dawn.png
        docpkg cat Trip.imageNotes Text.txt --version 4F2A9C01

      \(ExitStatus.help)
      """)

  @Argument(path: "The package.")
  var path: String

  @Argument(help: "The child, a path within the package.")
  var child: String

  @Option(help: "Read the child from a version: its identifier, or its first digits.")
  var version: String?

  func run() async throws {
    if let version {
      return try await packageWithVersions(at: path).read(child, ofVersion: version) {
        StandardOutput.write($0)
      }
    }
    try await document(at: path).read(child) { StandardOutput.write($0) }
  }
}

extension Cat: PlainCommand {
  init?(plain arguments: ArraySlice<String>) {
    guard let operands = PlainArguments(arguments, options: [], flags: [])?.operands(2) else { return nil }
    self.init()
    (path, child, version) = (operands[0], operands[1], nil)
  }
}

extension PackageStore {
  /// Returns the present children, or those of a version in the history or in conflict, and the paths that the
  /// version lacks.
  func tree(ofVersion text: String?) throws -> (tree: FileWrapper, lost: [String]) {
    guard let text else { return (tree, []) }
    if try present(text) != nil { return (tree, []) }
    let id = try version(text, inConflict: true).persistentIdentifier
    if let conflict = try conflictVersions().first(where: { $0.id == id }) {
      return (try contents(ofConflict: id), conflict.missing)
    }
    return try contents(of: id)
  }
}
