import Documents
import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage

/// The contents of files that came from a container: small ones in memory, large ones in a hidden folder beside the
/// document. Each has the size and the hash of its entry. The folder goes with this value and the wrappers that it made.
struct FetchedContents: Sendable {
  /// The size of the largest file that stays in memory, in bytes.
  private static let maximumInMemory: UInt64 = 1 << 20
  /// The bytes of all files that stay in memory.
  private static let memory: UInt64 = 16 << 20

  private var contents: [ContentHash: FileContents] = [:]

  /// Returns a file wrapper with the content, mode and date of an entry; nil if the entry is not here.
  func wrapper(_ content: FileContent, mode: UInt16) -> FileWrapper? {
    guard let bytes = content.size == 0 ? .data(Data()) : contents[content.hash] else { return nil }
    let file = FileWrapper.imported(bytes)
    file.setImported(mode: mode, modified: content.modified)
    return file
  }

  /// Fetches contents, each once.
  ///
  /// - Parameters:
  ///   - entries: the entries; folders and links have no content.
  ///   - nearby: packages whose files may have pieces at the same places. The store gives all other pieces.
  ///   - document: the place of the document.
  ///   - progress: gets the bytes that have arrived since its last call, and all bytes; first 0 bytes.
  /// - Throws: `noSpace` before anything is fetched if the disk has not enough room; `CloudDataError`;
  ///   `ObjectStoreError`; `FilePackageError`; `CancellationError`.
  static func fetch(
    _ entries: [TreeEntry], from blobs: BlobStore, or nearby: [NearbyPackage] = [],
    beside document: FilePath, on disk: any Disk,
    progress: @escaping @Sendable (_ arrived: UInt64, _ total: UInt64) -> Void
  ) async throws -> FetchedContents {
    var wanted: [ContentHash: (path: PackagePath, content: FileContent)] = [:]
    for entry in entries {
      if case .file(let content) = entry.kind, content.size > 0 {
        wanted[content.hash] = (entry.path, content)
      }
    }
    let sorted = wanted.values.sorted { $0.path < $1.path }
    let total = sorted.reduce(0) { $0 + $1.content.size }
    progress(0, total)
    let fetcher = Fetcher(blobs: blobs, nearby: nearby, document: document, disk: disk) {
      progress($0, total)
    }
    var (memory, large) = (Self.memory, sorted)
    var small: [(path: PackagePath, content: FileContent)] = []
    large.removeAll { file in
      guard file.content.size <= min(memory, maximumInMemory), file.content.list == nil else { return false }
      memory -= file.content.size
      small.append(file)
      return true
    }
    let (folder, count) = (try await fetcher.folder(for: large.map(\.content)), small.count)
    let files = Array((small + large).enumerated())
    let contents = try await concurrentMap(files, BlobStore.maximumCalls) {
      number, file -> (ContentHash, FileContents) in
      let (path, content) = file
      guard number >= count, let folder else {
        return (content.hash, .data(try await fetcher.bytes(of: content, at: path)))
      }
      return (content.hash, try await fetcher.file(content, at: path, number, in: folder))
    }
    return FetchedContents(contents: Dictionary(uniqueKeysWithValues: contents))
  }
}

/// Fetches single files.
private struct Fetcher: Sendable {
  let blobs: BlobStore
  let nearby: [NearbyPackage]
  let document: FilePath
  let disk: any Disk
  /// Gets the bytes of each piece.
  let arrived: @Sendable (UInt64) -> Void

  /// Makes the folder for large files; nil if there are none.
  func folder(for large: [FileContent]) async throws -> WrittenFiles? {
    if large.isEmpty { return nil }
    return try await BlockingThread().run { () throws(FilePackageError) in
      let folder = try WrittenFiles.folder(beside: document, on: disk)
      let size = large.reduce(0) { $0 + $1.size }
      if let room = try attempt(.root, { try folder.room().bytes }), room < size {
        throw FilePackageError(
          .noSpace, .save, document: FileName(document).string,
          reason: "its content takes \(size) bytes, and the disk has \(room) left")
      }
      return folder
    }
  }

  /// Fetches a file into memory.
  @concurrent
  func bytes(of content: FileContent, at path: PackagePath) async throws -> Data {
    let bytes = try await piece(FilePiece(BlobName(content.hash), size: content.size), at: 0, of: path)
    arrived(content.size)
    return bytes
  }

  /// The number of pieces of one file at once. Pieces of this machine take no time to arrive, and so take memory at once.
  private var maximumPieces: Int { nearby.isEmpty ? BlobStore.maximumCalls : BlobStore.maximumCalls / 4 }

  /// Fetches a file into the folder, several pieces at a time.
  @concurrent
  func file(
    _ content: FileContent, at path: PackagePath, _ number: Int, in folder: WrittenFiles
  ) async throws -> FileContents {
    let name = FileName("\(number)")
    let file = try await blocking(path) { () throws(SystemError) in try folder.makeFile(name) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      var running = 0
      try await content.forEachPiece(in: blobs, child: path.display) { piece, offset in
        if running == maximumPieces { try await group.next() } else { running += 1 }
        group.addTask { try await fetch(piece, to: file, at: offset, of: path) }
      }
      try await group.waitForAll()
    }
    let (contents, hash) = try await blocking(path) { () throws(SystemError) in
      (try folder.contents(of: name), try disk.contentHash(of: file.descriptor))
    }
    guard contents.size == content.size, hash == content.hash else { throw wrong(path) }
    return contents
  }

  private func fetch(
    _ piece: FilePiece, to file: OpenNode, at offset: UInt64, of path: PackagePath
  ) async throws {
    let bytes = try await self.piece(piece, at: offset, of: path)
    try await blocking(path) { () throws(SystemError) in
      try disk.write(Array(bytes), to: file.descriptor, at: offset)
    }
    arrived(piece.size)
  }

  /// Returns the bytes of a piece: from a package nearby that has them at this offset, or else from the store.
  private func piece(_ piece: FilePiece, at offset: UInt64, of path: PackagePath) async throws -> Data {
    let maximumSize = min(piece.size, UInt64(BlobStore.maximumSize))
    for package in nearby {
      try Task.checkCancellation()
      let (end, isTooLarge) = offset.addingReportingOverflow(maximumSize)
      if !isTooLarge, let bytes = await package.bytes(of: path, in: offset..<end),
        BlobName(of: bytes) == piece.name
      {
        return bytes
      }
    }
    let bytes = try await blobs.get(piece.name, maximumSize: Int(maximumSize), child: path.display)
    guard UInt64(bytes.count) == piece.size else { throw wrong(path) }
    return bytes
  }

  private func blocking<Result: Sendable>(
    _ path: PackagePath, _ body: @escaping @Sendable () throws(SystemError) -> Result
  ) async throws -> Result {
    try await BlockingThread().run { () throws(FilePackageError) in try attempt(path, body) }
  }

  private func attempt<Result>(
    _ path: PackagePath, _ body: () throws -> Result
  ) throws(FilePackageError) -> Result {
    try StoredNode(location: Location(document, on: disk), path: path)
      .attempt(.save, "storing the download", body)
  }

  private func wrong(_ path: PackagePath) -> CloudDataError {
    CloudDataError(
      .invalid, in: blobs.place, child: path.display, reason: "its bytes are not what the document says")
  }
}
