package import DurableIO
package import FilePackages
import FoundationEssentials
package import SystemPackage

/// The upload of one file's bytes: as one blob, or in pieces if the file is larger than `maximumWhole`.
package struct FileUpload: Sendable {
  /// The size of the largest file that is one blob, in bytes.
  package static let maximumWhole = BlobStore.maximumSize
  /// The number of pieces of one file in memory.
  private static let maximumPieces = 4

  private let node: StoredNode
  private let base: FileContent?
  private let blobs: BlobStore

  /// - Parameters:
  ///   - child: the file's path in the document; the root for a flat file.
  ///   - document: the document's path.
  ///   - base: the content that the file had, of a version that the container keeps. Its pieces are not stored again.
  package init(
    of child: PackagePath, in document: FilePath, over base: FileContent? = nil, to blobs: BlobStore,
    on disk: any Disk = PosixDisk()
  ) {
    var (path, child) = (document, child)
    if child.isRoot, let name = document.lastComponent {
      child = PackagePath([FileName(name)])
      path = document.removingLastComponent()
      if path.isEmpty { path = "." }
    }
    node = StoredNode(location: Location(path, on: disk), path: child)
    (self.base, self.blobs) = (base, blobs)
  }

  /// Stores the bytes, and returns the content with the file's date.
  ///
  /// The file may change after this call. Memory: four pieces, 16 MiB at most.
  ///
  /// - Parameter progress: gets the number of bytes of each piece.
  /// - Throws: `FilePackageError` if the file cannot be read, or with the code `changedOnDisk` if it changes meanwhile;
  ///   `ObjectStoreError`; `CloudDataError` for the lists of `base`; `CancellationError`.
  @concurrent
  package func content(
    progress: @Sendable (_ bytes: Int) -> Void = { _ in }
  ) async throws -> FileContent {
    var known: Set<BlobName> = []
    try await base?.forEachPiece(in: blobs, child: node.path.display) { piece, _ in known.insert(piece.name) }
    let reader = PieceReader(node, OpenNode(try node.openFile()))
    var pieces: [FilePiece] = []
    try await withThrowingTaskGroup(of: Void.self) { group in
      var running = 0
      while let bytes = try await reader.next(maximumWhole: Self.maximumWhole) {
        try Task.checkCancellation()
        let piece = FilePiece(BlobName(of: bytes), size: UInt64(bytes.count))
        pieces.append(piece)
        if known.insert(piece.name).inserted {
          if running == Self.maximumPieces { try await group.next() } else { running += 1 }
          group.addTask { try await blobs.put(bytes) }
        }
        progress(bytes.count)
      }
      try await group.waitForAll()
    }
    let (status, hash) = try await reader.finish()
    let list = try await PieceList.store(pieces, in: blobs)
    return FileContent(size: status.size, hash: hash, modified: status.modified, list: list)
  }
}
