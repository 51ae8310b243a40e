import FilePackages
package import FoundationEssentials

/// The list of a file's pieces in a blob of its own.
package struct PieceList: Sendable, Hashable {
  /// The pieces, in order.
  package var pieces: [FilePiece]

  private static let format: UInt8 = 1
  private static let pieceSize = ContentHash.count + 8

  package init(_ pieces: [FilePiece]) { self.pieces = pieces }

  /// The list as a blob.
  package var bytes: Data {
    var writer = ByteWriter()
    writer.write(Self.format)
    for piece in pieces {
      writer.write(piece.name.hash)
      writer.write(piece.size)
    }
    return Data(writer.bytes)
  }

  /// Reads a list from bytes of any origin.
  ///
  /// - Parameter size: the bytes of the file that it must have.
  /// - Returns: nil if it is another one.
  package init?(decoding bytes: Data, size: UInt64) {
    var reader = ByteReader(Array(bytes)[...])
    pieces = []
    do {
      guard bytes.count % Self.pieceSize == 1, try reader.read(UInt8.self) == Self.format else { return nil }
      while reader.remaining > 0 {
        guard let hash = ContentHash(bytes: try reader.read(count: ContentHash.count)) else { return nil }
        pieces.append(FilePiece(BlobName(hash), size: try reader.read()))
      }
    } catch {
      return nil
    }
    guard FilePiece.sum(pieces) == size, pieces.allSatisfy({ $0.size <= UInt64(PieceCutter.maximumSize) })
    else { return nil }
  }
}

extension FileContent.Storage {
  /// Stores the list of these pieces, and returns the storage.
  ///
  /// - Throws: `CloudDataError` if there are too many for a list; the errors of the store.
  package static func storing(_ pieces: [FilePiece], in blobs: BlobStore) async throws -> FileContent.Storage
  {
    if pieces.count <= 1 { return .whole }
    if pieces.count <= TreePage.maximumPieces { return .pieces(pieces) }
    let bytes = PieceList(pieces).bytes
    guard bytes.count <= BlobStore.maximumSize else {
      throw CloudDataError(.refused, in: blobs.place, reason: "it has a file with too many pieces")
    }
    return .list(try await blobs.putPage(bytes))
  }
}

extension FileContent {
  /// Calls `body` with each piece of the file in order, and the offset of its first byte.
  ///
  /// - Parameter child: the file's path, for errors.
  /// - Throws: `CloudDataError` for a list that is missing, damaged or of another size; `ObjectStoreError`;
  ///   the errors of `body`.
  package func forEachPiece(
    in blobs: BlobStore, child: String? = nil, _ body: (FilePiece, UInt64) async throws -> Void
  ) async throws {
    switch storage {
    case .whole:
      if size > 0 { try await body(FilePiece(BlobName(hash), size: size), 0) }
    case .pieces(let pieces): try await forEach(pieces, body)
    case .list(let name):
      let bytes = try await blobs.page(name, maximumSize: BlobStore.maximumSize, child: child)
      guard let list = PieceList(decoding: bytes, size: size) else {
        throw CloudDataError(.invalid, in: blobs.place, blob: name, child: child)
      }
      try await forEach(list.pieces, body)
    }
  }

  private func forEach(
    _ pieces: [FilePiece], _ body: (FilePiece, UInt64) async throws -> Void
  ) async throws {
    var offset: UInt64 = 0
    for piece in pieces {
      try await body(piece, offset)
      offset += piece.size
    }
  }
}
