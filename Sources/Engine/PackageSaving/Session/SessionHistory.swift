import DurableIO
import FileTrees
import FoundationEssentials
import PackageFormat
import SystemPackage

/// The history file and the folder of kept files, as one session has them open.
final class SessionHistory {
  private let hidden: HiddenFolder
  private var disk: any Disk { hidden.disk }
  /// The end of the history file; nil if there is none.
  package private(set) var end: HistoryEnd?
  /// The folder for nodes that only versions have; nil until it is needed.
  private var folder: OpenNode?
  private(set) var isSynchronized = true
  /// Whether the entries of the two in the hidden folder are not synchronised yet.
  private var isNew = false
  /// Whether the history has every version that the journal has.
  private(set) var hasAll = true
  /// Whether a node was renamed for a version, which may have been a second name of a file.
  var movedNodes = false
  /// Whether there is a history that cannot be read.
  private(set) var isDamaged = false
  /// The states that the journal's versions lead to: those may not be durable in the file (H2).
  private var vouched: Set<UUID> = []
  /// The states that a version may lead to: that on disk, and that before a save that waits; nil for any.
  private var states: Set<UUID>?

  init(_ hidden: HiddenFolder) { self.hidden = hidden }

  /// Returns whether the history is due to be thinned, once.
  func takeDueness() -> Bool { end?.takeDueness() == true }

  /// Takes up a journal that another session left: its versions may not be durable elsewhere.
  ///
  /// - Parameter state: the state on disk; nil if it is not known.
  func takeUp(_ journal: JournalFile?, over state: UUID?) throws(SystemError) {
    end = nil
    hasAll = false
    vouched = Set((journal?.keeping ?? []).compactMap(\.version?.next))
    states = state.map { state in Set([state] + (journal?.live?.batch.map { [$0.parent] } ?? [])) }
    if !vouched.isEmpty {
      isSynchronized = false
      if folder == nil, try disk.exists(PackageLayout.kept, in: hidden.folder) { _ = try openFolder() }
    }
    try load(journal)
    // A history that began with this journal may not have a durable name.
    if let end, let first = journal?.keeping.first?.version, end.beginning == first.revision { isNew = true }
  }

  /// Loads the end of the history; with the lock held.
  func load(_ journal: JournalFile?) throws(SystemError) {
    let name = PackageLayout.history
    guard let status = try disk.statusIfPresent(of: name, in: hidden.folder) else {
      return end = nil
    }
    if let end, end.isCurrent(status) { return }
    do {
      end = try HistoryEnd.load(in: hidden.folder, on: disk, besides: vouched)
    } catch  where error.code == .illegalByteSequence {
      // Nothing touches a damaged history: saving goes on without it, and `docpkg verify` reports it.
      end = nil
      isDamaged = true
    }
  }

  /// Adds the versions that only the journal has, and moves their nodes from the staging folder to the folder for
  /// versions (H1).
  ///
  /// - Parameters:
  ///   - published: a record that is published although the journal has it waiting.
  ///   - hasStaged: whether there is anything in the staging folder.
  func addVersions(
    of journal: JournalFile?, published: JournalRecord? = nil, hasStaged: Bool = true
  ) throws(SystemError) {
    let waiting = journal?.live?.sequence
    let records = (journal?.keeping ?? []).filter {
      $0.sequence != waiting || $0.sequence == published?.sequence
    }
    hasAll = false
    if let last = records.last?.version, !isDamaged {
      var missing: Set<UUID> = []
      if end?.tip != last.next, states?.contains(last.next) != false {
        try open(for: records[0])
        guard let whole = try whole() else { throw HistoryFile.isNone }
        missing = Set(whole.missing(records.compactMap(\.version), before: states).map(\.next))
      }
      for record in records {
        if hasStaged { try moveReplaced(of: record, looking: true) }
        if let version = record.version, missing.contains(version.next) { try append(version) }
      }
    }
    hasAll = true
  }

