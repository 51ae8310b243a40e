import DurableIO
import FilePackages
import FoundationEssentials

/// A child's bytes: opens the child once, and reads at any offset.
struct ContentsReader: ~Copyable {
  private let data: Data
  private let file: OpenFile?
  private let node: StoredNode?
  /// The child's size in bytes.
  let size: UInt64

  /// - Throws: a `FilePackageError`, `changedOnDisk` if the file is no longer the one in the snapshot.
  init(_ contents: FileContents) throws {
    switch contents {
    case .data(let data):
      self.data = data
      file = nil
      node = nil
      size = UInt64(data.count)
    case .stored(let node):
      let file = try node.openFile()
      let size: UInt64
      do {
        size = try node.disk.status(of: file).size
      } catch {
        throw FilePackageError(error, .read, node)
      }
      data = Data()
      self.node = node
      self.size = size
      self.file = OpenFile(file)
    }
  }

  private final class OpenFile {
    let descriptor: OwnedDescriptor

    init(_ descriptor: consuming OwnedDescriptor) {
      self.descriptor = descriptor
    }
  }

  /// Fills `buffer` from `offset` on.
  ///
  /// - Throws: `changedOnDisk` if the file has become too short.
  func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws {
    guard let node else {
      let start = data.startIndex + Int(offset)
      data.copyBytes(to: buffer, from: start..<start + buffer.count)
      return
    }
    var done = 0
    while done < buffer.count {
      let count = try read(at: offset + UInt64(done), into: buffer, from: done, node)
      if count == 0 { throw FilePackageError(.changedOnDisk, .read, node) }
      done += count
    }
  }

  private func read(
    at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer, from start: Int, _ node: StoredNode
  ) throws(FilePackageError) -> Int {
    guard let file else { return 0 }
    do {
      return try node.disk.read(
        file.descriptor, at: offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[start...]))
    } catch {
      throw FilePackageError(error, .read, node)
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
    guard let node, let file, let status = node.status else { return }
    let now: FileStatus
    do {
      now = try node.disk.status(of: file.descriptor)
    } catch {
      throw FilePackageError(error, .read, node)
    }
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
