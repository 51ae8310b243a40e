import FilePackages
import FoundationEssentials

/// A file in several pieces, of a document in a container.
struct ComposedFile: Sendable {
  var content: FileContent
  var path: PackagePath
  /// The name of the document, for errors.
  var document: String?

  /// Reads all pieces, and compares the file with its hash. One piece is in memory.
  ///
  /// - Throws: `CloudDataError` if a piece is missing or damaged, or if the file is another one.
  func check(in blobs: BlobStore) async throws {
    var (hash, size) = (SHA256(), UInt64(0))
    try await content.forEachPiece(in: blobs, child: path.display) { piece, _ in
      let bytes = try await blobs.get(piece.name, child: path.display)
      bytes.withUnsafeBytes { hash.update($0) }
      size += UInt64(bytes.count)
    }
    guard size == content.size, hash.finalize() == content.hash else {
      throw CloudDataError(
        .invalid, in: blobs.place, child: path.display, reason: "its bytes are not what the document says")
    }
  }
}
