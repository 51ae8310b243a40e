package import DurableIO
package import FileTrees
import PackageFormat
package import SystemPackage

// HS1 A program that makes or removes something under a hidden name holds its lock. No program touches a node that
//     another one is making.
// HS2 A program syncs the folder before it removes a leftover. If a process died between an exchange and its sync, a
//     power cut could still bring the old node back.
// HS3 A sweep removes only a folder or file whose lock it takes. The program that made it holds that lock for as long
//     as it runs, and the kernel releases the lock when the program ends. Without locks there is no sweep.
// HS4 For moments a hidden name has no lock: between its making and its locking, and during the confirmation of an
//     exchange. Its program then shares the lock of the folder that holds it. A sweep needs that lock alone.

/// A name that gets a whole new node in one step.
///
/// The place is cleaned up, and a node is made under a hidden name beside it. It is filled and synced, and gets the name.
/// Then the folder is synced, and the old node is removed last.
package struct NewPlace {
  package let name: FileName
  /// The hidden name: of the new node while it is made; after an exchange, of the old one on its way out.
  package let staged: FileName
  package let disk: any Disk
  private let opened: OpenNode

  /// The folder that holds both names.
  package var folder: OwnedDescriptor { _read { yield opened.descriptor } }

  package init(_ name: FileName, in folder: OpenNode, on disk: any Disk) {
    (self.name, opened, self.disk) = (name, folder, disk)
    staged = Self.hiddenName(of: name)
  }

  /// Opens the folder of a path; nil if the path ends with no name.
  package init?(at path: FilePath, on disk: any Disk) throws(SystemError) {
    guard let last = path.lastComponent, last.kind == .regular else { return nil }
    self.init(FileName(last), in: OpenNode(try disk.openDirectory(at: path.folder)), on: disk)
  }

  private static let suffix = ".new"

  /// Returns the hidden name beside a name, which is short for every name: `.docpkg-` and a hash (FNV-1a, 64 bits).
  ///
  /// It is the same for every program, so that the next one finds the leftover of a crash without listing the folder.
  package static func hiddenName(of name: FileName) -> FileName {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name.bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return FileName(".docpkg-\(String(hash, radix: 16))\(suffix)")
  }

  /// Returns whether a name is a hidden one: `.docpkg-`, up to 16 hexadecimal digits, and `.new`.
  private static func isHidden(_ name: FileName) -> Bool {
    let (prefix, suffix) = (PackageLayout.siblingPrefix, Array(suffix.utf8))
    let hash = name.bytes.dropFirst(prefix.count).dropLast(suffix.count)
    return name.bytes.starts(with: prefix) && name.bytes.suffix(suffix.count).elementsEqual(suffix)
      && (1...16).contains(hash.count)
      && hash.allSatisfy {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
      }
  }

  /// Returns the status of the node under the name; nil if the name is free.
  package func status() throws(SystemError) -> FileStatus? { try disk.statusIfPresent(of: name, in: folder) }

  package func synchronize() throws(SystemError) { try disk.synchronize(folder) }

  // MARK: Leftovers

  /// Removes the leftover of a crash.
  package func cleanUp() throws(SystemError) {
    guard try disk.exists(staged, in: folder) else { return }
    let leftover: OwnedDescriptor
    do {
      leftover = try Self.open(staged, in: folder, on: disk)
    } catch {
      // A link has no descriptor, and was made in one step.
      guard try disk.status(of: staged, in: folder).kind == .symbolicLink else { throw error }
      return try disk.removeFile(staged, in: folder)
    }
    guard try take(.exclusive, of: leftover), try disk.isName(staged, in: folder, of: leftover) else {
      return
    }
    // The exchange must be durable before the old node goes (HS2).
    try synchronize()
    removeStaged()
    withExtendedLifetime(leftover) {}
  }

  /// Removes the leftover of a crash, and what killed programs left of other documents in the folder.
  package func cleanUpAll() throws(SystemError) {
    try cleanUp()
    Self.sweep(folder, on: disk)
  }

  /// Takes the lock of a node under the hidden name (HS1); true if the file system has no locks.
  private func take(_ mode: LockMode, of node: borrowing OwnedDescriptor) throws(SystemError) -> Bool {
    do {
      return try disk.lock(node, mode)
    } catch  where error.isLackOfLocks {
      return true
    }
  }

  private static func open(
    _ name: FileName, in folder: borrowing OwnedDescriptor, on disk: any Disk
  ) throws(SystemError) -> OwnedDescriptor {
    do {
      return try disk.openDirectory(name, in: folder)
    } catch  where error.code == .notDirectory {
      return try disk.openFile(name, in: folder)
    }
  }

  /// Removes the new nodes that killed programs left in a folder, of any document.
  ///
  /// It touches no node that a running program is making. The next sweep tries again to remove the rest, so this never
  /// fails. Cost: a listing of the folder, and the removals.
  ///
  /// - Returns: the names that were removed.
  @discardableResult
  package static func sweep(_ folder: borrowing OwnedDescriptor, on disk: any Disk) -> [FileName] {
    abandoned(in: folder, on: disk) { name, folder in
      // This may be the old node of an exchange, which a power cut must not bring back.
      (try? disk.synchronize(folder)) != nil && disk.removeEverything(name, from: folder)
    }
  }

  /// Returns the names that a sweep would remove.
  package static func abandoned(in folder: borrowing OwnedDescriptor, on disk: any Disk) -> [FileName] {
    abandoned(in: folder, on: disk) { _, _ in true }
  }

  /// Calls `body` with each name that no running program holds; returns those for which it returns true (HS3).
  private static func abandoned(
    in folder: borrowing OwnedDescriptor, on disk: any Disk,
    _ body: (FileName, borrowing OwnedDescriptor) -> Bool
  ) -> [FileName] {
    guard let listing = try? disk.list(folder) else { return [] }
    let names = (0..<listing.count).compactMap { position -> FileName? in
      // Most names are none of the library's, and need no object.
      guard listing.withName(at: position, { $0.starts(with: PackageLayout.siblingPrefix) }) else {
        return nil
      }
      return listing.name(at: position)
    }
    .filter(isHidden)
    // A program that shares this lock may have a hidden name without a lock (HS4).
    guard !names.isEmpty, (try? disk.lock(folder, .exclusive)) == true else { return [] }
    defer { _ = try? disk.lock(folder, .none) }
    var found: [FileName] = []
    for name in names {
      // A name that is gone, or that this user may not open, is not this sweep's.
      guard let leftover = try? open(name, in: folder, on: disk),
        (try? disk.lock(leftover, .exclusive)) == true,
        (try? disk.isName(name, in: folder, of: leftover)) == true
      else { continue }
      if body(name, folder) { found.append(name) }
      withExtendedLifetime(leftover) {}
    }
    return found
  }

  /// Prevents sweeps of the folder until `allowSweeps()`, while a node under the hidden name has no lock (HS4).
  package func holdOffSweeps() {
    // Without a lock there is no sweep either.
    _ = try? LockWait().take(.shared, of: folder, on: disk)
  }

  package func allowSweeps() { _ = try? disk.lock(folder, .none) }

  // MARK: The new node

  /// Makes an empty folder or file under the hidden name, and takes its lock; nil if another program is making one.
  package func stage(
    _ kind: FileKind, mode: UInt16, lock: LockMode = .exclusive
  ) throws(SystemError) -> OwnedDescriptor? {
    holdOffSweeps()
    defer { allowSweeps() }
    var file: OwnedDescriptor?
    do throws(SystemError) {
      if kind == .directory {
        try disk.makeDirectory(staged, in: folder, mode: mode)
      } else {
        file = try disk.createFile(staged, in: folder, mode: mode)
      }
    } catch  where error.code == .fileExists {
      return nil
    }
    do throws(SystemError) {
      let new = if let file = file.take() { file } else { try disk.openDirectory(staged, in: folder) }
      guard try take(lock, of: new), try disk.isName(staged, in: folder, of: new) else { return nil }
      return new
    } catch {
      // It is empty; if it is another program's, that program fails and nothing is lost.
      try? kind == .directory ? disk.removeDirectory(staged, in: folder) : disk.removeFile(staged, in: folder)
      throw error
    }
  }

  /// Gives the name, which must be free, to a node; by default to the new one.
  package func take(_ old: FileName? = nil, from parent: OpenNode? = nil) throws(SystemError) {
    try disk.renameNoReplace(
      old ?? staged, in: (parent ?? opened).descriptor, to: name, in: opened.descriptor)
  }

  /// Renames within the folder.
  package func rename(_ old: FileName, to new: FileName, _ rule: RenameRule) throws(SystemError) {
    if rule == .noReplace {
      try disk.renameNoReplace(old, in: opened.descriptor, to: new, in: opened.descriptor)
    } else {
      try disk.rename(old, in: opened.descriptor, to: new, in: opened.descriptor, rule)
    }
  }

  /// Removes the node under the hidden name; returns false if something is left.
  @discardableResult
  package func removeStaged() -> Bool { disk.removeEverything(staged, from: folder) }

  // MARK: The old node

  /// Gives a document its hidden name, until `removeHidden()` or `reveal()`.
  package func hide() throws(SystemError) {
    try cleanUp()
    try rename(name, to: staged, .noReplace)
  }

  /// Gives a document its name back.
  package func reveal() throws(SystemError) { try take() }

  /// Removes a document under its hidden name, after that name is durable. If it cannot be made durable, the document
  /// gets its name back.
  package func removeHidden() throws(SystemError) {
    do throws(SystemError) {
      // After a power cut, the name must not lead to a document that is removed in part.
      try synchronize()
    } catch {
      try reveal()
      throw error
    }
    // Files that cannot be removed have a hidden name; the next save or move of that name removes them.
    removeStaged()
    try synchronize()
  }

  /// Removes a document: it gets its hidden name, and the folder is synced, before any file is removed.
  package func removeDocument() throws(SystemError) {
    try hide()
    try removeHidden()
  }
}

extension Disk {
  /// Renames to a name that must be free, even if the file system lacks such a rename.
  ///
  /// Without it, a file gets its second name first, if the file system has links; a folder can replace an empty one at
  /// most.
  package func renameNoReplace(
    _ name: FileName, in from: borrowing OwnedDescriptor, to newName: FileName,
    in to: borrowing OwnedDescriptor
  ) throws(SystemError) {
    do {
      return try rename(name, in: from, to: newName, in: to, .noReplace)
    } catch  where error.isLackOfRule {
      if try exists(newName, in: to) { throw SystemError("renameat2", newName, code: .fileExists) }
    }
    if try status(of: name, in: from).kind == .file {
      do {
        try link(name, in: from, to: newName, in: to)
        try synchronize(to)
        return try removeFile(name, in: from)
      } catch  where error.isLackOfLinks {}
    }
    try rename(name, in: from, to: newName, in: to, .replace)
  }
}
