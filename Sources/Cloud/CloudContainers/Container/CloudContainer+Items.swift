import Documents
import FilePackages
public import FoundationEssentials

extension CloudContainer {
  /// Lists all documents of the container and those in its folder, by name; asks the store for nothing.
  ///
  /// A document that a program removed from the folder is not listed, although the next `sync()` deletes it from the
  /// container. While another process brings the folder up to date, it is listed as a placeholder.
  ///
  /// Cost: a look at the status of each file in the container folder.
  public func items() async throws -> [CloudItem] { try await listing().items }

  /// Lists the documents as `items()` does, and the other items in the folder, with one look at it.
  public func listing() async throws -> ContainerListing {
    let (placed, scan) = try await placedItems()
    return ContainerListing(
      items: placed.map(\.item), leftOut: scan.leftOut.map(\.description), ignored: scan.ignored)
  }

  func placedItems() async throws -> (items: [(placed: PlacedRecord, item: CloudItem)], scan: FolderScan) {
    // While an operation runs, a new document is listed when the operation has found it.
    let lock = try session.folder.lock()
    var (placed, scan) = try await session.placedRecords(notesNew: lock != nil)
    withExtendedLifetime(lock) {}
    // An operation that runs may have given a document another name that this look does not know.
    if lock != nil { placed.removeAll(where: \.isRemovedHere) }
    let items = try placed.map { (placed: $0, item: try item($0)) }
    return (items.sorted { ($0.item.name, $0.item.id) < ($1.item.name, $1.item.id) }, scan)
  }

