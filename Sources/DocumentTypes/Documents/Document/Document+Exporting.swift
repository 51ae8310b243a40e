public import FilePackages

extension Document {
  /// Calls `body` with the present content as a frozen tree, unsaved edits included: to export it or to copy it.
  ///
  /// The document makes no other access to the disk meanwhile, so no save of it replaces a file that `body` reads.
  /// Edits are possible meanwhile, and the tree does not have them. `body` must not wait for a save of this document.
  ///
  /// ```swift
  /// let report = try await document.withSnapshot { try await $0.export(to: url, as: .zip) }
  /// ```
  ///
  /// Cost: the content's own `fileWrapper(configuration:)`; children are read when `body` reads them.
  ///
  /// - Throws: `DocumentError` `closed`, or `content` if the document type refuses; any error of `body`.
  public func withSnapshot<Result: Sendable>(
    _ body: @escaping @Sendable (PackageSnapshot) async throws -> Result
  ) async throws -> Result {
    let outcome: Swift.Result<Result, any Error> = await perform { document in
      do {
        return .success(try await body(try await document.snapshot()))
      } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }

  private func snapshot() async throws(DocumentError) -> PackageSnapshot {
    guard let opened = lifecycle.opened else { throw error(.closed, .save) }
    do {
      return try await opened.storage.snapshot(of: opened.content)
    } catch {
      throw DocumentError(error, .save, fileURL)
    }
  }
}
