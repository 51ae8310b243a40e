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
        pieces.append(FilePiece(BlobName(try reader.readHash()), size: try reader.read()))
      }
    } catch {
      return nil
    }
    var sum: UInt64 = 0
    for piece in pieces {
      guard (1...UInt64(PieceCutter.maximumSize)).contains(piece.size) else { return nil }
      sum += piece.size
    }
    if sum != size { return nil }
  }
}

extension PieceList {
  /// Stores the list of these pieces of a file; returns nil if one blob has the file.
  ///
  /// - Throws: `CloudDataError` if there are too many for a list; the errors of the store.
  package static func store(_ pieces: [FilePiece], in blobs: BlobStore) async throws -> BlobName? {
    if pieces.count <= 1 { return nil }
    let bytes = PieceList(pieces).bytes
    guard bytes.count <= BlobStore.maximumSize else {
      throw CloudDataError(.refused, in: blobs.place, reason: "it has a file with too many pieces")
    }
    return try await blobs.putPage(bytes)
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
    var pieces = size == 0 ? [] : [FilePiece(BlobName(hash), size: size)]
    if let list {
      let bytes = try await blobs.page(list, maximumSize: BlobStore.maximumSize, child: child)
      guard let read = PieceList(decoding: bytes, size: size) else {
        throw CloudDataError(.invalid, in: blobs.place, blob: list, child: child)
      }
      pieces = read.pieces
    }
    var offset: UInt64 = 0
    for piece in pieces {
      try await body(piece, offset)
      offset += piece.size
    }
  }
}