  /// Keeps the version that a record of this session replaced.
  ///
  /// - Returns: false if it is not kept yet.
  func addVersion(of publisher: Publisher, _ journal: JournalFile?) -> Bool {
    let record = publisher.record
    if let batch = record.batch { states = [batch.revision] }
    guard let version = record.version, !isDamaged else { return true }
    do throws(SystemError) {
      // Versions are added in the order of their saves. Without room for one, it waits in the journal, and that stays.
      guard hasAll else {
        try addVersions(of: journal, published: record)
        return true
      }
      try open(for: record)
      hasAll = false
      try moveReplaced(of: record, looking: publisher.mustLook)
      try append(version)
      hasAll = true
      return true
    } catch {
      return false
    }
  }

  /// Renames second names of moved files into the folder of kept files.
  ///
  /// A file that moved and the kept node of its old place are one file. The rename changes the status time of both
  /// names, so it comes before any store notes the file's status. A name that cannot be renamed yet goes with the rest.
  func moveSecondNames(of publisher: Publisher) {
    let record = publisher.record
    guard record.version != nil, !isDamaged,
      record.operations.contains(where: \.needsStaged)
    else { return }
    // A name that cannot be renamed yet moves with the rest.
    try? moveReplaced(of: record, looking: publisher.mustLook)
  }

  /// Returns all versions, with those that this session has added; nil if there is no history.
  func whole() throws(SystemError) -> HistoryFile? {
    try HistoryFile.load(in: hidden.folder, on: disk, besides: vouched)
  }

  private func open(for record: JournalRecord) throws(SystemError) {
    if end != nil { return }
    if let found = try whole() { return end = found.end }
    // Once for a document: the history file gets its name whole.
    let made = HistoryFile(tip: record.version?.revision ?? .none)
    let file = try disk.replace(PackageLayout.history, by: PackageLayout.newHistory, in: hidden.folder) {
      file throws(SystemError) in try disk.write(made.header, to: file, at: 0)
    }
    var end = made.end
    end.isFile(try disk.status(of: file).identity, length: end.offset)
    isNew = true
    isSynchronized = false
    self.end = end
  }

  private func append(_ version: VersionRecord) throws(SystemError) {
    // A program that was cut short may have added it before the mark was durable.
    guard var end, end.tip != version.next else { return }
    let offset = UInt64(end.offset)
    do {
      let bytes = try end.append(version)
      isSynchronized = false
      let file = try disk.openOwnFile(
        PackageLayout.history, copiedAs: PackageLayout.newHistory, in: hidden.folder)
      try disk.write(bytes, to: file, at: offset)
      self.end = end
    } catch {
      // The next call reads the file again.
      self.end = nil
      throw error as? SystemError ?? SystemError("write", PackageLayout.history, code: .invalidArgument)
    }
  }

  func openFolder() throws(SystemError) -> OpenNode {
    if let folder { return folder }
    if try disk.makeDirectoryIfAbsent(PackageLayout.kept, in: hidden.folder) {
      // Once for a document: before anything in the folder counts as durable.
      try disk.synchronize(hidden.folder)
    }
    let folder = OpenNode(try disk.openDirectory(PackageLayout.kept, in: hidden.folder))
    self.folder = folder
    return folder
  }

  /// Renames the nodes that a save took out of the package into the folder of kept files instead of unlinking them.
  ///
  /// Until then they are among the staged files, and the record says which version they belong to.
  private func moveReplaced(of record: JournalRecord, looking: Bool) throws(SystemError) {
    for operation in record.operations { try moveReplaced(of: operation, looking: looking) }
  }

