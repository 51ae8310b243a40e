import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage

// The changes of names, also where the file system has no hard links, no exchange or no rename without replacing.
extension ContentPublisher {
  /// Gives a file a second name, or makes a durable copy if the file system has no hard links.
  ///
  /// - Parameter digest: the digest that a copy must have.
  /// - Returns: false if another program wrote to the file, so that the copy is another one.
  func link(
    _ name: FileName, in source: borrowing OwnedDescriptor, to newName: FileName,
    in target: borrowing OwnedDescriptor, ifIs digest: Data
  ) throws(SystemError) -> Bool {
    do {
      try disk.link(name, in: source, to: newName, in: target)
      return true
    } catch  where error.isLackOfLinks {
      if try disk.exists(newName, in: target) { throw SystemError("linkat", newName, code: .fileExists) }
      return try duplicate(name, in: source, to: newName, in: target, ifIs: digest)
    }
  }

  /// Makes a durable copy of a file, if that has the digest.
  func duplicate(
    _ name: FileName, in source: borrowing OwnedDescriptor, to newName: FileName,
    in target: borrowing OwnedDescriptor, ifIs digest: Data
  ) throws(SystemError) -> Bool {
    let staging = folder.staging
    try disk.copy(name, in: source, to: Self.unfinished, in: staging.descriptor)
    let copied = try disk.contentHash(of: disk.openFile(Self.unfinished, in: staging.descriptor))
    if Data(copied.bytes) != digest {
      try disk.removeFile(Self.unfinished, in: staging.descriptor)
      return false
    }
    try disk.rename(Self.unfinished, in: staging.descriptor, to: newName, in: target, .replace)
    return true
  }

  /// Gives a staged file its visible name, and disposes of the file that had it (MP3).
  mutating func exchange(
    _ staged: Staged, _ name: FileName, in directory: borrowing OwnedDescriptor
  ) throws(SystemError) {
    do {
      try disk.rename(staged.name, in: folder.staging.descriptor, to: name, in: directory, .exchange)
    } catch  where error.isLackOfRule {
      return try replace(name, in: directory, by: staged)
    }
    try dispose(of: staged.name, staged.file)
  }

  /// Gives a staged file its visible name without an exchange.
  ///
  /// The name leads to the old file or the new one at each moment, and to nothing while another program's file becomes a
  /// conflict version. An edit between the last look and the rename is lost.
  private mutating func replace(
    _ name: FileName, in directory: borrowing OwnedDescriptor, by staged: Staged
  ) throws(SystemError) {
    if try isExpected(name, in: directory, staged.file) {
      // The bytes of the old file have a name by their digest (MP2).
      let staging = folder.staging
      return try disk.rename(staged.name, in: staging.descriptor, to: name, in: directory, .replace)
    }
    let displaced = Self.displaced(staged.file.path)
    try displace(name, in: directory, as: displaced)
    try moveToConflicts(displaced, staged.file.path)
    try place(staged.name, as: name, in: directory)
  }

  /// Gives a staged file a name that must be free.
  func place(
    _ staged: FileName, as name: FileName, in directory: borrowing OwnedDescriptor
  ) throws(SystemError) {
    let staging = folder.staging
    do {
      try disk.rename(staged, in: staging.descriptor, to: name, in: directory, .noReplace)
    } catch  where error.isLackOfRule {
      if try disk.exists(name, in: directory) { throw SystemError("renameat", name, code: .fileExists) }
      try disk.rename(staged, in: staging.descriptor, to: name, in: directory, .replace)
    }
  }

  /// Moves a visible file to the staging folder, in which only this publisher has names.
  func displace(
    _ name: FileName, in directory: borrowing OwnedDescriptor, as displaced: FileName
  ) throws(SystemError) {
    try disk.rename(name, in: directory, to: displaced, in: folder.staging.descriptor, .replace)
  }
}
