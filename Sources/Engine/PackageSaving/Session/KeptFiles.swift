import DurableIO
import FileTrees
import PackageFormat
import SystemPackage

// H1 A version is in the log's record of the save that replaced it, so it is durable when that save is.
// H2 A file or link of a version is among the staged ones or among the kept ones until no version needs it. Its bytes
//    name it, so that any session that finds it can keep it.
// H3 Nothing loses its name among the staged ones for good before the names of the kept ones are durable.

/// The folder of the files and links that only versions have, as one session has it open.
final class KeptFiles {
  private let hidden: HiddenFolder
  private var disk: any Disk { hidden.disk }
  /// Nil until it is needed.
  private var folder: OpenNode?
  private var isSynchronized = true

  init(_ hidden: HiddenFolder) { self.hidden = hidden }

  func open() throws(SystemError) -> OpenNode {
    if let folder { return folder }
    if try disk.makeDirectoryIfAbsent(PackageLayout.kept, in: hidden.folder) {
      // Once for a document: before anything in the folder counts as durable.
      try disk.synchronize(hidden.folder)
    }
    let folder = OpenNode(try disk.openDirectory(PackageLayout.kept, in: hidden.folder))
    self.folder = folder
    return folder
  }

  /// Takes up the folder that other sessions filled: no sync of theirs is known (H3).
  func takeUp() throws(SystemError) {
    guard folder == nil, try disk.exists(PackageLayout.kept, in: hidden.folder) else { return }
    _ = try open()
    isSynchronized = false
  }

  /// The folder, if it may have names that are not durable.
  var unsynchronized: OpenNode? { isSynchronized ? nil : folder }

  /// Makes the names durable (H3).
  func synchronize() throws(SystemError) {
    if let folder = unsynchronized { try disk.synchronize(folder.descriptor) }
    isSynchronized = true
  }

  // MARK: Keeping

  /// Renames the nodes that a published save took out of the package into the folder of kept files, if the save keeps
  /// the version that it replaced.
  ///
  /// - Returns: whether none is left among the staged ones.
  func keepReplaced(by publisher: Publisher) -> Bool {
    guard publisher.record.keepsVersion else { return true }
    do throws(SystemError) {
      for change in publisher.record.changes.rows { try keepReplaced(by: change, publisher) }
      return true
    } catch {
      return false
    }
  }

  /// Renames the node that a change took out of the package.
  ///
  /// If it is not among the staged files, it is already there, or it is a conflict version. Then the version has lost
  /// it.
  func keepReplaced(by change: Change, _ publisher: Publisher) throws(SystemError) {
    guard change.keptName != nil, let old = change.old, let content = old.content,
      let source = publisher.mustLook ? try replaced(by: change, publisher) : change.name
    else { return }
    do {
      try keep(source, in: hidden.staging.descriptor, old.kind, content)
    } catch  where error.code == .noSuchFileOrDirectory {
      return
    }
  }

  /// Renames a file or link with that content to its name among the kept ones.
  func keep(
    _ source: FileName, in staged: borrowing OwnedDescriptor, _ kind: FileKind, _ content: ContentHash
  ) throws(SystemError) {
    let (name, folder) = (FileName(keeping: content, kind), try open())
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

  /// Returns the name among the staged files of the node that a change replaced, not of the node that it put.
  private func replaced(by change: Change, _ publisher: Publisher) throws(SystemError) -> FileName? {
    let (name, staging) = (change.name, hidden.staging)
    for candidate in [name, name.rewritten, name.movedAway, name.rewritten.movedAway] {
      guard let status = try disk.statusIfPresent(of: candidate, in: staging.descriptor) else { continue }
      if try publisher.isOld(change, status, candidate, in: staging.descriptor) { return candidate }
    }
    return nil
  }

  // MARK: Sweeping

  /// Keeps the staged files that versions need, and removes the others. Only while no save waits to be published.
  ///
  /// Cost: none without staged files; otherwise a read of each, and of the versions.
  ///
  /// - Parameter withHeld: whether the children that programs hold go, too; only if no other store is open (L2).
  /// - Returns: whether there was anything.
  @discardableResult
  func sweep(_ ledger: Ledger?, withHeld: Bool = false) throws(SystemError) -> Bool {
    let staging = hidden.staging
    let names = try disk.stagedNames(in: staging.descriptor, withHeld: withHeld)
    if names.isEmpty { return false }
    let needed = try ledger?.policy == nil ? [:] : ledger?.chain().chain.kept ?? [:]
    for name in names {
      if needed.isEmpty || name.isHeld || !mayBeNeeded(name, needed) {
        disk.removeEverything(name, from: staging.descriptor)
      }
    }
    return true
  }

  /// Keeps a staged file that a version needs; returns false if none needs it.
  private func mayBeNeeded(_ name: FileName, _ needed: [FileName: UInt64]) -> Bool {
    let staging = hidden.staging
    do throws(SystemError) {
      guard let status = try disk.statusIfPresent(of: name, in: staging.descriptor),
        [.file, .symbolicLink].contains(status.kind)
      else { return false }
      let content = try disk.contentHash(of: name, status.kind, in: staging.descriptor)
      guard needed[FileName(keeping: content, status.kind)] != nil else { return false }
      try keep(name, in: staging.descriptor, status.kind, content)
    } catch {
      // A file that cannot be read, or kept for want of room, stays where it is: versions find it there.
    }
    return true
  }

  /// Removes the kept files that no version needs (V1).
  ///
  /// - Returns: the error if they could not be looked at. A later call removes those that could not be removed.
  func removeAll(but needed: Set<FileName>) -> SystemError? {
    do throws(SystemError) {
      guard try disk.exists(PackageLayout.kept, in: hidden.folder) else { return nil }
      let folder = try open()
      for name in try disk.list(folder.descriptor).fileNames where !needed.contains(name) {
        disk.removeEverything(name, from: folder.descriptor)
      }
      if needed.isEmpty {
        self.folder = nil
        disk.removeEverything(PackageLayout.kept, from: hidden.folder)
      }
      return nil
    } catch {
      return error
    }
  }
}
