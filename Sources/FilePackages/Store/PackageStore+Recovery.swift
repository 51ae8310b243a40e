import DurableIO
import FoundationEssentials
import SystemPackage

// (1) Opening a package writes nothing and locks nothing, if it was closed in good order or no committed save waits.
// (2) Opening never needs space on disk: the store reads an unpublishable save from the journal.
// (3) The store reports a damaged journal, and changes nothing in the package.

extension PackageStore {
  /// Publishes the save of an interrupted program, and loads the metadata.
  func recover() throws(FilePackageError) {
    let found: JournalFile.Found
    do {
      found = try findJournal()
    } catch {
      throw FilePackageError(
        error, .open, StoredNode(location: location, path: .root), activity: "looking for its journal")
    }
    switch found {
    case .nothing:
      loadMetadata()
    case .damaged(let reason):
      state.damage(
        by: FilePackageError(
          .journalDamaged, .open, StoredNode(location: location, path: .root),
          reason: "its journal is damaged: \(reason)"))
      loadMetadata()
    case .journal(let journal):
      loadMetadata()
      if let record = journal.live { try recover(record, of: journal) }
    }
  }

  func findJournal() throws(SystemError) -> JournalFile.Found {
    try JournalFile.find(of: location)
  }

  private func recover(_ record: JournalRecord, of journal: JournalFile) throws(FilePackageError) {
    do throws(FilePackageError) {
      let session = try openSession()
      session.hidden.unlock()
    } catch {
      switch error.code {
      // (3)
      case .journalDamaged: state.damage(by: error.during(.open))
      case .busy, .changedOnDisk: throw error.during(.open)
      // (2)
      default: try present(record, of: journal, because: error)
      }
    }
  }

  /// Makes the tree from the disk and the journal together.
  private func present(
    _ record: JournalRecord, of journal: JournalFile, because problem: FilePackageError
  ) throws(FilePackageError) {
    session = nil
    let outstanding: [JournalRecord.Operation]
    do {
      outstanding = try self.outstanding(record, of: journal)
    } catch {
      if let error = error as? FilePackageError, error.code == .journalDamaged {
        return state.damage(by: error.during(.open))
      }
      throw problem.during(.open)
    }
    do {
      for operation in outstanding { try tree.overlay(operation, at: location) }
    } catch {
      throw error as? FilePackageError ?? problem.during(.open)
    }
    var metadata = knownMetadata
    if let plist = outstanding.first(where: { $0.path.names == [PackageLayout.metadata] }),
      case .put(let staged) = plist.action, let bytes = staged.bytes,
      let decoded = try? PackageMetadata(decoding: Data(bytes))
    {
      metadata = decoded
      baseline.metadata = .present(decoded, nil)
    }
    state = .blocked(CommittedSave(tree, tree.changesSnapshot(), metadata), because: problem)
  }

  /// Returns the operations of a record that the disk does not have yet.
  func outstanding(
    _ record: JournalRecord, of journal: JournalFile
  ) throws -> [JournalRecord.Operation] {
    let disk = location.disk
    let root = OpenNode(try location.openDirectory(.root))
    let folder = try disk.openDirectory(PackageLayout.hidden, in: root.descriptor)
    let staging = OpenNode(try disk.openDirectory(PackageLayout.staging, in: folder))
    var publisher = Publisher(
      record, root: root, staging: staging, at: location, on: disk, isRecovery: true)
    publisher.isBound = journal.header.isBound(to: try disk.status(of: root.descriptor))
    return try publisher.outstanding()
  }

  /// The reason why the document cannot be saved: its journal holds an acknowledged save that cannot be published.
  ///
  /// The children are as the program left them. Nil if the journal is intact.
  public var journalDamage: FilePackageError? { state.damage }

  /// The reason why a committed save is not visible to other programs yet; nil if all are.
  ///
  /// The tree has the save.
  public var unpublishedProblem: FilePackageError? { state.problem }
}

extension JournalFile {
  /// Looks for the journal of a package, for reading only. (1)
  static func find(of location: Location) throws(SystemError) -> Found {
    let disk = location.disk
    let package = try location.openDirectory(.root)
    guard let status = try disk.statusIfPresent(of: PackageLayout.hidden, in: package),
      status.kind == .directory
    else { return .nothing }
    let folder: OwnedDescriptor
    do {
      folder = try disk.openDirectory(PackageLayout.hidden, in: package)
    } catch  where error.code == .noSuchFileOrDirectory {
      // The last store has just closed the package in good order.
      return .nothing
    }
    return try find(in: folder, on: disk, forWriting: false)
  }
}
