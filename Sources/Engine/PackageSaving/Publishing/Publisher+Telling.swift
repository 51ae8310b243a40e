import DurableIO
import FileTrees
import FoundationEssentials
import PackageFormat

// Tells the nodes apart, before the publisher touches anything.
extension Publisher {
  /// Returns whether a node is the one that the record puts.
  func isContent(
    _ staged: JournalRecord.Staged, _ status: FileStatus, _ name: FileName,
    in folder: borrowing OwnedDescriptor
  ) throws(SystemError) -> Bool {
    let known = staged.node
    guard status.kind == known.kind else { return false }
    let isSameNode = isBound && status.identity.inode == known.inode
    // This process knows a node that it just wrote by its inode number; a node that it found has to prove itself.
    if !isRecovery { return known.isSame(as: status) }
    // A node of the same bytes with another mode or date stood there before, if the save changed only those.
    if isBound && !isSameNode && !staged.hasAttributes(of: status) { return false }
    guard status.kind == .symbolicLink || status.size == known.size else { return false }
    guard let content = known.content else { return isBound && known.isSame(as: status) }
    return try disk.contentHash(of: name, status.kind, in: folder) == content
  }

  /// Returns whether a node is the one that the save was made over.
  func isOld(
    _ old: JournalRecord.Known?, _ status: FileStatus, _ name: FileName, in folder: borrowing OwnedDescriptor
  ) throws(SystemError) -> Bool {
    guard let old, old.kind == status.kind else { return false }
    if isBound && old.isSame(as: status) { return true }
    guard isRecovery, status.kind == .symbolicLink || status.size == old.size else { return false }
    guard let content = old.content else { return isReplacedMetadata(name, in: folder) }
    return try disk.contentHash(of: name, status.kind, in: folder) == content
  }

  /// Returns whether a file is the metadata of the state that the save was made over.
  ///
  /// A record has no hash of it; its `Revision` names the state.
  private func isReplacedMetadata(_ name: FileName, in folder: borrowing OwnedDescriptor) -> Bool {
    guard name == PackageLayout.metadata, let state = record.state else { return false }
    // A file that cannot be read proves nothing.
    guard let file = try? disk.openFile(name, in: folder),
      let bytes = try? disk.readAll(file, atMost: PackageMetadata.maximumSize + 1),
      let metadata = try? PackageMetadata(decoding: Data(bytes))
    else { return false }
    return metadata.revision == state.parent
  }

  private func hasBytes(
    _ staged: JournalRecord.Staged, _ status: FileStatus, _ name: FileName,
    in folder: borrowing OwnedDescriptor
  ) throws(SystemError) -> Bool {
    guard status.kind == .file, staged.node.kind == .file, status.size == staged.node.size,
      let content = staged.node.content
    else { return false }
    return try disk.contentHash(of: name, .file, in: folder) == content
  }

  /// Returns whether a node may be the remains that a cut leaves of one that the record holds.
  ///
  /// A file has some of its bytes, zeros for the rest, and nothing else; a link has no date.
  func isRemains(
    _ staged: JournalRecord.Staged, _ status: FileStatus, _ name: FileName,
    in folder: borrowing OwnedDescriptor
  ) throws(SystemError) -> Bool {
    guard let bytes = staged.bytes, staged.node.kind == status.kind else { return false }
    if status.kind == .symbolicLink { return try disk.destination(of: name, in: folder) == bytes }
    guard status.size <= UInt64(bytes.count) else { return false }
    let found = try disk.readAll(disk.openFile(name, in: folder), atMost: bytes.count)
    return zip(found, bytes).allSatisfy { $0 == 0 || $0 == $1 }
  }

  // MARK: Looking before anything is touched

  /// Returns the operations that are not carried out yet, without carrying out any.
  func outstanding() throws(FilePackageError) -> [JournalRecord.Operation] {
    try checkAll()
  }

