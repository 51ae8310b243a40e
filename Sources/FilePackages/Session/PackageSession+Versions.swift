import DurableIO
import SystemPackage

// (1) A node that a save took out of the package is renamed into the folder for versions instead of unlinked. Until
//     then it is among the staged files, and the journal's record says which version it belongs to.
// (2) The history file and the folder for versions are durable before the journal goes or starts again. After any power
//     cut either they have the version, or the journal and the staged files do.
// (3) Versions are added in the order of their saves. Without room for a version, it waits in the journal, which then
//     stays.

extension PackageSession {
  /// Loads the end of the history; with the lock held.
  func loadHistory() throws(SystemError) {
    let name = PackageLayout.history
    guard let status = try disk.statusIfPresent(of: name, in: hidden.folder) else {
      return history = nil
    }
    if let history, history.isCurrent(status) { return }
    do {
      // The versions that a journal has may not be durable in the file.
      history =
        journal?.keeping.isEmpty == false
        ? try HistoryFile.load(in: hidden.folder, on: disk)?.end
        : try HistoryEnd.load(in: hidden.folder, on: disk)
    } catch  where error.code == .illegalByteSequence {
      // Nothing touches a damaged history: saving goes on without it, and `docpkg verify` reports it.
      history = nil
      hasDamagedHistory = true
    }
  }

  /// Whether the next save keeps the version that it replaces.
  var keepsHistory: Bool { history != nil || live?.version != nil }

  /// Adds the versions that only the journal has, and moves their nodes from the staging folder to the folder for
  /// versions.
  func keepVersions() throws(SystemError) {
    let waiting = journal?.live?.sequence
    let records = (journal?.keeping ?? []).filter { $0.sequence != waiting }
    versionsAreKept = false
    if !records.isEmpty && !hasDamagedHistory {
      try openHistory(for: records[0])
      guard let whole = try wholeHistory() else { throw HistoryFile.isNone }
      let missing = Set(whole.missing(records.compactMap(\.version)).map(\.next))
      for record in records {
        try moveReplaced(of: record, looking: true)
        if let version = record.version, missing.contains(version.next) { try append(version) }
      }
    }
    versionsAreKept = true
  }

  /// Keeps the version that a record of this session replaced.
  ///
  /// - Returns: false if it is not kept yet.
  func keepVersion(of publisher: Publisher) -> Bool {
    let record = publisher.record
    guard let version = record.version, !hasDamagedHistory else { return true }
    do throws(SystemError) {
      // (3)
      guard versionsAreKept else {
        try keepVersions()
        return true
      }
      try openHistory(for: record)
      versionsAreKept = false
      try moveReplaced(of: record, looking: publisher.mustLook)
      try append(version)
      versionsAreKept = true
      return true
    } catch {
      return false
    }
  }

  /// Renames second names of moved files into the folder for versions.
  ///
  /// A file that moved and the kept node of its old place are one file. The rename changes the status time of both
  /// names, so it comes before any store notes the file's status. A name that cannot be renamed yet goes with the rest.
  func moveSecondNames(of publisher: Publisher) {
    let record = publisher.record
    guard record.version != nil, !hasDamagedHistory,
      record.operations.contains(where: { $0.needsStaged && $0.puts != .directory })
    else { return }
    try? moveReplaced(of: record, looking: publisher.mustLook)
  }

  /// Returns all versions, with those that this session has added; nil if there is no history.
  func wholeHistory() throws(SystemError) -> HistoryFile? {
    let found = try HistoryFile.load(in: hidden.folder, on: disk)
    guard let history, let found, found.end.tip != history.tip else { return found }
    // The versions that this session knows come after a damaged part.
    return try HistoryFile.load(in: hidden.folder, on: disk, skipsDamage: true)
  }

  private func openHistory(for record: JournalRecord) throws(SystemError) {
    if history != nil { return }
    if let found = try HistoryFile.load(in: hidden.folder, on: disk) { return history = found.end }
    // Once for a document: the history file gets its name whole.
    let made = HistoryFile(tip: record.version?.revision ?? .none)
    let name = PackageLayout.newHistory
    if try disk.exists(name, in: hidden.folder) { try disk.removeFile(name, in: hidden.folder) }
    let file = try disk.createFile(name, in: hidden.folder, mode: 0o666)
    try disk.write(made.header, to: file, at: 0)
    try disk.synchronize(file)
    try disk.rename(name, in: hidden.folder, to: PackageLayout.history, in: hidden.folder, .replace)
    var end = made.end
    end.isFile(try disk.status(of: file).identity, length: end.offset)
    historyIsNew = true
    historyIsSynchronized = false
    history = end
  }