  /// Renames the node that an operation took out into the folder of kept files.
  ///
  /// If it is not among the staged files, it is already there, or it is a conflict version. Then the version says that
  /// it is lost.
  func moveReplaced(of operation: JournalRecord.Operation, looking: Bool) throws(SystemError) {
    guard operation.keptName != nil, let old = operation.old, let content = old.content,
      let name = operation.takenName, let source = looking ? try replaced(by: operation, name) : name
    else { return }
    do {
      try keep(source, in: hidden.staging.descriptor, old.kind, content)
      movedNodes = true
    } catch  where error.code == .noSuchFileOrDirectory {
      return
    }
  }

  /// Renames a file or link with that content to its name among the kept ones.
  func keep(
    _ source: FileName, in staged: borrowing OwnedDescriptor, _ kind: FileKind, _ content: ContentHash
  ) throws(SystemError) {
    let (name, folder) = (FileName(keeping: content, kind), try openFolder())
    isSynchronized = false
    do {
      try disk.rename(source, in: staged, to: name, in: folder.descriptor, .noReplace)
    } catch  where error.code == .fileExists || error.isLackOfRule {
      // A program may read the kept file; it stays if it is whole.
      let known = try disk.statusIfPresent(of: name, in: folder.descriptor)
      if known?.kind == kind, try disk.contentHash(of: name, kind, in: folder.descriptor) == content {
        try disk.removeFile(source, in: staged)
      } else {
        try disk.rename(source, in: staged, to: name, in: folder.descriptor, .replace)
      }
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
      guard let content = old.content, old.kind == .symbolicLink || status.size == old.size else { continue }
      if try disk.contentHash(of: candidate, old.kind, in: hidden.staging.descriptor) == content {
        return candidate
      }
    }
    return nil
  }

  /// The folder of kept files if it may have names that are not durable.
  var unsynchronizedFolder: OpenNode? { isSynchronized ? nil : folder }

  /// Makes the history file and the folder of kept files durable, before the journal goes or starts again (H3).
  func synchronize() throws(SystemError) {
    guard !isSynchronized else { return }
    if end != nil {
      try disk.synchronizeData(disk.openFileForWriting(PackageLayout.history, in: hidden.folder))
    }
    if let folder { try disk.synchronize(folder.descriptor) }
    if isNew { try disk.synchronize(hidden.folder) }
    (isNew, isSynchronized) = (false, true)
  }

  // MARK: Rewriting

  /// Replaces the history while the lock is held and no other store is open.
  ///
  /// - Returns: the error if files that no version needs could not be removed.
  func replace(
    by new: (chain: VersionChain, policy: RetentionPolicy), _ journal: JournalFile?
  ) throws(SystemError) -> SystemError? {
    // The new history is durable before the first file goes (V2).
    try synchronize()
    end = nil
    try HistoryFile.replace(by: new.chain, new.policy, in: hidden.folder, on: disk)
    do throws(SystemError) {
      try load(journal)
      guard try disk.exists(PackageLayout.kept, in: hidden.folder) else { return nil }
      // Files that no version needs go (V1). A later call removes those that could not be removed.
      let (folder, needed) = (try openFolder(), new.chain.kept)
      let listing = try disk.list(folder.descriptor)
      for name in (0..<listing.count).map(listing.name(at:)) where needed[name] == nil {
        disk.removeEverything(name, from: folder.descriptor)
      }
      return nil
    } catch {
      return error
    }
  }

  /// Returns whether the history on disk is another file, is gone, or cannot be looked at.
  func isFile(anotherThan known: FileIdentity?) -> Bool {
    guard let known else { return false }
    do {
      let now = try disk.statusIfPresent(of: PackageLayout.history, in: hidden.folder)
      return now?.identity.isSameNode(as: known) != true
    } catch {
      return true
    }
  }

  /// Removes the history while the lock is held, and the journal that may have versions, too, is gone.
  package func remove() throws(SystemError) {
    end = nil
    try disk.removeFile(PackageLayout.history, in: hidden.folder)
    try disk.synchronize(hidden.folder)
    (folder, isDamaged) = (nil, false)
    disk.removeEverything(PackageLayout.kept, from: hidden.folder)
  }
}