  /// Looks at every operation; throws if the publisher could not take one of its steps (P5).
  ///
  /// - Returns: the operations that are not carried out yet.
  @discardableResult
  func checkAll() throws(FilePackageError) -> [JournalRecord.Operation] {
    var outstanding: [JournalRecord.Operation] = []
    for operation in record.operations {
      do {
        if try check(operation) { outstanding.append(operation) }
      } catch {
        let failure = FilePackageError(any: error, .save, node(operation.path), activity: "looking at")
        // The publisher notes it when it comes to this operation.
        if skipsRefused && failure.isRefusal { continue }
        throw failure
      }
    }
    return outstanding
  }

  /// Returns whether an operation is not carried out yet.
  func check(_ operation: JournalRecord.Operation) throws -> Bool {
    guard let name = operation.path.name else { return false }
    guard let parent = try open(operation.path.parent) else {
      // Another program moved the folder away, unless the record makes it.
      guard newFolders.contains(operation.path.parent) else { return false }
      if case .put(let staged) = operation.action { try refuseDamaged(staged, operation) }
      return true
    }
    let target = try disk.statusIfPresent(of: name, in: parent.descriptor)
    switch operation.action {
    case .put(let staged):
      switch try verdict(at: name, in: parent.descriptor, staged, over: operation.old) {
      case .done, .leave: return false
      case .setAside where !isBound: throw notOurs(operation.path)
      case .setAside: return false
      case .place, .exchange, .refuse: break
      }
      try refuseDamaged(staged, operation)
      return true
    case .remove:
      guard let target else { return false }
      let isOld = try isOld(operation.old, target, name, in: parent.descriptor)
      if !isBound && !isOld { throw notOurs(operation.path) }
      return isOld
    case .makeFolder: return target?.kind != .directory
    case .removeFolder: return target?.kind == .directory
    case .setAttributes: return false
    }
  }

  private func refuseDamaged(
    _ staged: JournalRecord.Staged, _ operation: JournalRecord.Operation
  ) throws {
    if let problem = try problem(staged) { throw failure(.journalDamaged, operation.path, reason: problem) }
  }

  func notOurs(_ path: PackagePath) -> FilePackageError {
    failure(
      .journalDamaged, path,
      reason: "it has a save of another copy of the document, without this child")
  }

  /// Decides about a node that the record puts, from the nodes that are there now.
  ///
  /// A node that the record does not hold counts as whole here: `problem(_:)` looks at it.
  func verdict(
    at name: FileName, in folder: borrowing OwnedDescriptor, _ staged: JournalRecord.Staged,
    over old: JournalRecord.Known?
  ) throws(SystemError) -> PublishVerdict {
    let visible = try visible(at: name, in: folder, staged, over: old)
    if visible == .nothing || visible == .old {
      return try PublishVerdict(visible, hasBytes: true) { () throws(SystemError) in .new }
    }
    return try PublishVerdict(visible, hasBytes: staged.bytes != nil) { () throws(SystemError) in
      try waiting(staged, over: old)
    }
  }

  private func visible(
    at name: FileName, in folder: borrowing OwnedDescriptor, _ staged: JournalRecord.Staged,
    over old: JournalRecord.Known?
  ) throws(SystemError) -> PublishVerdict.Visible {
    guard let target = try disk.statusIfPresent(of: name, in: folder) else { return .nothing }
    if try isContent(staged, target, name, in: folder) { return .new }
    if try isOld(old, target, name, in: folder) { return .old }
    guard isBound else { return .other }
    if isRecovery, try hasBytes(staged, target, name, in: folder) { return .newBytes }
    return .other
  }

  /// Returns the staged node of a record; nothing if the inode numbers of the record mean nothing here.
  private func waiting(
    _ staged: JournalRecord.Staged, over old: JournalRecord.Known?
  ) throws(SystemError) -> PublishVerdict.Staged {
    guard isBound, let now = try disk.statusIfPresent(of: staged.name, in: staging.descriptor) else {
      return .nothing
    }
    if now.identity.inode == staged.node.inode { return .new }
    if try isContent(staged, now, staged.name, in: staging.descriptor) { return .new }
    if try isRemains(staged, now, staged.name, in: staging.descriptor) { return .remains }
    return try isOld(old, now, staged.name, in: staging.descriptor) ? .old : .other
  }
}
