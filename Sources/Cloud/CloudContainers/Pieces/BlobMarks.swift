import FilePackages
import FoundationEssentials
import ObjectStores

/// The blobs that trees need; each page is read once, however many trees have it.
struct BlobMarks {
  private let blobs: BlobStore
  /// All blobs: pages of trees, lists of pieces, and pieces of content.
  private(set) var names: Set<BlobName> = []
  /// The sizes of the pieces of content. The marking reads the other blobs, and not these.
  private(set) var pieces: [BlobName: UInt64] = [:]
  /// The names of the documents that need the blobs; of one of them for a blob of several.
  private(set) var documents: [BlobName: String] = [:]
  /// The files in several pieces, each once, with their paths. No blob has the hash of such a file in its name.
  private(set) var composed: [ContentHash: ComposedFile] = [:]
  /// The blobs that are needed and missing or damaged, with the reasons.
  private(set) var problems: [CloudDataError] = []

  init(_ blobs: BlobStore) { self.blobs = blobs }

  /// Marks the blobs of trees; reads eight pages at a time.
  ///
  /// - Parameter trees: the trees, with the names of their documents for errors.
  /// - Throws: the errors of the store. A page that is missing or damaged is one of the `problems`.
  mutating func mark(_ trees: [(root: TreeRoot, document: String?)]) async throws {
    let blobs = blobs
    var rest = trees.map { Page(position: TreeReader.Position($0.root), document: $0.document) }
    while !rest.isEmpty {
      var part: [Page] = []
      while part.count < BlobStore.maximumCalls, let page = rest.popLast() {
        guard names.insert(page.position.page).inserted else { continue }
        documents[page.position.page] = page.document
        part.append(page)
      }
      let read = try await concurrentMap(part, BlobStore.maximumCalls) { page in
        try await checking(page.document) { try await TreeReader(blobs).page(at: page.position) }
      }
      for (page, result) in zip(part, read) {
        switch result {
        case .failure(let error): problems.append(error)
        case .success(let found): rest += try await mark(found, at: page)
        }
      }
    }
  }

  /// A page that is to be marked.
  private struct Page: Sendable {
    var position: TreeReader.Position
    var document: String?
  }

  /// Marks the contents of a page; returns the pages below it.
  private mutating func mark(_ found: TreePage, at page: Page) async throws -> [Page] {
    var below: [Page] = []
    var after = page.position.after
    for item in found.items {
      switch item {
      case .entry(let entry):
        guard case .file(let content) = entry.kind else { continue }
        do {
          try await mark(content, entry.path, page.document)
          if content.storage != .whole {
            composed[content.hash] = ComposedFile(
              content: content, path: entry.path, document: page.document)
          }
        } catch var error as CloudDataError {
          error.document = page.document
          problems.append(error)
        }
      case .branch(let branch):
        let position = TreeReader.Position(branch, level: found.level - 1, after: after)
        below.append(Page(position: position, document: page.document))
        after = branch.lastPath
      }
    }
    return below
  }

  private mutating func mark(_ content: FileContent, _ path: PackagePath, _ document: String?) async throws {
    if case .list(let name, let height) = content.storage {
      documents[name] = document
      try await markLists(name, content.size, height, path)
    }
    var found: [BlobName: UInt64] = [:]
    try await content.forEachPiece(in: blobs, child: path.display) { piece, _ in
      found[piece.name] = piece.size
    }
    names.formUnion(found.keys)
    for name in found.keys { documents[name] = document }
    pieces.merge(found) { _, new in new }
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

/// Returns the result of `body`, or the error that says which data are missing or damaged.
///
/// - Parameter document: the name of the document for the error.
/// - Throws: all other errors.
func checking<Success: Sendable>(
  _ document: String? = nil, _ body: () async throws -> Success
) async throws -> Result<Success, CloudDataError> {
  do {
    return .success(try await body())
  } catch var error as CloudDataError {
    error.document = error.document ?? document
    return .failure(error)
  }
}
