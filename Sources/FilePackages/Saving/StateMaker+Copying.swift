import Crypto
import DurableIO
import SystemPackage

extension StateMaker {
  /// Gives an unchanged file a second name in the new state. False where the file system, or the kernel's
  /// protection of other people's files, does not allow that; then it has to be copied.
  mutating func link(
    _ name: FileName, in old: borrowing OwnedDescriptor, to newName: FileName,
    in new: borrowing OwnedDescriptor, at path: PackagePath
  ) throws(FilePackageError) -> Bool {
    guard canLink && options.sharesFiles else { return false }
    do {
      try disk.link(name, in: old, to: newName, in: new)
      return true
    } catch {
      switch error.code {
      case .tooManyLinks: return false
      case .notPermitted, .improperLink, .notSupported, .noFunction:
        canLink = error.code == .notPermitted
        return false
      default: throw FilePackageError(error, options.operation, node(path), activity: "linking")
      }
    }
  }

  /// Copies a file or a symbolic link with its attributes, by sharing the blocks where the file system can.
  /// Returns the digest of a file's bytes where there is metadata to be told.
  @discardableResult
  mutating func copy(
    _ name: FileName, _ status: FileStatus, from old: borrowing OwnedDescriptor, to newName: FileName,
    in new: borrowing OwnedDescriptor, at path: PackagePath, attributes: NodeAttributes? = nil
  ) throws(FilePackageError) -> ContentHash? {
    do {
      switch status.kind {
      case .file:
        let source = try disk.openFile(name, in: old)
        guard try disk.status(of: source).identity.hasSameContents(as: status.identity) else {
          throw failure(.changedOnDisk, path)
        }
        let file = try create(newName, in: new, at: path, mode: 0o600)
        let digest = try copyBytes(of: source, to: file, hashing: attributes != nil && hashes)
        try disk.keepAttributes(of: status, from: source, on: file)
        let mode = attributes.flatMap { $0.modeIsExact ? $0.mode : nil }
        try disk.setMode(mode ?? status.mode, of: file)
        try disk.setModified(attributes?.modified ?? status.modified, of: file)
        try disk.synchronize(file)
        return digest
      case .symbolicLink:
        let destination = try disk.destination(of: name, in: old)
        try disk.makeSymbolicLink(to: destination, named: newName, in: new)
        try disk.setModified(status.modified, of: newName, in: new)
        return nil
      default:
        throw failure(.unsupported, path, reason: "\(status.kind.words) cannot be kept on this file system")
      }
    } catch let error as FilePackageError {
      throw error
    } catch let error as SystemError {
      throw FilePackageError(error, options.operation, node(path), activity: "copying")
    } catch {
      throw failure(.inputOutput, path)
    }
  }

  func create(
    _ name: FileName, in new: borrowing OwnedDescriptor, at path: PackagePath, mode: UInt16
  ) throws(FilePackageError) -> OwnedDescriptor {
    do {
      return try disk.createFile(name, in: new, mode: mode)
    } catch {
      if error.code == .fileExists {
        throw failure(
          .nameCollision, path,
          reason: "the file system does not tell this name from that of another child")
      }
      throw FilePackageError(error, options.operation, node(path))
    }
  }

  /// Writes the contents; returns their size and, where there is metadata to be told, their digest.
  mutating func fill(
    _ file: borrowing OwnedDescriptor, at path: PackagePath, _ contents: FileContents
  ) throws(FilePackageError) -> (UInt64, ContentHash) {
    var hash = SHA256()
    var size: UInt64 = 0
    let (disk, hashes) = (disk, hashes)
    do {
      var isCloned = false
      if case .stored(let source) = contents, canClone {
        isCloned = try clone(try source.openFile(), to: file)
      }
      if isCloned && !hashes { return (contents.size ?? 0, ContentHash(hash.finalize())) }
      try contents.forEachChunk { bytes in
        try checkCancellation()
        if hashes { hash.update(bufferPointer: bytes) }
        if !isCloned { try disk.write(bytes, to: file, at: size) }
        size += UInt64(bytes.count)
        location.progress.add(bytes.count)
      }
    } catch let error as FilePackageError {
      throw FilePackageError(renaming: error, to: path, of: location, options.operation)
    } catch let error as SystemError {
      throw FilePackageError(error, options.operation, node(path))
    } catch {
      throw failure(.inputOutput, path)
    }
    return (size, ContentHash(hash.finalize()))
  }

  private mutating func copyBytes(
    of source: borrowing OwnedDescriptor, to file: borrowing OwnedDescriptor, hashing hashes: Bool
  ) throws -> ContentHash? {
    var isCloned = false
    if canClone { isCloned = try clone(source, to: file) }
    if isCloned && !hashes { return nil }
    var hash = SHA256()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: FileContents.chunkSize, alignment: 16)
    defer { buffer.deallocate() }
    var offset: UInt64 = 0
    while true {
      try checkCancellation()
      let count = try disk.read(source, at: offset, into: buffer)
      if count == 0 { return hashes ? ContentHash(hash.finalize()) : nil }
      let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      if hashes { hash.update(bufferPointer: bytes) }
      if !isCloned { try disk.write(bytes, to: file, at: offset) }
      offset += UInt64(count)
    }
  }

  /// Shares the blocks of `source`; false where the file system cannot, which is not asked again.
  private mutating func clone(
    _ source: borrowing OwnedDescriptor, to file: borrowing OwnedDescriptor
  ) throws(SystemError) -> Bool {
    do {
      try disk.clone(source, to: file)
      return true
    } catch {
      switch error.code {
      case .notSupported, .invalidArgument, .improperLink, .noFunction, .inappropriateIOCTLForDevice:
        canClone = false
        return false
      default: throw error
      }
    }
  }
}
