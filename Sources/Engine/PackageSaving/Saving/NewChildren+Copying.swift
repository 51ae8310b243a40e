package import DurableIO
import FileTrees
package import PackageFormat
import SystemPackage

extension NewChildren {
  /// Gives an unchanged file a second name in the new state.
  ///
  /// - Returns: false if the file system, or the kernel's protection of other users' files, does not allow that. The
  ///   caller then copies the file.
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

  /// Copies a file or a symbolic link with its attributes, and shares the blocks if the file system can.
  @discardableResult
  package mutating func copy(
    _ name: FileName, _ status: FileStatus, from old: borrowing OwnedDescriptor, to newName: FileName,
    in new: borrowing OwnedDescriptor, at path: PackagePath, attributes: NodeAttributes? = nil
  ) throws(FilePackageError) -> FileCopy {
    do {
      switch status.kind {
      case .file:
        let source = try disk.openFile(name, in: old)
        guard try disk.status(of: source).identity.hasSameContents(as: status.identity) else {
          throw failure(.changedOnDisk, path)
        }
        let file = try create(newName, in: new, at: path, mode: 0o600)
        var isReading = false
        let copied = try copyBytes(
          of: source, on: disk, size: status.size, to: file, hashing: attributes != nil && hashes, &isReading)
        try disk.copyAttributes(of: status, from: source, on: file)
        let mode = attributes.flatMap { $0.modeIsExact ? $0.mode : nil } ?? status.mode
        try disk.setMode(permitted(mode), of: file)
        try disk.setModified(attributes?.modified ?? status.modified, of: file)
        try synchronize(file, at: path)
        return copied
      case .symbolicLink:
        let destination = try disk.destination(of: name, in: old)
        try disk.makeSymbolicLink(to: destination, named: newName, in: new)
        try disk.setModified(status.modified, of: newName, in: new)
        return FileCopy()
      default:
        throw failure(.unsupported, path, reason: "this file system cannot have \(status.kind.words)")
      }
    } catch {
      throw FilePackageError(any: error, options.operation, node(path), activity: "copying")
    }
  }

  func create(
    _ name: FileName, in new: borrowing OwnedDescriptor, at path: PackagePath, mode: UInt16
  ) throws(FilePackageError) -> OwnedDescriptor {
    do {
      return try disk.createFile(name, in: new, mode: mode)
    } catch {
      if error.code == .fileExists {
        throw failure(NameTrial.Problem.folded.code, path, reason: NameTrial.Problem.folded.words)
      }
      throw FilePackageError(error, options.operation, node(path))
    }
  }

  /// Writes the contents.
  mutating func fill(
    _ file: borrowing OwnedDescriptor, at path: PackagePath, _ contents: FileContents
  ) throws(FilePackageError) -> FileCopy {
    let (disk, hashes) = (disk, hashes)
    var isReading = false
    do {
      if case .stored(let source) = contents, let size = source.status?.size {
        let copied = try copyBytes(
          of: try source.openFile(), on: source.disk, size: size, to: file, hashing: hashes, &isReading)
        guard copied.size == size else { throw FilePackageError(.changedOnDisk, .read, source) }
        return copied
      }
      var (hash, copied) = (SHA256(), FileCopy())
      try contents.forEachChunk { bytes in
        try checkCancellation()
        if hashes { hash.update(bytes) }
        try disk.write(bytes, to: file, at: copied.size)
        copied.size += UInt64(bytes.count)
        location.progress.add(bytes.count)
      }
      copied.digest = hashes ? hash.finalize() : nil
      return copied
    } catch let error as FilePackageError {
      throw FilePackageError(renaming: error, to: path, of: location, options.operation)
    } catch let error as SystemError {
      if case .stored(let source) = contents, isReading {
        throw FilePackageError(
          renaming: FilePackageError(error, .read, source), to: path, of: location, options.operation)
      }
      throw FilePackageError(error, options.operation, node(path))
    } catch {
      throw failure(.inputOutput, path)
    }
  }

  /// Copies a file's bytes, and shares its blocks if the file system can.
  ///
  /// - Parameter isReading: whether the function reads the source at this moment. An error is then one of the source.
  private mutating func copyBytes(
    of source: borrowing OwnedDescriptor, on sourceDisk: any Disk, size: UInt64,
    to file: borrowing OwnedDescriptor, hashing hashes: Bool,
    _ isReading: inout Bool
  ) throws -> FileCopy {
    var copied = FileCopy()
    if canClone { copied.isCloned = try clone(source, to: file) }
    if copied.isCloned && !hashes {
      copied.size = size
      location.progress.add(Int(clamping: size))
      return copied
    }
    var hash = SHA256()
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(4096, Int(min(size, UInt64(FileContents.chunkSize)))), alignment: 16)
    defer { buffer.deallocate() }
    while true {
      try checkCancellation()
      isReading = true
      let count = try sourceDisk.read(source, at: copied.size, into: buffer)
      isReading = false
      if count == 0 { break }
      let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      if hashes { hash.update(bytes) }
      if !copied.isCloned { try disk.write(bytes, to: file, at: copied.size) }
      copied.size += UInt64(count)
      location.progress.add(count)
    }
    if hashes { copied.digest = hash.finalize() }
    return copied
  }

  /// Shares the blocks of `source`; returns false if the file system cannot, and then does not try again.
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

/// The result of copying a file.
package struct FileCopy {
  /// Bytes of the file.
  var size: UInt64 = 0
  /// Whether it shares its blocks with the original.
  var isCloned = false
  /// The digest of its bytes, if the caller asked for it.
  var digest: ContentHash?
}
