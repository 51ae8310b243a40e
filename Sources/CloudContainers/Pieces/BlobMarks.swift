import FilePackages
import FoundationEssentials

/// The blobs that trees need; each page is read once, however many trees have it.
struct BlobMarks {
  private let blobs: BlobStore
  private(set) var names: Set<BlobName> = []
  /// The blobs that are needed and missing or damaged, with the reasons.
  private(set) var problems: [any Error] = []

  init(_ blobs: BlobStore) { self.blobs = blobs }

  /// Marks the blobs of a tree.
  ///
  /// - Throws: the errors of the store. A page that is missing or damaged is one of the `problems`.
  mutating func mark(_ root: TreeRoot) async throws {
    let reader = TreeReader(blobs)
    var rest = [TreeReader.Position(root)]
    while let position = rest.popLast() {
      guard names.insert(position.page).inserted else { continue }
      do {
        let page = try await reader.page(at: position)
        reader.forget(position.page)
        var after = position.after
        for item in page.items {
          switch item {
          case .entry(let entry):
            if case .file(let content) = entry.kind { try await mark(content, entry.path) }
          case .branch(let branch):
            rest.append(TreeReader.Position(branch, level: page.level - 1, after: after))
            after = branch.lastPath
          }
        }
      } catch let error as CloudDataError {
        problems.append(error)
      }
    }
  }

  private mutating func mark(_ content: FileContent, _ path: PackagePath) async throws {
    if case .list(let name, let height) = content.storage {
      try await markLists(name, content.size, height, path)
    }
    var found: [BlobName] = []
    try await content.forEachPiece(in: blobs, child: path.display) { piece, _ in found.append(piece.name) }
    names.formUnion(found)
  }

  /// Marks a list of pieces, and the lists in it.
  private mutating func markLists(
    _ name: BlobName, _ size: UInt64, _ height: UInt8, _ path: PackagePath
  ) async throws {
    guard names.insert(name).inserted, height > 1 else { return }
    let bytes = try await blobs.get(name, maximumSize: PieceList.maximumSize, child: path.display)
    guard let list = PieceList(decoding: bytes, height: height, size: size) else {
      throw CloudDataError(.invalid, in: blobs.place, blob: name, child: path.display)
    }
    for part in list.parts { try await markLists(part.name, part.size, height - 1, path) }
  }
}
