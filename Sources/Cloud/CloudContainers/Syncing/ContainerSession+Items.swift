import Documents
import DurableIO
import FilePackages
import FoundationEssentials
import Synchronization
import SystemPackage

extension ContainerSession {
  /// Looks at all documents, here and in the container as far as it is known; asks the store for nothing.
  ///
  /// - Parameters:
  ///   - notesNew: whether to note new documents; the caller then holds the folder's lock.
  ///   - saves: whether the state gets them, too.
  /// - Returns: the documents, and the look at the folder.
  package func placedRecords(
    notesNew: Bool, saves: Bool = true
  ) async throws -> (documents: [KnownDocument], scan: FolderScan) {
    let (scan, documents) = try await scanFolder(notesNew: notesNew, saves: saves)
    var placed: [KnownDocument] = []
    var rest = try documents.filter { try $0.record.base != nil || head(of: $0.record)?.isDeleted != true }[
      ...]
    while !rest.isEmpty {
      for look in try await looks(at: rest) {
        guard var document = rest.popFirst() else { break }
        document.isChanged = document.local != nil
        if let local = document.local, document.hasContent {
          document.isChanged =
            if let look { !look.isUnchanged } else {
              try await !self.look(local, document.record).isUnchanged
            }
        }
        placed.append(document)
      }
    }
    return (placed, scan)
  }

  /// Returns the documents that are deleted and can be restored, with the last version of each.
  package func deletedVersions() async throws -> [CloudVersion] {
    try await state.records().compactMap { record in
      guard let head = try head(of: record), head.isDeleted else { return nil }
      return head
    }.sorted { ($0.date, $0.document) > ($1.date, $1.document) }
  }

  // MARK: Operations

  /// Brings the content of one document here.
  package func download(itemNamed name: String) async throws {
    let failure = Mutex<(any Error)?>(nil)
    try await download(itemsNamed: [name]) { _, outcome in
      if case .failure(let error) = outcome { failure.withLock { $0 = error } }
    }
    if let error = failure.withLock({ $0 }) { throw error }
  }

  /// Brings the content of documents here, of eight placeholders at a time.
  ///
  /// Cost: one look at all records, and the same for each document, whatever their number.
  ///
  /// - Parameters:
  ///   - bringsBack: whether a document that was removed here is brought back; otherwise only if it was removed before
  ///     a program asked for it.
  ///   - finished: gets each name, from any thread, with the error of its document, or whether content came.
  /// - Throws: the errors of the store and of the task; documents that are not finished are not here then.
  package func download(
    itemsNamed names: [String], bringsBack: Bool = true,
    _ finished: @escaping @Sendable (String, Result<Bool, any Error>) -> Void
  ) async throws {
    let isHere = try names.contains { try FolderScan.document($0, in: folder) != nil }
    // A change that is here may go to the container first.
    if isHere { try await lookAtLog() }
    var records = try await placedRecords(named: Set(names))
    for name in names where records[name] == nil { finished(name, .failure(notPlaced(name))) }
    let here = try names.filter { try records[$0] != nil && FolderScan.document($0, in: folder) != nil }
    transfers.beginRun()
    for name in Set(names).subtracting(here) {
      guard let record = records[name], record.base != nil else { continue }
      records[name] = bringsBack || record.isWanted ? try await asPlaceholder(record) : nil
    }
    var missing = Set(names).subtracting(here).compactMap { records[$0] }.sorted { $0.name < $1.name }
    let unwanted = missing.filter { !$0.isWanted }.map(\.id)
    for index in missing.indices { missing[index].isWanted = true }
    try await state.save(missing, setsWanted: true)
    do {
      transfers.expect(missing.map(\.id))
      let old = try await concurrentMap(missing, BlobStore.maximumCalls) { record -> DocumentRecord? in
        let outcome = try await sync(record, nil).outcome
        if !isHere, (outcome.error as? CloudDataError)?.code == .missing { return record }
        finished(record.name, outcome.download)
        return nil
      }.compactMap { $0 }
      // A collection of garbage may have taken a version that another one replaced since the last look.
      if !old.isEmpty { try await lookAtLog() }
      for record in old { finished(record.name, try await sync(current(record), nil).outcome.download) }
      for name in here {
        guard let record = records[name] else { continue }
        let local = try FolderScan.document(name, in: folder)
        finished(name, try await sync(record, local).outcome.download)
      }
    } catch {
      if Task.isCancelled {
        // No later run brings a document that its user gave up. The cancelled task itself could not write that.
        let state = state
        try await Task { try await state.setWanted(false, unwanted) }.value
      }
      throw error
    }
  }

  /// Makes a document that is not here a placeholder: a program that asks for its content does not delete it.
  private func asPlaceholder(_ record: DocumentRecord) async throws -> DocumentRecord {
    var sync = DocumentSync(self, record, nil)
    if record.base != nil { try await sync.saveForgotten() }
    return sync.record
  }