  private func append(_ version: VersionRecord) throws(SystemError) {
    // A program that was cut short may have added it before the mark was durable.
    guard var history, history.tip != version.next else { return }
    let end = UInt64(history.offset)
    do {
      let bytes = try history.append(version)
      historyIsSynchronized = false
      try disk.write(bytes, to: disk.openFileForWriting(PackageLayout.history, in: hidden.folder), at: end)
      self.history = history
    } catch {
      // The next call reads the file again.
      self.history = nil
      throw error as? SystemError ?? SystemError("write", PackageLayout.history, code: .invalidArgument)
    }
  }

  func versionsFolder() throws(SystemError) -> OpenNode {
    if let versions { return versions }
    if try disk.makeDirectoryIfAbsent(PackageLayout.versions, in: hidden.folder) {
      // Once for a document: before anything in the folder counts as durable.
      try disk.synchronize(hidden.folder)
    }
    let folder = OpenNode(try disk.openDirectory(PackageLayout.versions, in: hidden.folder))
    versions = folder
    return folder
  }

  /// (1)
  private func moveReplaced(of record: JournalRecord, looking: Bool) throws(SystemError) {
    for operation in record.operations {
      guard let name = operation.keptName else { continue }
      try moveReplaced(of: operation, as: name, looking: looking)
    }
  }

  /// Renames the node that an operation took out into the folder for versions.
  ///
  /// If it is not among the staged files, it is already there, or it is a conflict version. Then the version says that
  /// it is lost.
  func moveReplaced(
    of operation: JournalRecord.Operation, as name: FileName, looking: Bool
  ) throws(SystemError) {
    var source: FileName? = name
    if looking { source = try replaced(by: operation, name) }
    guard let source else { return }
    do {
      let folder = try versionsFolder()
      historyIsSynchronized = false
      try disk.rename(
        source, in: hidden.staging.descriptor, to: name, in: folder.descriptor, .replace)
      movedReplaced = true
    } catch  where error.code == .noSuchFileOrDirectory {
      return
    }
  }

  /// Returns the name among the staged files of the node that an operation replaced, not of the node that it put.
  private func replaced(
    by operation: JournalRecord.Operation, _ name: FileName
  ) throws(SystemError) -> FileName? {
    guard let old = operation.old else { return nil }
    for candidate in [name, name.rewritten, name.movedAway, name.rewritten.movedAway] {
      guard let status = try disk.statusIfPresent(of: candidate, in: hidden.staging.descriptor),
        status.kind == old.kind
      else { continue }
      if old.isSame(as: status) { return candidate }
      guard let content = old.content,
        old.kind == .symbolicLink || old.kind == .file && status.size == old.size
      else { continue }
      if try disk.contentHash(of: candidate, old.kind, in: hidden.staging.descriptor) == content {
        return candidate
      }
    }
    return nil
  }

  /// Syncs the staging folder. A name that is gone from it must first be durable in the folder for versions.
  func synchronizeStaging() throws(SystemError) {
    if !historyIsSynchronized, let versions { try disk.synchronize(versions.descriptor) }
    try disk.synchronize(hidden.staging.descriptor)
  }

  /// (2)
  func synchronizeHistory() throws(SystemError) {
    guard !historyIsSynchronized else { return }
    if history != nil {
      try disk.synchronizeData(disk.openFileForWriting(PackageLayout.history, in: hidden.folder))
    }
    if let versions { try disk.synchronize(versions.descriptor) }
    if historyIsNew { try disk.synchronize(hidden.folder) }
    (historyIsNew, historyIsSynchronized) = (false, true)
  }
}

extension JournalRecord.Operation {
  /// The kind of the node that it puts.
  fileprivate var puts: FileKind? {
    if case .put(let staged) = action { staged.node.kind } else { nil }
  }
}
