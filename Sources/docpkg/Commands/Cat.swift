import ArgumentParser
import FilePackages
import FoundationEssentials
import ManagedDocuments

struct Cat: CoordinatedCommand {
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

  @Argument(help: "The child, a path within the package.", completion: .children)
  var child: String

  @Option(
    name: .long, help: "Read the child from a version: its identifier, or its first digits.",
    completion: .versions)
  var version: String?

  func run() async throws {
    if let package = managedPackage(path) {
      if let version { return try await write(package, package.version(version)) }
      if try await write(package) { return }
    }
    let store = try await PackageStore.open(at: url(path))
    let tree = try await store.tree(ofVersion: version)
    let file = try suggesting(child, in: tree.tree) { try tree.tree.regularFile(at: child) }
    if tree.lost.contains(child) { throw isLost(child) }
    try file.forEachChunk { StandardOutput.write($0) }
  }

  /// Writes the committed bytes of a file, or the database with its log.
  ///
  /// - Returns: false for a child that is neither.
  private func write(_ package: ManagedPackage) async throws -> Bool {
    if package.isDatabase(child) {
      try await package.withTree { try $0.regularFile(at: child).forEachChunk { StandardOutput.write($0) } }
      return true
    }
    guard let path = ManagedPackage.contentPath(child) else { return false }
    let bytes = try await package.read { _, content in
      try content.fileExists(path) ? try content.read(path) : nil
    }
    guard let bytes else { return false }
    bytes.withUnsafeBytes { StandardOutput.write($0) }
    return true
  }

  /// Writes a file of a version.
  private func write(_ package: ManagedPackage, _ version: ManagedVersion) async throws {
    let (child, path) = (child, ManagedPackage.contentPath(child))
    if package.isDatabase(child) {
      throw InputError(
        description:
          "'\(display(child))' of a version cannot be written alone; restore the document to read it.")
    }
    let bytes: Data? = try await package.editing { document in
      try await document.read(version.id) { _, content in
        guard let path, try content.fileExists(path) else { return nil }
        return try content.read(path)
      }
    }
    guard let bytes else {
      throw InputError(
        description: "'\(display(child))' is not in version '\(version.id.uuidString.prefix(8))'.")
    }
    bytes.withUnsafeBytes { StandardOutput.write($0) }
  }

  private func isLost(_ child: String) -> InputError {
    InputError(
      description: "'\(display(child))' of that version is lost: another program changed it.")
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