  /// Notes that the content of a document is wanted; the next run brings it, also if it was removed here.
  package func wantContent(ofItemNamed name: String) async throws {
    let record = try await placed(name)
    // Each run brings the newest content of a document that is here.
    if record.base != nil, try FolderScan.document(name, in: folder) != nil { return }
    // The rest of the record belongs to the run of this moment, also in another process.
    try await state.setWanted(true, [record.id])
  }

  /// Ends the download of a document, which then is not wanted any more if nothing of it is here.
  package func cancelDownload(itemNamed name: String) async throws {
    let record = try await placed(name)
    if record.base == nil {
      try await state.setWanted(false, [record.id])
    } else if record.isWanted, try FolderScan.document(name, in: folder) == nil {
      _ = try await asPlaceholder(record)  // The state has it.
    }
    transfers.cancelDownload(record.id)
  }

  /// Removes the content of a document from this machine; the container has it.
  ///
  /// - Throws: `unsavedEdits` if the container does not have the content that is here; `CloudDataError` if the store lost
  ///   a part of it.
  package func evict(itemNamed name: String) async throws {
    try await lookAtLog()
    let known = try await placed(name)
    guard try FolderScan.document(name, in: folder) != nil else {
      _ = try await asPlaceholder(known)  // The state has it.
      return
    }
    try await bringUpToDate(known)
    let record = try await placed(name)
    guard let local = try FolderScan.document(name, in: folder) else { return }
    try checkNotKept(name, isPackage: local.isPackage)
    var sync = DocumentSync(self, record, local)
    try await sync.evict()
  }

  /// Deletes a document, here and in the container. For thirty days it can be restored.
  ///
  /// - Throws: `changedOnDisk` if another device changed it, and this user has not seen that: the document stays.
  package func delete(itemNamed name: String) async throws {
    let known = try await placed(name)
    try await lookAtLog()
    let record = try await current(known)
    guard let local = try FolderScan.document(name, in: folder) else {
      // The user has not seen what came with this look.
      if record.head != known.head, try head(of: record)?.isDeleted == false { throw changedElsewhere(name) }
      return try await deletePlaceholder(record)
    }
    let url = try folder.url(of: name, isPackage: local.isPackage)
    // The last content goes to the container first, so that it can be restored.
    let (outcome, _) = try await sync(record, local)
    if let error = outcome.error { throw error }
    if outcome.downloaded || outcome.merged || outcome.conflict { throw changedElsewhere(name) }
    try await FileCoordinator().coordinate(writingItemAt: url, options: .forDeleting) { _ in
      try await folder.location.delete(name)
    }
    try await bringUpToDate(try await current(record))
  }

  private func deletePlaceholder(_ record: DocumentRecord) async throws {
    var record = record
    guard let head = try head(of: record), !head.isDeleted else { return }
    // A request of before does not count.
    if record.isWanted { try await state.setWanted(false, [record.id]) }
    var version = nextVersion(after: head)
    version.isDeleted = true
    if try await commit(version, of: &record, since: nil) { return }
    if try self.head(of: record)?.isDeleted != true { throw changedElsewhere(record.name) }
  }

  private func changedElsewhere(_ name: String) -> FilePackageError {
    FilePackageError(
      .changedOnDisk, .delete, document: name,
      reason: "another device has changed it")
  }

  /// A version after another one with the same content, by this device.
  func nextVersion(after head: CloudVersion) -> CloudVersion {
    var version = head
    version.sequence += 1
    version.contentDevice = head.contentDeviceName
    (version.device, version.deviceName, version.date) = (settings.device, settings.deviceName, now())
    return version
  }

  func current(_ record: DocumentRecord) async throws -> DocumentRecord {
    try await state.record(record.document) ?? record
  }

  func bringUpToDate(_ record: DocumentRecord) async throws {
    let (outcome, _) = try await sync(record, FolderScan.document(record.name, in: folder))
    if let error = outcome.error { throw error }
  }

  /// Returns the record of a document by its name.
  ///
  /// - Throws: `noSuchFile`.
  package func placed(_ name: String) async throws -> DocumentRecord {
    guard let record = try await placedIfAny(name) else { throw notPlaced(name) }
    return record
  }

  private func notPlaced(_ name: String) -> FilePackageError {
    FilePackageError(.noSuchFile, .open, document: name, reason: "the container has no document of that name")
  }

  /// Returns the record of a document by its name; nil if there is none.
  package func placedIfAny(_ name: String) async throws -> DocumentRecord? {
    try await placedRecords(named: [name])[name]
  }

  /// Returns the names of all documents, or of those that are or are in an item, in order; looks at no file.
  package func placedNames(within item: String? = nil) async throws -> [String] {
    let records = if let item { try await state.records(within: item) } else { try await state.records() }
    return try owners(of: records).keys.sorted()
  }

  /// Returns the records of documents by their names.
  private func placedRecords(named names: Set<String>) async throws -> [String: DocumentRecord] {
    let records = try await state.records(named: names)
    return try owners(of: records).mapValues { records[$0] }
  }
}
