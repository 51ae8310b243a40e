import DurableIO
import FilePackages
import FoundationEssentials

/// A child's bytes: opens the child once, and reads at any offset.
struct ContentsReader: ~Copyable {
  private enum Source {
    case data(Data)
    case file(OpenNode, StoredNode)
  }

  private let source: Source
  /// The child's size in bytes.
  let size: UInt64

  /// - Throws: a `FilePackageError`, `changedOnDisk` if the file is no longer the one in the snapshot.
  init(_ contents: FileContents) throws {
    switch contents {
    case .data(let data): (source, size) = (.data(data), UInt64(data.count))
    case .stored(let node):
      let file = OpenNode(try node.openFile())
      let size = try node.attempt(.read) { try node.disk.status(of: file.descriptor).size }
      (source, self.size) = (.file(file, node), size)
    }
  }

  /// Fills `buffer` from `offset` on.
  ///
  /// - Throws: `changedOnDisk` if the file has become too short.
  func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws {
    switch source {
    case .data(let data):
      let start = data.startIndex + Int(offset)
      data.copyBytes(to: buffer, from: start..<start + buffer.count)
    case .file(let file, let node):
      var done = 0
      while done < buffer.count {
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
        let count = try node.attempt(.read) {
          try node.disk.read(file.descriptor, at: offset + UInt64(done), into: rest)
        }
        if count == 0 { throw FilePackageError(.changedOnDisk, .read, node) }
        done += count
      }
    }
  }

  /// Returns up to `count` bytes from `offset` on; fewer at the end of the child.
  func bytes(at offset: UInt64, count: Int) throws -> [UInt8] {
    let count = Int(min(UInt64(count), size - min(size, offset)))
    return try Array(unsafeUninitializedCapacity: count) { buffer, initialized in
      guard count > 0 else { return }
      try read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
      initialized = count
    }
  }

  /// Checks that the file's contents did not change during the reading.
  ///
  /// - Throws: `changedOnDisk`.
  func finish() throws {
    guard case .file(let file, let node) = source, let status = node.status else { return }
    let now = try node.attempt(.read) { try node.disk.status(of: file.descriptor) }
    guard now.identity.hasSameContents(as: status.identity) else {
      throw FilePackageError(.changedOnDisk, .read, node)
    }
  }
}

extension FileContents {
  /// The error for contents that are no longer those of the snapshot.
  var changed: any Error {
    guard case .stored(let node) = self else {
      return ArchiveError.Finding(.inputOutput, "it changed while it was read")
    }
    return FilePackageError(.changedOnDisk, .read, node)
  }
}
