import ArgumentParser
import FilePackages
import FoundationEssentials

struct Cat: CoordinatedCommand {
  static let configuration = CommandConfiguration(
    commandName: "cat",
    abstract: "Write a child's bytes to standard output.",
    discussion: """
      Examples:
        docpkg cat Trip.imageNotes Images/Dawn.png > Dawn.png
        docpkg cat Trip.imageNotes Text.txt --version 4F2A9C01

      \(ExitStatus.help)
      """)

  @Argument(path: "The package.")
  var path: String

  @Argument(help: "The child, a path within the package.")
  var child: String

  @Option(name: .long, help: "Read the child from a version: its identifier, or its first digits.")
  var version: String?

  func run() async throws {
    let store = try await PackageStore.open(at: url(path))
    let tree = try await store.tree(ofVersion: version)
    let file = try suggesting(child, in: tree.tree) { try tree.tree.regularFile(at: child) }
    if tree.lost.contains(child) { throw isLost(child) }
    try file.forEachChunk { StandardOutput.write($0) }
  }

  private func isLost(_ child: String) -> InputError {
    InputError(
      description: "'\(display(child))' of that version is lost: another program changed it.")
  }
}

extension PackageStore {
  /// Returns the present children, or those of a version in the history or in conflict, and the paths that the
  /// version lacks.
  func tree(ofVersion text: String?) throws -> (tree: FileWrapper, lost: [String]) {
    guard let text else { return (tree, []) }
    if try isPresent(text) { return (tree, []) }
    let id = try version(text, inConflict: true).persistentIdentifier
    if let conflict = try conflictVersions().first(where: { $0.id == id }) {
      return (try contents(ofConflict: id), conflict.missing)
    }
    return try contents(of: id)
  }
  /// Returns whether `text` begins the identifier of the present state, and of no version.
  private func isPresent(_ text: String) throws -> Bool {
    let begins: (UUID) -> Bool = { $0.uuidString.hasPrefix(text.uppercased()) }
    guard !text.isEmpty, let present = try metadata()?.revision, begins(present) else { return false }
    return try !versions().contains { begins($0.persistentIdentifier) }
  }
}
