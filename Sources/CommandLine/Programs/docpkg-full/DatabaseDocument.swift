import CommandSupport
import DocumentCommands
import FilePackages
import FoundationEssentials
import ManagedDocuments

/// A document with a database, as the commands see it.
struct DatabaseDocument: CommandDocument {
  let package: ManagedPackage
  private let path: String

  init(_ package: ManagedPackage, at path: String) { (self.package, self.path) = (package, path) }

  func info() async throws -> DocumentInfo {
    let summary = try await package.summary()
    let metadata = summary.metadata?.propertyList ?? [:]
    var values = metadata
    values["DatabaseContents"] = .dictionary(summary.values)
    return DocumentInfo(values: values, lines: metadata.lines + summary.lines)
  }

  func verify() async throws -> VerificationReport { try await package.verify() }

  // MARK: Children

  func read(_ child: String, _ body: @Sendable (UnsafeRawBufferPointer) -> Void) async throws {
    if package.isDatabase(child) {
      return try await package.withTree { try $0.regularFile(at: child).forEachChunk { body($0) } }
    }
    let bytes: Data? = try await package.read { _, content in
      guard let path = ManagedPackage.contentPath(child), try content.fileExists(path) else { return nil }
      return try content.read(path)
    }
    guard let bytes else { return try await PackageDocument(path).read(child, body) }
    bytes.withUnsafeBytes(body)
  }

  /// Changes files below `AdditionalContent`, in one edit and one save.
  func edit(_ changes: ChildChanges, dryRun: Bool) async throws -> Outcome<SaveReport> {
    let removed = try changes.removed.map(contentPath)
    let written = try changes.written.map { (path: try contentPath($0.name), file: $0.file) }
    if dryRun {
      return .planned(removed.map { PlannedStep(.remove, $0) } + written.map { PlannedStep(.write, $0.path) })
    }
    let contents = try written.map { ($0.path, try CommandSupport.contents(ofFile: $0.file).contents()) }
    let document = try await ManagedDocument.open(at: package.url, options: .oneSave(package))
    let done = try await interruptible {
      do {
        try await document.edit("docpkg edit") { _, content in
          for path in removed { try content.remove(path) }
          for (path, bytes) in contents { try content.write(path, bytes) }
        }
      } catch {
        try await document.close()
        throw error
      }
      let done = try await document.save()
      try await document.close()
      return done
    }
    return .done(done)
  }

  /// Returns the path below `AdditionalContent`.
  private func contentPath(_ child: String) throws -> String {
    if let path = ManagedPackage.contentPath(child) { return path }
    let reason =
      package.isDatabase(child)
      ? "is the document's database: change it with the application, or close the document and use sqlite3."
      : "is not below 'AdditionalContent', and a document with a database has its files there."
    throw InputError(description: "'\(display(child))' \(reason)")
  }

  // MARK: Copies

  func copyPlan(to destination: String, withHistory: Bool) async throws -> SavePlan {
    try checkCopy(withHistory)
    return try await package.copyPlan(to: url(destination))
  }

  func copy(to destination: String, withHistory: Bool) async throws -> SaveReport {
    try checkCopy(withHistory)
    return try await package.copy(to: url(destination))
  }

  private func checkCopy(_ withHistory: Bool) throws {
    if !withHistory { return }
    throw InputError(
      description:
        "'\(display(path))' has a database, and a copy of it has no versions: leave out --with-history.")
  }

  func withSnapshot<Result: Sendable>(
    _ body: @Sendable (PackageSnapshot) async throws -> Result
  ) async throws -> Result {
    try await package.withSnapshot(body)
  }

  func withTree<Result: Sendable>(
    _ body: @Sendable (FileWrapper) async throws -> Result
  ) async throws -> Result {
    try await package.withTree(body)
  }

  /// Returns the present state: the document keeps no versions.
  func versions() async throws -> [ShownVersion] {
    try await package.summary().metadata.map { [ShownVersion($0)] } ?? []
  }

  /// Opening publishes a save, and keeps what a killed publisher had put aside.
  func publish() async throws { try await package.editing { _ in } }

  func differences(to other: String) async throws -> FoundDifferences {
    guard let second = try ManagedPackage(at: url(other)) else {
      throw InputError(description: "'\(display(other))' has no database, and '\(display(path))' has one.")
    }
    return FoundDifferences(try await package.differences(to: second))
  }
}

extension FoundDifferences {
  fileprivate init(_ found: ManagedDifferences) {
    var found = found
    // The paths of the package, as in the output of all commands.
    for index in found.files.indices {
      found.files[index].path = "AdditionalContent/\(found.files[index].path)"
    }
    let text = found.isEmpty ? "" : "\(found)\n"
    self.init(json: found, text: text, lines: text, isEmpty: found.isEmpty)
  }
}
