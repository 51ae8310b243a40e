import Documents
import FilePackages
public import FoundationEssentials
import GRDB

extension CloudContainer {
  /// Lists all documents of the container and of its folder, in the order of their names. It sends no request to the
  /// store.
  ///
  /// A document that a program removed from the folder is not listed, although only the next `sync()` deletes it from
  /// the container. While another process works on the folder, such a document is listed as a placeholder.
  ///
  /// Cost: one status of each file in the container folder.
  public func items() async throws -> [CloudItem] { try await listing().items }

  /// Lists the documents as `items()` does, and the other items in the folder, by one scan of the folder.
  public func listing() async throws -> ContainerListing {
    let (placed, scan) = try await placedItems()
    return ContainerListing(
      items: placed.map(\.item), leftOut: scan.leftOut, ignored: scan.ignored)
  }

  /// Returns one document; nil if there is none of that name. It sends no request to the store.
  ///
  /// Cost: one status of each file of the document; that of `items()` for a document that no `sync()` knows.
  public func item(named name: String) async throws -> CloudItem? {
    try await session.checkFolder()
    if let record = try await session.placedIfAny(name) {
      let local = try FolderScan.document(name, in: session.folder)
      // Otherwise a program has made, moved or removed a document since the last look.
      if record.head != nil, (local != nil) == (record.base != nil) {
        let isChanged = if let local { try await !session.look(local, record).isUnchanged } else { false }
        return try item(KnownDocument(record: record, local: local, isChanged: isChanged))
      }
    }
    return try await items().first { $0.name == name }
  }

  func placedItems() async throws -> (items: [(placed: KnownDocument, item: CloudItem)], scan: FolderScan) {
    try await session.checkFolder()
    // While an operation runs, a new document is listed when the operation has found it. None runs on a disk that takes
    // no writes.
    let takesWrites = session.state.obstacle == nil
    let lock = takesWrites ? try session.folder.lock() : nil
    let isAlone = lock != nil || !takesWrites
    var (placed, scan): ([KnownDocument], FolderScan)
    do {
      (placed, scan) = try await session.placedRecords(notesNew: isAlone, saves: takesWrites)
    } catch let error as DatabaseError where ContainerState.isObstacle(error) && isAlone {
      (placed, scan) = try await session.placedRecords(notesNew: true, saves: false)
    }
    withExtendedLifetime(lock) {}
    // An operation that runs may have given a document another name that this look does not know.
    if isAlone { placed.removeAll(where: \.isRemovedHere) }
    let items = try placed.map { (placed: $0, item: try item($0)) }
    return (items.sorted { ($0.item.name, $0.item.id) < ($1.item.name, $1.item.id) }, scan)
  }

  private func item(_ placed: KnownDocument) throws -> CloudItem {
    let (record, head) = (placed.record, try session.head(of: placed.record))
    let isPackage = placed.local?.isPackage ?? head?.isPackage ?? false
    return CloudItem(
      id: try record.document, name: record.name,
      url: url.appending(path: record.name, directoryHint: isPackage ? .isDirectory : .notDirectory),
      contentType: UTType(filename: record.name, isDirectory: isPackage),
      isPackage: isPackage, size: head?.size, modificationDate: head?.date,
      savingComputer: head?.contentDeviceName,
      attributes: attributes(placed, head))
  }

  private func attributes(_ placed: KnownDocument, _ head: CloudVersion?) -> UbiquitousAttributes {
    let record = placed.record
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

  /// Downloads the newest content of a document, and waits for the end.
  ///
  /// - Parameter name: the document's name in the container, such as `Travel/Trip.imageNotes`.
  /// - Throws: `noSuchFile` if the container has no document of that name; the errors of `sync()`.
  public func download(itemNamed name: String) async throws {
    try await exclusively { try await session.download(itemNamed: name) }
  }

  /// Downloads the newest content of documents, of eight placeholders at a time. A failure does not stop the other
  /// downloads.
  ///
  /// - Parameters:
  ///   - names: the documents' names in the container.
  ///   - finished: called on any thread with each name, and whether content came or the error of the download.
  /// - Throws: the errors of the store and of the task.
  public func download(
    itemsNamed names: [String],
    finished: @escaping @Sendable (_ name: String, _ outcome: Result<Bool, any Error>) -> Void = { _, _ in }
  ) async throws {
    try await exclusively { try await session.download(itemsNamed: names, finished) }
  }

  /// Brings the content of documents whose download was asked for before. A document that is removed here by now stays
  /// away.
  package func downloadWanted(itemsNamed names: [String]) async throws {
    // Each item's attributes have its error.
    try await exclusively { try await session.download(itemsNamed: names, bringsBack: false) { _, _ in } }
  }

  /// Returns the names of the documents that the last `sync()` knew of, here and in the container, in order.
  public func names() async throws -> [String] { try await session.placedNames() }

  /// Asks for the content of a document. The next `sync()` downloads it.
  ///
  /// - Throws: `noSuchFile` if the container has no document of that name.
  public func startDownloading(itemNamed name: String) async throws {
    try await session.wantContent(ofItemNamed: name)
    changed.ring()
  }

  /// Cancels the download of a document, also one that was only asked for. The document stays a placeholder, or has its
  /// earlier state on this machine.
  ///
  /// - Throws: `noSuchFile` if the container has no document of that name.
  public func cancelDownload(itemNamed name: String) async throws {
    try await session.cancelDownload(itemNamed: name)
    changed.ring()
  }

  /// Removes the content of a document from this machine; it becomes a placeholder.
  ///
  /// - Throws: `unsavedEdits` if the container does not have this machine's content; `busy` if a program has the
  ///   package open; `noSuchFile`; the errors of `sync()`.
  public func evict(itemNamed name: String) async throws {
    try await exclusively { try await session.evict(itemNamed: name) }
  }

  // MARK: Deleting

  /// Deletes a document, on this machine and in the container. `restore(_:)` restores it within thirty days.
  ///
  /// - Throws: `changedOnDisk` if another device changed the document, and this machine did not have that change yet:
  ///   the document stays. `noSuchFile`; the errors of `sync()`.
  public func delete(itemNamed name: String) async throws {
    try await exclusively { try await session.delete(itemNamed: name) }
  }

  /// Lists the deleted documents that the last `sync()` knew of, the latest deletion first.
  public func deletedItems() async throws -> [CloudVersion] { try await session.deletedVersions() }

  /// Restores a deleted document, as a placeholder.
  ///
  /// - Returns: its name, which is new if another document has the old one.
  /// - Throws: `noSuchFile`; `CloudDataError` if the store no longer has its content; the errors of `sync()`.
  @discardableResult
  public func restore(_ document: CloudDocumentID) async throws -> String {
    try await exclusively { try await session.restore(document) }
  }

  // MARK: Places

  /// Returns the name in the container of an item in the container folder: its path in the folder.
  ///
  /// - Throws: `invalidName` for a place outside the folder, or for a name that no document can have.
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
}
