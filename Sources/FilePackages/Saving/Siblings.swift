package import DurableIO
import SystemPackage

// (1) Whoever makes something under one of these names holds its lock, and so does whoever removes it: a state
//     that another process is making is never touched.
// (2) What a folder holds by now is synchronised before anything beside the package is removed: after a process
//     died between the exchange and its synchronisation, a power cut could still bring the old state back.

/// The hidden names beside a package that a save uses, the same for every save: what a crash left under them
/// is found without listing the folder.
package struct Siblings {
  package enum Role: String {
    /// The new state while it is made; after the exchange, the old one on its way out.
    case staged = "new"
    /// The old state, where the file system cannot exchange two directories.
    case previous = "old"
    /// What a document type writes by itself, to be saved then.
    case written
  }

  let package: FileName
  let disk: any Disk

  package init(of package: FileName, on disk: any Disk) {
    self.package = package
    self.disk = disk
  }

  /// What each of the names begins with.
  static let prefix = Array(".docpkg-".utf8)

  /// Short whatever the package's name is: `.docpkg-` and a hash of it (FNV-1a, 64 bits).
  package func name(_ role: Role) -> FileName {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in package.bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return FileName(".docpkg-\(String(hash, radix: 16)).\(role.rawValue)")
  }

  /// Puts the old state back under its name where a crash came between the two renames that replace an
  /// exchange.
  package func recover(in folder: borrowing OwnedDescriptor) throws(SystemError) {
    guard try disk.exists(name(.previous), in: folder), try !disk.exists(package, in: folder) else { return }
    // Not synchronised: after a power cut this is done once more.
    try disk.rename(name(.previous), in: folder, to: package, in: folder, .replace)
  }

  /// Removes what a crash left, once `recover(in:)` has put back what is the only copy.
  package func cleanUp(in folder: borrowing OwnedDescriptor) throws(SystemError) {
    for role in [Role.previous, .staged] where try disk.exists(name(role), in: folder) {
      try removeAbandoned(name(role), from: folder)
    }
  }

  private func removeAbandoned(_ name: FileName, from folder: borrowing OwnedDescriptor) throws(SystemError) {
    let leftover: OwnedDescriptor
    do {
      leftover = try open(name, in: folder)
    } catch {
      // Of a link there is no descriptor, and it was made in one step.
      guard try disk.status(of: name, in: folder).kind == .symbolicLink else { throw error }
      return try disk.removeFile(name, in: folder)
    }
    guard isLockedForUs(leftover), try disk.isName(name, in: folder, of: leftover) else { return }
    try disk.synchronize(folder)
    _ = remove(name, from: folder)
    withExtendedLifetime(leftover) {}
  }

  func open(_ name: FileName, in folder: borrowing OwnedDescriptor) throws(SystemError)
    -> OwnedDescriptor
  {
    do {
      return try disk.openDirectory(name, in: folder)
    } catch  where error.code == .notDirectory {
      return try disk.openFile(name, in: folder)
    }
  }

  /// Takes the lock of what is, or was, being made. Where the file system has no locks, nobody can be asked.
  package func isLockedForUs(_ node: borrowing OwnedDescriptor) -> Bool {
    (try? disk.lock(node, .exclusive)) ?? true
  }

  /// Removes a whole directory, or a file; false when something is left.
  package func remove(_ name: FileName, from folder: borrowing OwnedDescriptor) -> Bool {
    disk.removeEverything(name, from: folder)
  }
}

extension Disk {
  /// Removes a whole directory, or a file. A failed attempt is made once more; false when something is left.
  package func removeEverything(_ name: FileName, from folder: borrowing OwnedDescriptor) -> Bool {
    for _ in 0..<2 {
      do {
        try removeTree(name, from: folder)
        return true
      } catch  where error.code == .noSuchFileOrDirectory {
        return true
      } catch {
        continue
      }
    }
    return false
  }

  private func removeTree(_ name: FileName, from folder: borrowing OwnedDescriptor) throws(SystemError) {
    do {
      let directory = try openDirectory(name, in: folder)
      if try status(of: directory).mode & 0o700 != 0o700 { try setMode(0o700, of: directory) }
      let listing = try list(directory)
      for position in 0..<listing.count {
        let child = listing.name(at: position)
        if listing.kind(at: position) == .directory {
          try removeTree(child, from: directory)
        } else {
          try removeFile(child, in: directory)
        }
      }
    } catch  where error.code == .notDirectory || error.code == .tooManySymbolicLinkLevels {
      // The old state of a flat document, or a file or link that was replaced.
      return try removeFile(name, in: folder)
    }
    try removeDirectory(name, in: folder)
  }

  /// The status of an entry, nil when there is none.
  package func statusIfPresent(
    of name: FileName, in folder: borrowing OwnedDescriptor
  ) throws(SystemError) -> FileStatus? {
    do {
      return try status(of: name, in: folder)
    } catch  where error.code == .noSuchFileOrDirectory {
      return nil
    }
  }

  package func exists(_ name: FileName, in folder: borrowing OwnedDescriptor) throws(SystemError) -> Bool {
    try statusIfPresent(of: name, in: folder) != nil
  }

  /// Whether a name still leads to the node that was opened.
  package func isName(
    _ name: FileName, in folder: borrowing OwnedDescriptor, of node: borrowing OwnedDescriptor
  ) throws(SystemError) -> Bool {
    guard let named = try statusIfPresent(of: name, in: folder) else { return false }
    return named.identity.isSameNode(as: try status(of: node).identity)
  }
}
