import DurableIO
import FilePackages
import FoundationEssentials
import ObjectStores

// A document that is missing counts as deleted only if the state says that it was here, the folder is the one of
//     the state and no copy, and every folder that could hold it was read.

extension ContainerSession {
  /// Brings the container folder and the container together.
  ///
  /// A document that fails does not stop the others. A failed look at the log, or a failed connection, ends the run.
  package func sync() async throws -> SyncReport {
    var report = SyncReport()
    transfers.beginRun()
    try await probeIfMoved()
    let news = try await lookAtLog()
    (report.discovered, report.lost) = (news.documents.count, news.lost)
    report.documents = news.renamed.map { SyncReport.Document(name: $0.new, oldName: $0.old) }
    let problems = isPlan ? [] : try await saveLost()
    try await wantKeptDocuments()
    var failed: Set<String> = []
    // The next round finds what this one makes, such as a document under a new name. A failure waits for the next run.
    for round in 0..<4 {
      let (scan, documents) = try await scanFolder()
      report.problems = problems
      report.problems += scan.unreadable.map {
        FilePackageError(
          FilePackageError.Code($0.error.code), .search, document: $0.prefix, reason: "\($0.error)")
      }
      report.leftOut = scan.leftOut
      let names = try liveNames(of: documents.map(\.record))
      let due = documents.filter { $0.isCertain && !failed.contains($0.record.name) }
      let outcomes = try await bringUpToDate(due, among: names)
      for outcome in outcomes where outcome.error != nil { failed.insert(outcome.name) }
      report.documents += outcomes.filter(\.isNews)
      let isDone = !outcomes.contains(where: \.conflict)
      if isDone || isPlan || round == 3 { break }
    }
    if isPlan { return report }
    // A snapshot only spares requests.
    for step in [join, { try await self.writeDueSnapshot() }] {
      if case .failure(let error) = try await checking(nil, step) { report.problems.append(error) }
    }
    return report
  }

  /// Brings one document up to date.
  ///
  /// - Parameters:
  ///   - seen: a look at the document, which may be older than its last change.
  ///   - names: the names of all documents; nil to read them if they are needed.
  /// - Returns: the outcome, and the record as it is now.
  func sync(
    _ record: DocumentRecord, _ local: LocalDocument?, seen: LocalTree? = nil, among names: LiveNames? = nil
  ) async throws -> (outcome: SyncReport.Document, record: DocumentRecord) {
    var sync = DocumentSync(self, record, local, seen: seen, among: names)
    do {
      try await isPlan ? sync.plan() : sync.run()
      if !isPlan { try await sync.forgetErrors() }
    } catch let error where Self.endsRun(error) || state.isDamaged {
      throw error
    } catch {
      let error = Self.naming(record.name, in: error)
      sync.report.error = error
      // A failure leaves what a kill would: the record in memory may have what the state did not get.
      var failed = try await state.record(record.document) ?? record
      if (error as? FilePackageError)?.code == .cancelled {
        // Its user knows.
      } else if local == nil {
        failed.downloadingError = "\(error)"
      } else {
        failed.uploadingError = "\(error)"
      }
      try await state.save(failed)
      sync.record = failed
    }
    transfers.finish(record.id)
    return (sync.report, sync.record)
  }

  /// Returns an error with the name of its document.
  private static func naming(_ document: String, in error: any Error) -> any Error {
    guard var error = error as? CloudDataError, error.document == nil else { return error }
    error.document = document
    return error
  }

  /// Returns whether an error is one of the store or of the task, so that other documents would fail as well.
  ///
  /// The error of an object that the store refuses is a `CloudDataError`.
  static func endsRun(_ error: any Error) -> Bool { error is ObjectStoreError || error is CancellationError }

  /// Probes a store with another address or endpoint than the one that was probed.
  private func probeIfMoved() async throws {
    if isPlan { return }
    if try await state.text(.probed) == settings.storePlace { return }
    try await StoreProbe(store).check()
    try await noteProbe()
  }

  /// Notes that the store was probed.
  package func noteProbe() async throws { try await state.set(.probed, to: settings.storePlace) }

  /// Checks that the folder is the one that the state knows. A copy may lack documents, which nobody deleted, and it has
  /// the identity of this device as well.
  ///
  /// - Throws: `unsupported` for a copy.
  package func checkFolder() async throws {
    guard try state.isInPlace() else {
      throw FilePackageError(
        .changedOnDisk, .open, document: folder.url.path,
        reason: "its state was damaged, and another program has made it again; open the folder again")
    }
    let identity = try folder.identity()
    guard let known = try await state.text(.folder) else { return try await noteFolder() }
    if known == identity { return }
    throw FilePackageError(
      .unsupported, .open, document: folder.url.path,
      reason: "it is a copy of a container folder, or comes from a backup. Nothing was changed. "
        + "'docpkg cloud leave' and then 'docpkg cloud add' make it a container folder of its own")
  }

