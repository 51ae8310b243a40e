public import FoundationEssentials

extension CloudContainer {
  /// Lists the versions that the container has of a document, the last one first.
  ///
  /// A collection of garbage removes a version thirty days after the next one came.
  ///
  /// Cost: a listing, and a read for each version.
  ///
  /// - Parameter name: the document's name, or that of a deleted document.
  /// - Throws: `noSuchFile` if the container has no document of that name; `ObjectStoreError`. Damaged versions are in
  ///   the result.
  public func versions(ofItemNamed name: String) async throws -> VersionListing {
    try await session.versions(ofItemNamed: name)
  }

  /// Brings an earlier version of a document back, as its next version. No version changes or goes.
  ///
  /// Edits that are here and not in the container become a version first. So they can be restored as well. A
  /// placeholder stays one. A deleted document becomes a placeholder.
  ///
  /// - Returns: the document's name: another one if it was deleted and its old name is taken.
  /// - Throws: `noSuchFile` if there is no such document or version; `CloudDataError` if the content is gone; the errors
  ///   of `sync()`. The document stays in its last state then.
  @discardableResult
  public func restore(itemNamed name: String, version number: Int) async throws -> String {
    try await exclusively { try await session.restore(itemNamed: name, version: number) }
  }

  /// Writes an earlier version of a document as a document of its own. In the container folder it is a new document.
  ///
  /// - Throws: `fileExists` if there is an item at `url`; otherwise as `restore(itemNamed:version:)`.
  public func write(version number: Int, ofItemNamed name: String, to url: URL) async throws {
    try await session.write(version: number, ofItemNamed: name, to: url)
  }
}
