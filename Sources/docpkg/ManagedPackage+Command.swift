import Documents
import FilePackages
import FoundationEssentials
import ManagedDocuments

/// Finds the database of the document at a path; nil if it has none.
///
/// For a path that is no package the command itself has the error.
func managedPackage(_ path: String) -> ManagedPackage? { try? ManagedPackage(at: url(path)) }

/// Calls `body` with the package at a path as a frozen tree.
///
/// The database of a document is in the tree as one file of one moment, never beside its log. So are those of documents
/// in a library.
func withSnapshot<Result: Sendable>(
  of path: String, _ body: @Sendable (PackageSnapshot) async throws -> Result
) async throws -> Result {
  if let package = managedPackage(path) { return try await package.withSnapshot(body) }
  let library = try await Library(at: path)
  return try await PackageStore.reading(at: url(path)) { store in
    let tree = await store.tree
    guard let library else { return try await body(tree.snapshot()) }
    return try await library.withDatabases(in: tree) { try await body(tree.snapshot()) }
  }
}

extension ManagedPackage {
  /// Returns the version whose identifier begins with `text`.
  func version(_ text: String) async throws -> ManagedVersion {
    let found = try await versions().filter { $0.id.uuidString.hasPrefix(text.uppercased()) }
    guard let version = found.first, !text.isEmpty else {
      throw InputError(description: "There is no version '\(display(text))'; 'docpkg versions' lists them.")
    }
    guard found.count == 1 else {
      throw InputError(description: "More than one version begins with '\(display(text))'.")
    }
    return version
  }

  /// Calls `body` with the open document, and closes it.
  func editing<Result: Sendable>(
    _ body: @Sendable (ManagedDocument) async throws -> Result
  ) async throws -> Result {
    let document = try await ManagedDocument.open(at: url, options: .oneSave(self))
    let result: Result
    do {
      result = try await body(document)
    } catch {
      // The first error counts.
      try? await document.close()
      throw error
    }
    try await document.close()
    return result
  }
}

extension ManagedDocumentOptions {
  /// Makes the options for a command that saves once, and knows no schema.
  static func oneSave(_ package: ManagedPackage) -> ManagedDocumentOptions {
    var options = ManagedDocumentOptions()
    options.persistentStoreName = package.persistentStoreName
    options.autosave = nil
    // The application's undo is still there after the command.
    options.keepsUndoAfterClosing = true
    // The command coordinates already.
    options.takesTurns = false
    return options
  }
}