  /// Notes that the state is that of the folder.
  package func noteFolder() async throws { try await state.set(.folder, to: try folder.identity()) }

  /// Looks at the folder.
  ///
  /// - Parameters:
  ///   - notesNew: whether to note new and moved documents; the caller then holds the folder's lock.
  ///   - saves: whether the state gets them, too.
  /// - Returns: the look, and all documents with their places.
  /// - Throws: `FilePackageError`; also for rules that cannot be read, as no document may go to the container then.
  func scanFolder(
    notesNew: Bool = true, saves: Bool = true
  ) async throws -> (scan: FolderScan, documents: [KnownDocument]) {
    var records = try await state.records()
    let scan = try await scan(knowing: records)
    if notesNew { records = try await match(scan, records, saves: saves) }
    let owners = try self.owners(of: records)
    let documents = records.enumerated().map { index, record in
      let isOwner = owners[record.name] == index
      let local = isOwner && record.node != nil ? scan.documents[record.name] : nil
      let isCertain = local != nil || !scan.mayHide(record.name) && (isOwner || record.base == nil)
      return KnownDocument(record: record, local: local, isCertain: isCertain)
    }
    return (scan, documents)
  }

  private func scan(knowing records: [DocumentRecord]) async throws -> FolderScan {
    var known = KnownItems(try folder.ignoreRules())
    for record in records { known.note(record, try head(of: record)) }
    return try await BlockingThread().run { [folder, known] () throws in
      try folder.path.attempt(.search) { try FolderScan(folder, knowing: known) }
    }
  }

  // MARK: Matching

  /// Finds the document of each record, under a new name if a program moved it, and makes records of new documents.
  ///
  /// - Parameter saves: whether the state gets the changes.
  private func match(
    _ scan: FolderScan, _ known: [DocumentRecord], saves: Bool
  ) async throws -> [DocumentRecord] {
    var records = known
    var changed = try releasePlaceholders(&records, scan)
    let owners = try self.owners(of: records)
    var missing: [DocumentNodeID: Int] = [:]
    var generator = SystemRandomNumberGenerator()
    for (index, record) in records.enumerated() where record.base != nil && owners[record.name] == index {
      if scan.documents[record.name] == nil, let node = record.node { missing[node] = index }
    }
    for document in scan.documents.values.sorted(by: { $0.name < $1.name }) {
      if let index = owners[document.name] {
        if records[index].node != document.node {
          records[index].node = document.node
          changed.insert(index)
        }
      } else if let index = missing.removeValue(forKey: document.node) {
        records[index].name = document.name
        changed.insert(index)
      } else {
        var record = DocumentRecord(id: .random(using: &generator), name: document.name)
        record.node = document.node
        records.append(record)
        changed.insert(records.count - 1)
      }
    }
    // A new document that is gone again before it was uploaded.
    let gone = records.filter {
      $0.head == nil && scan.documents[$0.name] == nil && !scan.mayHide($0.name)
    }
    let lost = Set(gone.map(\.id))
    if saves {
      for record in gone { try await state.remove(record) }
      try await state.save(changed.map { records[$0] }.filter { !lost.contains($0.id) })
    }
    return records.filter { !lost.contains($0.id) }
  }

  /// Gives each placeholder the container's name, and takes the file from it that had its name and is gone by now.
  ///
  /// - Returns: the indices of the records that changed.
  private func releasePlaceholders(_ records: inout [DocumentRecord], _ scan: FolderScan) throws -> Set<Int> {
    let owners = try self.owners(of: records)
    var changed: Set<Int> = []
    for (index, record) in records.enumerated() where record.base == nil {
      guard let head = try head(of: record) else { continue }
      let hasFile = owners[record.name] == index && scan.documents[record.name] != nil
      if record.name == head.name, record.node == nil || hasFile { continue }
      (records[index].name, records[index].node) = (head.name, nil)
      changed.insert(index)
    }
    return changed
  }

  /// Returns the index of the record of each name on disk. Of several records of a name, one alone has the document.
  func owners(of records: [DocumentRecord]) throws -> [String: Int] {
    var owners: [String: Int] = [:]
    for (index, record) in records.enumerated() {
      guard try head(of: record).map({ !$0.isDeleted }) ?? true || record.base != nil else { continue }
      if let other = owners[record.name], Self.rank(records[other]) <= Self.rank(record) { continue }
      owners[record.name] = index
    }
    return owners
  }

  /// The claim of a record to a document of its name, the smallest first.
  static func rank(_ record: DocumentRecord) -> Int {
    if record.base != nil { return 0 }
    return record.head == nil ? 1 : 2
  }
}
