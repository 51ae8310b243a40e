import DurableIO
import FilePackages
import FoundationEssentials

/// The bytes of an open file in pieces, on a thread that may block.
///
/// Memory: the largest piece.
actor PieceReader {
  private nonisolated let executor = QueueExecutor()
  private let node: StoredNode
  private let file: OpenNode
  /// The file's status when it was opened.
  private var status: FileStatus?
  private var cutter: PieceCutter?
  private var hash = SHA256()
  private var offset: UInt64 = 0
  private var buffer: [UInt8] = []
  private var isAtEnd = false

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ node: StoredNode, _ file: OpenNode) { (self.node, self.file) = (node, file) }

  /// Returns the next piece; nil at the end of the file.
  ///
  /// - Parameter maximumWhole: a file of at most these bytes is one piece.
  /// - Throws: `changedOnDisk` if the file changes meanwhile; the system's reason.
  func next(maximumWhole: Int) throws(FilePackageError) -> Data? {
    let status = try checkStatus()
    if status.size <= UInt64(maximumWhole) {
      guard offset == 0, !isAtEnd else { return nil }
      try fill(Int(status.size))
      isAtEnd = true
      return status.size == 0 ? nil : take(buffer.count)
    }
    try fill(Int(min(UInt64(PieceCutter.maximumSize), status.size - offset)))
    if buffer.isEmpty { return nil }
    let cutter = cutter ?? PieceCutter(start: buffer)
    self.cutter = cutter
    return take(buffer.withUnsafeBytes { cutter.cut($0) })
  }

  private func take(_ count: Int) -> Data {
    let piece = buffer.withUnsafeBytes { bytes in
      let piece = UnsafeRawBufferPointer(rebasing: bytes[..<count])
      hash.update(piece)
      return Data(piece)
    }
    buffer.removeFirst(count)
    offset += UInt64(count)
    return piece
  }

  /// Reads until the buffer has that many bytes.
  private func fill(_ count: Int) throws(FilePackageError) {
    guard buffer.count < count else { return }
    do {
      buffer += try node.disk.readAll(
        file.descriptor, from: offset + UInt64(buffer.count), atMost: count - buffer.count)
    } catch {
      throw FilePackageError(error, .read, node)
    }
    if buffer.count < count { throw FilePackageError(.changedOnDisk, .read, node) }
  }

  private func checkStatus() throws(FilePackageError) -> FileStatus {
    let now: FileStatus
    do {
      now = try node.disk.status(of: file.descriptor)
    } catch {
      throw FilePackageError(error, .read, node)
    }
    if let status, !now.identity.hasSameContents(as: status.identity) {
      throw FilePackageError(.changedOnDisk, .read, node)
    }
    status = status ?? now
    return now
  }

  /// Returns the size, the date and the hash after the last piece.
  ///
  /// - Throws: `changedOnDisk` if the file changed meanwhile.
  func finish() throws(FilePackageError) -> (status: FileStatus, hash: ContentHash) {
    let status = try checkStatus()
    guard status.size == offset else { throw FilePackageError(.changedOnDisk, .read, node) }
    return (status, hash.finalize())
  }
}
