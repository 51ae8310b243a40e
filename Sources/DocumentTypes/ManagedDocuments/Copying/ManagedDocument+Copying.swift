public import Documents
import FilePackages
public import FoundationEssentials

extension ManagedDocument {
  /// Returns a sum over the schema, all rows and all files, as `ManagedPackage.contentDigest()` does.
  ///
  /// - Throws: `closed`; `file`.
  public func contentDigest() async throws -> String {
    try await read { db, _ in try RowDigest.hexadecimal(of: db) }
  }

  /// Saves the document at one moment, unsaved edits included, as a new document at `url` with an identifier of its own.
  ///
  /// Edits are possible meanwhile. It does what `ManagedPackage.copy(to:)` does, and this document stays as it is.
  ///
  /// - Throws: `closed`; `file`: `fileExists` if there is something at `url`.
  @discardableResult
  public func copy(to url: URL) async throws(DocumentError) -> SaveReport {
    defer { publishAgain() }
    return try await package(.save).copy(to: url)
  }

  /// Calls `body` with the document at one moment as a frozen tree, unsaved edits included.
  ///
  /// Edits and saves are possible meanwhile, and the saves are published afterwards. It does what
  /// `ManagedPackage.withSnapshot(_:)` does.
  ///
  /// - Throws: `closed`; `file`; any error of `body`.
  public func withSnapshot<Result: Sendable>(
    _ body: @Sendable (PackageSnapshot) async throws -> Result
  ) async throws -> Result {
    defer { publishAgain() }
    return try await package(.save).withSnapshot(body)
  }

  /// Compares the files with their rows and the sums, and lets SQLite check the database.
  ///
  /// - Throws: `closed`; `file`, as `ManagedPackage.verify()`.
  public func verify() async throws(DocumentError) -> VerificationReport {
    defer { publishAgain() }
    return try await package(.open).verify()
  }

  /// The document, as another program reads it.
  private func package(_ operation: DocumentError.Operation) throws(DocumentError) -> ManagedPackage {
    guard isOpen else { throw error(.closed, operation) }
    return try ManagedPackage(fileURL, databasePath: options.databasePath)
  }
}
