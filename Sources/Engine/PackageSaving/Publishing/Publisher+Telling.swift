import DurableIO
import FileTrees
import FoundationEssentials
import PackageFormat

// Tells the nodes apart, before the publisher touches anything.
extension Publisher {
  /// Returns whether a node is the one that the record puts.
  func isContent(
    _ change: Change, _ status: FileStatus, _ name: FileName, in folder: borrowing OwnedDescriptor
  ) throws(SystemError) -> Bool {
    guard let new = change.new, status.kind == new.kind else { return false }
    let isSameNode = isBound && status.identity.inode == new.inode
    // This process knows a node that it just wrote by its inode number; a node that it found has to prove itself.
    if !isRecovery { return new.isSame(as: status) }
    // A node of the same bytes with another mode or date stood there before, if the save changed only those.
    if isBound && !isSameNode && !change.hasAttributes(of: status) { return false }
    if new.content == nil { return isBound && new.isSame(as: status) }
    return try hasBytes(change, status, name, in: folder)
  }

  /// Returns whether a node is the one that the save was made over.
  func isOld(
    _ change: Change, _ status: FileStatus, _ name: FileName, in folder: borrowing OwnedDescriptor
  ) throws(SystemError) -> Bool {
    guard let old = change.old, old.kind == status.kind else { return false }
    if isBound && old.isSame(as: status) { return true }
    guard isRecovery, status.kind == .symbolicLink || status.size == old.size else { return false }
    if let content = old.content {
      return try disk.contentHash(of: name, status.kind, in: folder) == content
    }
    // A record has no hash of the metadata that the save was made over; their `Revision` names the state.
    guard name == PackageLayout.metadata, record.metadata != nil else { return false }
    return try PackageMetadata.readIfOwn(name, in: folder, on: disk)?.revision == record.parent
  }

  /// Returns whether a node has the bytes or the destination that the record puts.
  ///
  /// Another version of the library may have written the record's metadata in another form.
  private func hasBytes(
    _ change: Change, _ status: FileStatus, _ name: FileName, in folder: borrowing OwnedDescriptor
  ) throws(SystemError) -> Bool {
    guard let new = change.new, new.kind == status.kind, let content = new.content else { return false }
    if status.kind == .symbolicLink || status.size == new.size,
      try disk.contentHash(of: name, status.kind, in: folder) == content
    {
      return true
    }
    // The record made these bytes.
    guard record.isPlist(change), let own = change.bytes.flatMap({ try? PackageMetadata(decoding: Data($0)) })
    else { return false }
    return try PackageMetadata.readIfOwn(name, in: folder, on: disk) == own
  }

  /// Returns whether a node may be the remains that a cut leaves of one that the record holds.
  ///
  /// A file has some of its bytes, zeros for the rest, and nothing else; a link has no date.
  func isRemains(
    _ change: Change, _ status: FileStatus, _ name: FileName, in folder: borrowing OwnedDescriptor
  ) throws(SystemError) -> Bool {
    guard let bytes = change.bytes, change.new?.kind == status.kind else { return false }
    if status.kind == .symbolicLink { return try disk.destination(of: name, in: folder) == bytes }
    if record.isPlist(change), try hasBytes(change, status, name, in: folder) { return true }
    guard status.size <= UInt64(bytes.count) else { return false }
    let found = try disk.readAll(disk.openFile(name, in: folder), atMost: bytes.count)
    return zip(found, bytes).allSatisfy { $0 == 0 || $0 == $1 }
  }

  // MARK: Looking before anything is touched

  /// A step that is not taken yet.
  typealias Outstanding = (change: Change, step: Change.Step)

  /// Looks at every step, and takes none; throws if the publisher could not take one of them (P5).
  ///
  /// - Returns: the steps that are not taken yet.
  @discardableResult
  func checkAll() throws(FilePackageError) -> [Outstanding] {
    var outstanding: [Outstanding] = []
    for change in record.changes.rows {
      for step in change.steps {
        do {
          if try check(change, step) { outstanding.append((change, step)) }
        } catch {
          let failure = FilePackageError(any: error, .save, node(change.path), activity: "looking at")
          // The publisher notes it when it comes to this change.
          if skipsRefused && failure.isRefusal { continue }
          throw failure
        }
      }
    }
    return outstanding
  }

  /// Returns whether a step is not taken yet.
  private func check(_ change: Change, _ step: Change.Step) throws -> Bool {
    guard let name = change.path.name else { return false }
    guard let parent = try open(change.path.parent) else {
      // Another program moved the folder away, unless the record makes it.
      guard newFolders.contains(change.path.parent) else { return false }
      if step == .put { try refuseDamaged(change) }
      return true
    }
    let target = try disk.statusIfPresent(of: name, in: parent.descriptor)
    switch step {
    case .put:
      switch try verdict(change, at: name, in: parent.descriptor) {
      case .done, .leave: return false
      case .setAside where !isBound: throw notOurs(change.path)
      case .setAside: return false
      case .place, .exchange: break
      }
      try refuseDamaged(change)
      return true
    case .remove:
      guard let target else { return false }
      let isOld = try isOld(change, target, name, in: parent.descriptor)
      if !isBound && !isOld { throw notOurs(change.path) }
      return isOld
    case .makeFolder: return target?.kind != .directory
    case .removeFolder: return target?.kind == .directory
    case .setAttributes: return false
    }
  }

  func refuseDamaged(_ change: Change) throws {
    if let problem = try problem(change) { throw failure(.logDamaged, change.path, reason: problem) }
  }

  func notOurs(_ path: PackagePath) -> FilePackageError {
    failure(
      .logDamaged, path,
      reason: "it has a save of another copy of the document, without this child")
  }

  /// Decides about a node that the record puts, from the nodes that are there now.
  ///
  /// A node that the record does not hold counts as whole here: `problem(_:)` looks at it.
  func verdict(
    _ change: Change, at name: FileName, in folder: borrowing OwnedDescriptor
  ) throws(SystemError) -> PublishVerdict {
    try PublishVerdict(visible(change, at: name, in: folder)) { () throws(SystemError) in
      try waiting(change)
    }
  }

  private func visible(
    _ change: Change, at name: FileName, in folder: borrowing OwnedDescriptor
  ) throws(SystemError) -> PublishVerdict.Visible {
    guard let target = try disk.statusIfPresent(of: name, in: folder) else { return .nothing }
    if try isContent(change, target, name, in: folder) { return .new }
    if try isOld(change, target, name, in: folder) { return .old }
    guard isBound else { return .other }
    if isRecovery, try hasBytes(change, target, name, in: folder) { return .newBytes }
    return .other
  }

  /// Returns the staged node of a record; nothing if the inode numbers of the record mean nothing here.
  private func waiting(_ change: Change) throws(SystemError) -> PublishVerdict.Staged {
    guard isBound, let now = try disk.statusIfPresent(of: change.name, in: staging.descriptor) else {
      return .nothing
    }
    if now.identity.inode == change.new?.inode { return .new }
    if try isContent(change, now, change.name, in: staging.descriptor) { return .new }
    if try isRemains(change, now, change.name, in: staging.descriptor) { return .remains }
    return try isOld(change, now, change.name, in: staging.descriptor) ? .old : .other
  }
}
