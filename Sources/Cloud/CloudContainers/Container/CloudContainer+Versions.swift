extension CloudContainer {
  /// Lists the versions that the container has of a document, as the last `sync()` knew them, the last one first.
  ///
  /// `collectGarbage(isDryRun:)` removes a version thirty days after the next one was made.
  ///
  /// It asks the store for nothing.
  ///
  /// - Parameter name: the document's name, or that of a deleted document.
  /// - Throws: `noSuchFile` if the container has no document of that name.
  public func versions(ofItemNamed name: String) async throws -> [CloudVersion] {
    try await session.versions(ofItemNamed: name)
  }

  /// Restores an earlier version of a document, as its next version. It changes and removes no version.
  ///
  /// Edits that the container does not have become a version first. So they can be restored as well. A placeholder
  /// stays one. A deleted document becomes a placeholder.
  ///
  /// - Returns: the document's name, which is new if the document was deleted and another one has the old name.
  /// - Throws: `noSuchFile` if there is no such document or version; `CloudDataError` if the store no longer has the
  ///   content; the errors of `sync()`. After an error the document has its last state.
  @discardableResult
  public func restore(itemNamed name: String, version number: Int) async throws -> String {
    try await exclusively { try await session.restore(itemNamed: name, version: number) }
  }
}
