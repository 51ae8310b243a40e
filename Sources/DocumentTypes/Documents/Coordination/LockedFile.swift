import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage

// LF1 A process locks a file before the file has its name. A named file without a lock belongs to a process that ended.
//     The kernel releases the lock when its holder ends; no process identifier decides anything.
// LF2 A process removes a file only while it has the file's lock. The next process that sees a file without a lock
//     removes it.

/// A file that stands for something while its maker lives.
final class LockedFile: Sendable {
  let name: FileName
  private let file: OwnedDescriptor
  private let disk: PosixDisk

  private init(_ name: FileName, _ file: consuming OwnedDescriptor, on disk: PosixDisk) {
    (self.name, self.disk) = (name, disk)
    self.file = file
  }

  /// Makes a file with a name that no other file has; it is locked before (LF1).
  ///
  /// - Parameter prepare: runs before other processes see the file.
  static func make(
    _ bytes: [UInt8], in folder: borrowing OwnedDescriptor, on disk: PosixDisk,
    prepare: (FileName) throws(SystemError) -> Void = { _ throws(SystemError) in }
  ) throws(SystemError) -> LockedFile {
    while true {
      let name = FileName(UUID().uuidString)
      let hidden = name.hidden
      let file = try disk.createFile(hidden, in: folder, mode: 0o600)
      // Before the lock, another process may have removed the file.
      guard try disk.lock(file, .exclusive) else { continue }
      do throws(SystemError) {
        try disk.write(bytes, to: file, at: 0)
        try prepare(name)
        try disk.rename(hidden, in: folder, to: name, in: folder, .noReplace)
      } catch {
        if error.code == .noSuchFileOrDirectory, try disk.status(of: folder).links > 0 { continue }
        throw error
      }
      return LockedFile(name, file, on: disk)
    }
  }

  func append(_ bytes: [UInt8]) throws(SystemError) {
    try disk.write(bytes, to: file, at: disk.status(of: file).size)
  }

  /// Removes the file while its maker lives.
  func remove(from folder: borrowing OwnedDescriptor) {
    // If this fails, the next process that sees the file removes it (LF2).
    try? disk.removeFile(name, in: folder)
  }
}

/// Another process's file, as an opener found it.
final class FoundFile: Sendable {
  let name: FileName
  private let file: OwnedDescriptor
  private let disk: PosixDisk

  private init(_ name: FileName, _ file: consuming OwnedDescriptor, on disk: PosixDisk) {
    (self.name, self.disk) = (name, disk)
    self.file = file
  }

  /// Opens the file; nil if it is gone.
  static func open(
    _ name: FileName, in folder: borrowing OwnedDescriptor, on disk: PosixDisk
  ) throws(SystemError) -> FoundFile? {
    do {
      return FoundFile(name, try disk.openFile(name, in: folder), on: disk)
    } catch  where error.code == .noSuchFileOrDirectory {
      return nil
    } catch  where error.code == .invalidArgument || error.code == .tooManySymbolicLinkLevels {
      // No process makes such a file.
      return nil
    }
  }

  /// Returns whether the file's maker lives; if not, removes the file (LF2).
  func isAlive(in folder: borrowing OwnedDescriptor) throws(SystemError) -> Bool {
    guard try disk.lock(file, .exclusive) else { return true }
    // If unlocking fails, closing the file unlocks it.
    defer { _ = try? disk.lock(file, .none) }
    if try disk.isName(name, in: folder, of: file) {
      // Two processes may see the file at once.
      try? disk.removeFile(name, in: folder)
    }
    return false
  }

  /// Returns the file's bytes, up to 16 MiB: no process writes more.
  func bytes() throws(SystemError) -> [UInt8] {
    try disk.readAll(file, atMost: 16 << 20)
  }
}

extension FileName {
  /// The name that a file has until it is complete.
  var hidden: FileName { FileName(bytes: [UInt8(ascii: ".")] + bytes) }

  func appending(_ text: String) -> FileName { FileName(bytes: bytes + Array(text.utf8)) }

  /// The parts of the name before and after the dot.
  var parts: (stem: FileName, suffix: String?) {
    guard let dot = bytes.dropFirst().firstIndex(of: UInt8(ascii: ".")) else { return (self, nil) }
    return (
      FileName(bytes: Array(bytes[..<dot])), String(decoding: bytes[(dot + 1)...], as: UTF8.self)
    )
  }
}

extension Disk {
  /// Returns the names in a folder, in no order.
  func names(in folder: borrowing OwnedDescriptor) throws(SystemError) -> [FileName] {
    let listing = try list(folder)
    return (0..<listing.count).map { listing.name(at: $0) }
  }
}
