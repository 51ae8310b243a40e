import FilePackages
package import FoundationEssentials

/// A list of pieces in a blob of its own, or a list of such lists.
///
/// A list ends after a piece whose hash says so. So a change of one piece makes one new list of each height.
package struct PieceList: Sendable, Hashable {
  /// 1 for a list of pieces; the lists in a list are one lower.
  package var height: UInt8
  /// The pieces, or the lists with their sums, in order.
  package var parts: [FilePiece]

  private static let format: UInt8 = 1
  private static let partSize = ContentHash.count + 8
  private static let leastParts = 8
  private static let mostParts = 512
  /// The size of the largest list, in bytes.
  static let maximumSize = 2 + mostParts * partSize

  package init(height: UInt8, parts: [FilePiece]) { (self.height, self.parts) = (height, parts) }

  /// The list as a blob.
  package var bytes: Data {
    var writer = ByteWriter()
    writer.write(Self.format)
    writer.write(height)
    for part in parts {
      writer.write(part.name.hash)
      writer.write(part.size)
    }
    return Data(writer.bytes)
  }

  /// Reads a list from bytes of any origin.
  ///
  /// - Parameters:
  ///   - height: the height that it must have.
  ///   - size: the bytes of the file that it must have.
  /// - Returns: nil if it is another one.
  package init?(decoding bytes: Data, height: UInt8, size: UInt64) {
    guard bytes.count <= Self.maximumSize, bytes.count > 2, (bytes.count - 2) % Self.partSize == 0 else {
      return nil
    }
    var reader = ByteReader(Array(bytes)[...])
    do {
      guard try reader.read(UInt8.self) == Self.format, try reader.read(UInt8.self) == height else {
        return nil
      }
      self.init(height: height, parts: [])
      while reader.remaining > 0 {
        guard let hash = ContentHash(bytes: try reader.read(count: ContentHash.count)) else { return nil }
        parts.append(FilePiece(BlobName(hash), size: try reader.read()))
      }
    } catch {
      return nil
    }
    guard FilePiece.sum(parts) == size else { return nil }
    if height == 1, parts.contains(where: { $0.size > UInt64(PieceCutter.maximumSize) }) { return nil }
  }

  /// Cuts parts into lists.
  static func lists(of parts: [FilePiece], height: UInt8) -> [PieceList] {
    var lists: [PieceList] = []
    var open: [FilePiece] = []
    for part in parts {
      open.append(part)
      let isEnd = part.name.hash.withUnsafeBytes { $0[0] & 63 == 0 }
      if isEnd && open.count >= leastParts || open.count == mostParts {
        lists.append(PieceList(height: height, parts: open))
        open = []
      }
    }
    if !open.isEmpty { lists.append(PieceList(height: height, parts: open)) }
    return lists
  }
}

extension FileContent.Storage {
  /// Stores the lists of these pieces, and returns the storage.
  package static func storing(_ pieces: [FilePiece], in blobs: BlobStore) async throws -> FileContent.Storage
  {
    if pieces.count <= 1 { return .whole }
    if pieces.count <= TreePage.maximumPieces { return .pieces(pieces) }
    var parts = pieces
    var height: UInt8 = 0
    repeat {
      height += 1
      var above: [FilePiece] = []
      for list in PieceList.lists(of: parts, height: height) {
        above.append(
          FilePiece(try await blobs.putPage(list.bytes), size: list.parts.reduce(0) { $0 + $1.size }))
      }
      parts = above
    } while parts.count > 1
    return .list(parts[0].name, height: height)
  }
}

extension FileContent {
  /// Calls `body` with each piece of the file in order, and the offset of its first byte.
  ///
  /// - Parameter child: the file's path, for errors.
  /// - Throws: `CloudDataError` for lists that are missing, damaged or of another size; `ObjectStoreError`;
  ///   the errors of `body`.
  package func forEachPiece(
    in blobs: BlobStore, child: String? = nil, _ body: (FilePiece, UInt64) async throws -> Void
  ) async throws {
    switch storage {
    case .whole:
      if size > 0 { try await body(FilePiece(BlobName(hash), size: size), 0) }
    case .pieces(let pieces):
      var offset: UInt64 = 0
      for piece in pieces {
        try await body(piece, offset)
        offset += piece.size
      }
    case .list(let name, let height):
      var walk = PieceWalk(blobs: blobs, child: child)
      try await walk.forEach(in: FilePiece(name, size: size), height: height, body)
    }
  }
}

/// The walk through the lists of one file.
private struct PieceWalk {
  let blobs: BlobStore
  let child: String?
  var offset: UInt64 = 0

  mutating func forEach(
    in list: FilePiece, height: UInt8, _ body: (FilePiece, UInt64) async throws -> Void
  ) async throws {
    let bytes = try await blobs.page(list.name, maximumSize: PieceList.maximumSize, child: child)
    guard let read = PieceList(decoding: bytes, height: height, size: list.size) else {
      throw CloudDataError(.invalid, in: blobs.place, blob: list.name, child: child)
    }
    for part in read.parts {
      if height > 1 {
        try await forEach(in: part, height: height - 1, body)
      } else {
        try await body(part, offset)
        offset += part.size
      }
    }
  }
}
