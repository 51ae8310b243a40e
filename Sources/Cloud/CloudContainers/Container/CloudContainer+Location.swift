public import Documents
import FilePackages
public import FoundationEssentials

extension CloudContainer: StorageLocation {
  /// The name of the container folder.
  public var displayName: String { url.lastPathComponent }

  /// The container folder.
  public var folderURL: URL? { url }

  /// Lists the documents, with placeholders. It sends the store no request.
  public func documents() async throws -> StorageListing {
    StorageListing(documents: try await items().map(StoredDocument.init))
  }

  /// Returns the facts of one document; nil if no document has that name. Cost: as `item(named:)`.
  public func document(named name: String) async throws -> StoredDocument? {
    try await item(named: name).map(StoredDocument.init)
  }

  /// Returns the place of a document; nil if its content is not on this machine.
  public func localURL(of name: String) async throws -> URL? {
    try await session.folder.location.localURL(of: name)
  }

  /// Moves a document into the container folder. The next `sync()` uploads it.
  ///
  /// - Returns: the document's name there, which differs from `name` if another document has that one.
  public func moveIn(_ url: URL, as name: String) async throws -> String {
    guard let parts = DocumentName.parts(name), !parts.isEmpty else {
      throw FilePackageError(.invalidName, .move, document: name)
    }
    try await session.checkFolder()
    // A placeholder has its name, too.
    return try await session.folder.location.moveIn(url, as: session.freeName(name))
  }

  /// Moves a document out of the container, to a folder of this machine; downloads it first if necessary.
  ///
  /// The next `sync()` deletes it from the container, which can restore it for thirty days.
  public func moveOut(_ name: String, to folder: URL, as newName: String) async throws -> URL {
    try await exclusively {
      try await session.download(itemNamed: name)
      return try await session.folder.location.moveOut(name, to: folder, as: newName)
    }
  }

  /// Deletes a document, as `delete(itemNamed:)`.
  public func delete(_ name: String) async throws { try await delete(itemNamed: name) }
}

extension StoredDocument {
  /// The facts of an item.
  fileprivate init(_ item: CloudItem) {
    self.init(
      name: item.name, contentType: item.contentType, modificationDate: item.modificationDate ?? .distantPast,
      size: item.size, state: item.downloadingStatus)
  }
}
