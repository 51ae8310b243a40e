package import DurableIO
import SystemPackage

/// The hidden names beside a package that a save uses, the same for every save: what a power cut left under
/// them is found without listing the folder.
package struct Siblings {
  package enum Role: String {
    /// The new state while it is made; after the exchange, the old one on its way out.
    case staged = "new"
    /// The old state, where the file system cannot exchange two directories.
    case previous = "old"
  }

  let package: FileName
  let disk: any Disk

  package init(of package: FileName, on disk: any Disk) {
    self.package = package
    self.disk = disk
  }

  /// Short whatever the package's name is: `.docpkg-` and a hash of it (FNV-1a, 64 bits).
  package func name(_ role: Role) -> FileName {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in package.bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return FileName(".docpkg-\(String(hash, radix: 16)).\(role.rawValue)")
  }

  /// Finishes what a crash left: puts back the only copy, removes everything else.
  ///
  /// Does nothing to a state that another process is making at this moment, which holds its lock.
  package func cleanUp(in folder: borrowing OwnedDescriptor) throws(SystemError) {
    try recover(in: folder)
    for role in [Role.previous, .staged] {
      guard try exists(name(role), in: folder), try isAbandoned(name(role), in: folder) else { continue }
      _ = remove(name(role), from: folder)
    }
  }

  /// Puts the old state back under its name where a crash came between the two renames that replace an
  /// exchange.
  package func recover(in folder: borrowing OwnedDescriptor) throws(SystemError) {
    guard try exists(name(.previous), in: folder), try !exists(package, in: folder) else { return }
    try disk.rename(name(.previous), in: folder, to: package, in: folder, .replace)
    try disk.synchronize(folder)
  }

  /// Removes a whole directory. A failed attempt is made once more; false when something is left.
  package func remove(_ name: FileName, from folder: borrowing OwnedDescriptor) -> Bool {
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
      let directory = try disk.openDirectory(name, in: folder)
      if try disk.status(of: directory).mode & 0o700 != 0o700 { try disk.setMode(0o700, of: directory) }
      let listing = try disk.list(directory)
      for position in 0..<listing.count {
        let child = listing.name(at: position)
        if listing.kind(at: position) == .directory {
          try removeTree(child, from: directory)
        } else {
          try disk.removeFile(child, in: directory)
        }
      }
    } catch  where error.code == .notDirectory {
      // A save of a flat file, or somebody's file that was replaced.
      return try disk.removeFile(name, in: folder)
    }
    try disk.removeDirectory(name, in: folder)
  }

  private func exists(_ name: FileName, in folder: borrowing OwnedDescriptor) throws(SystemError) -> Bool {
    do {
      _ = try disk.status(of: name, in: folder)
      return true
    } catch  where error.code == .noSuchFileOrDirectory {
      return false
    }
  }

  private func isAbandoned(_ name: FileName, in folder: borrowing OwnedDescriptor) throws(SystemError) -> Bool
  {
    do {
      return try disk.lock(try disk.openDirectory(name, in: folder))
    } catch  where error.code == .notDirectory {
      return true
    }
  }
}
