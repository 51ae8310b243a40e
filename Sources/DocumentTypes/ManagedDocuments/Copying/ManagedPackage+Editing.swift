import Documents
import FilePackages

extension ManagedPackage {
  /// Calls `body` with the open document, and closes it: for a program that knows nothing of its schema.
  package func editing<Result: Sendable>(
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
  /// Makes the options for a program that saves once, and knows no schema.
  package static func oneSave(_ package: ManagedPackage) -> ManagedDocumentOptions {
    var options = ManagedDocumentOptions()
    options.persistentStoreName = package.persistentStoreName
    options.autosave = nil
    // The application's undo is still there afterwards.
    options.keepsUndoAfterClosing = true
    // The program coordinates already.
    options.isCoordinated = false
    return options
  }
}