  /// Returns the items now, and after each operation of this object.
  ///
  /// A slow listener gets the newest items alone. The sequence ends with an error of the disk, or with its task.
  public func updates() -> AsyncThrowingStream<[CloudItem], any Error> {
    let changes = changed.listen()
    return AsyncThrowingStream { continuation in
      let task = Task {
        do {
          continuation.yield(try await items())
          for await _ in changes { continuation.yield(try await items()) }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  private func item(_ placed: PlacedRecord) throws -> CloudItem {
    let (record, head) = (placed.record, placed.head)
    let isPackage = placed.local?.isPackage ?? head?.isPackage ?? false
    return CloudItem(
      id: try record.document, name: record.name,
      url: url.appending(path: record.name, directoryHint: isPackage ? .isDirectory : .notDirectory),
      contentType: UTType(
        filename: record.name.split(separator: "/").last.map(String.init) ?? record.name,
        isDirectory: isPackage),
      isPackage: isPackage, size: head?.size, modificationDate: head?.date,
      savingComputer: head?.contentDeviceName,
      attributes: attributes(placed))
  }

  private func attributes(_ placed: PlacedRecord) -> UbiquitousAttributes {
    let (record, head) = (placed.record, placed.head)
    let isHere = placed.local != nil
    let transfer = session.transfers.progress(of: record.id)
    let isCurrent = head.map { Data($0.root.bytes) == record.base } ?? true
    var attributes = UbiquitousAttributes()
    attributes.downloadingStatus = isHere ? (isCurrent ? .current : .downloaded) : .notDownloaded
    attributes.isDownloading = transfer?.isUpload == false || !isHere && record.isWanted
    attributes.percentDownloaded =
      transfer.flatMap { $0.isUpload ? nil : $0.percent } ?? (isHere ? 100 : 0)
    attributes.isUploaded = !placed.isChanged && head != nil
    attributes.isUploading = transfer?.isUpload == true
    attributes.percentUploaded =
      transfer.flatMap { $0.isUpload ? $0.percent : nil } ?? (placed.isChanged ? 0 : 100)
    attributes.hasUnresolvedConflicts = head?.conflicts.isEmpty == false
    attributes.downloadingError = record.downloadingError
    attributes.uploadingError = record.uploadingError
    return attributes
  }

  // MARK: Content

  /// Brings the content of a document here, in its newest state, and waits for it.
  ///
  /// - Parameter name: the document's name in the container, such as `Travel/Trip.imageNotes`.
  /// - Throws: `noSuchFile` if the container has no document of that name; the errors of `sync()`.
  public func download(itemNamed name: String) async throws {
    try await exclusively { try await session.download(itemNamed: name) }
  }

  /// Brings the content of documents here, of eight placeholders at a time. A document that fails stops no other.
  ///
  /// - Parameters:
  ///   - names: the documents' names in the container.
  ///   - finished: gets each name with the error of its document, from any thread; nil if it is here.
  /// - Throws: the errors of the store and of the task.
  public func download(
    itemsNamed names: [String],
    finished: @escaping @Sendable (_ name: String, _ error: (any Error)?) -> Void = { _, _ in }
  ) async throws {
    try await exclusively { try await session.download(itemsNamed: names, finished) }
  }

  /// Returns the names of the documents that the last `sync()` knew of, here and in the container, in order.
  public func names() async throws -> [String] { try await session.placedNames() }

  /// Asks for the content of a document. The next `sync()` brings it.
  ///
  /// - Throws: `noSuchFile` if the container has no document of that name.
  public func startDownloading(itemNamed name: String) async throws {
    try await session.wantContent(ofItemNamed: name)
    changed.ring()
  }

  /// Ends the download of a document, also one that was only asked for. The document stays a placeholder, or in the
  /// state that is here.
  ///
  /// - Throws: `noSuchFile` if the container has no document of that name.
  public func cancelDownload(itemNamed name: String) async throws {
    try await session.cancelDownload(itemNamed: name)
    changed.ring()
  }

  /// Removes the content of a document from this machine; it becomes a placeholder.
  ///
  /// - Throws: `unsavedEdits` if the container does not have the content that is here; `noSuchFile`; the errors of
  ///   `sync()`.
  public func evict(itemNamed name: String) async throws {
    try await exclusively { try await session.evict(itemNamed: name) }
  }

  // MARK: Deleting

  /// Deletes a document, here and in the container. `restore(_:)` brings it back within thirty days.
  ///
  /// - Throws: `changedOnDisk` if another device changed the document, and that was not here yet: the document stays.
  ///   `noSuchFile`; the errors of `sync()`.
  public func delete(itemNamed name: String) async throws {
    try await exclusively { try await session.delete(itemNamed: name) }
  }

  /// Lists the deleted documents that the last `sync()` knew of, the last one first.
  public func deletedItems() async throws -> [CloudVersion] { try await session.deletedVersions() }

  /// Brings a deleted document back, as a placeholder.
  ///
  /// - Returns: its name: another one if a document has its old name.
  /// - Throws: `noSuchFile`; `CloudDataError` if its content is gone; the errors of `sync()`.
  @discardableResult
  public func restore(_ document: CloudDocumentID) async throws -> String {
    try await exclusively { try await session.restore(document) }
  }

  // MARK: Places

  /// Returns the name in the container of an item in the container folder.
  ///
  /// - Throws: `invalidName` for a place outside the folder.
  public func name(ofItemAt item: URL) throws -> String {
    let (root, path) = (
      url.standardized.path(percentEncoded: false), item.standardized.path(percentEncoded: false)
    )
    let prefix = root.hasSuffix("/") ? root : root + "/"
    let name = String(path.dropFirst(prefix.count).reversed().drop { $0 == "/" }.reversed())
    guard path.hasPrefix(prefix), DocumentName.isValid(name) else {
      throw FilePackageError(
        .invalidName, .open, document: item.path, reason: "it is not in the container folder '\(url.path)'")
    }
    return name
  }

  /// Asks for the content of the document at a place in the container folder. The next `sync()` brings it.
  public func startDownloading(itemAt item: URL) async throws {
    try await startDownloading(itemNamed: name(ofItemAt: item))
  }

  /// Ends the download of the document at a place in the container folder, as `cancelDownload(itemNamed:)`.
  public func cancelDownload(itemAt item: URL) async throws {
    try await cancelDownload(itemNamed: name(ofItemAt: item))
  }

  /// Removes the content of the document at a place in the container folder, as `evict(itemNamed:)`.
  public func evict(itemAt item: URL) async throws { try await evict(itemNamed: name(ofItemAt: item)) }
}
