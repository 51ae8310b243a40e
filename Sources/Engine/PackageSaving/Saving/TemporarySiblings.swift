package import DurableIO
import FileTrees
import SystemPackage

// HS1 A program that makes or removes something under one of these names holds its lock. No program touches a state
//     that another one is making.
// HS2 A save syncs the folder before it removes anything beside the package. If a process died between the exchange and
//     its sync, a power cut could still bring the old state back.
// HS3 A sweep removes only a folder or file whose lock it takes. The program that made it holds that lock for as long
//     as it runs, and the kernel releases the lock when the program ends. Without locks there is no sweep.
// HS4 For moments a hidden name has no lock: between its making and its locking, and during the confirmation of an
//     exchange. Its program then shares the lock of the folder that holds it. A sweep needs that lock alone.

/// The hidden names beside a package that a save uses.
///
/// They are the same for every save: a save finds the leftovers of a crash without listing the folder.
package struct TemporarySiblings {
  package enum Role: String {
    /// The new state while it is made; after the exchange, the old one on its way out.
    case staged = "new"
    /// The output of a document type that writes by itself, for the save that follows.
    case written
  }

  package let package: FileName
  let disk: any Disk

  package init(of package: FileName, on disk: any Disk) {
    self.package = package
    self.disk = disk
  }

  /// Returns a name that is short for every package name: `.docpkg-` and a hash of it (FNV-1a, 64 bits).
  package func name(_ role: Role) -> FileName {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in package.bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return FileName(".docpkg-\(String(hash, radix: 16)).\(role.rawValue)")
  }

  /// Removes the leftover of a crash.
  package func cleanUp(in folder: borrowing OwnedDescriptor) throws(SystemError) {
    let name = name(.staged)
    guard try disk.exists(name, in: folder) else { return }
    let leftover: OwnedDescriptor
    do {
      leftover = try open(name, in: folder)
    } catch {
      // A link has no descriptor, and was made in one step.
      guard try disk.status(of: name, in: folder).kind == .symbolicLink else { throw error }
      return try disk.removeFile(name, in: folder)
    }
    guard isLockedForUs(leftover), try disk.isName(name, in: folder, of: leftover) else { return }
    // The exchange must be durable before the old state goes (HS2).
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

  /// Takes the lock of a state that a program is making, or was; true if the file system has no locks (HS1).
  package func isLockedForUs(_ node: borrowing OwnedDescriptor) -> Bool {
    (try? disk.lock(node, .exclusive)) ?? true
  }

  /// Removes a whole directory, or a file; returns false if something is left.
  package func remove(_ name: FileName, from folder: borrowing OwnedDescriptor) -> Bool {
    disk.removeEverything(name, from: folder)
  }
}
