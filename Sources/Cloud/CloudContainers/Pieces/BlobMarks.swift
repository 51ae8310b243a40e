import FilePackages
import FoundationEssentials
import ObjectStores

/// The blobs that trees need; each page is read once, however many trees have it.
struct BlobMarks {
  struct Mark {
    /// The name of a document that needs the blob.
    var document: String?
    /// The size of a piece of content, which the marking does not read; nil for any other blob.
    var size: UInt64?
  }

  private let blobs: BlobStore
  /// All blobs: pages of trees, lists of pieces, and pieces of content.
  private(set) var marks: [BlobName: Mark] = [:]
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
    var rest = trees[...]
    while !rest.isEmpty {
      var part: [(root: TreeRoot, document: String?)] = []
      while part.count < BlobStore.maximumCalls, let tree = rest.popFirst() {
        if insert(tree.root.page, tree.document) { part.append(tree) }
      }
      let opened = try await concurrentMap(part, BlobStore.maximumCalls) { root, document in
        try await checking(document) { try await OpenedTree(root, blobs) }
      }
      for (tree, result) in zip(part, opened) {
        switch result {
        case .failure(let error): problems.append(error)
        case .success(let opened): try await mark(opened, tree.root, tree.document)
        }
      }
    }
  }

  /// Marks the pages of a tree and their contents.
  private mutating func mark(_ tree: OpenedTree, _ root: TreeRoot, _ document: String?) async throws {
    var rest = tree.pages.filter {
      $0.branch.root.page == root.page || insert($0.branch.root.page, document)
    }[...]
    while !rest.isEmpty {
      let part = rest.prefix(BlobStore.maximumCalls)
      rest = rest.dropFirst(part.count)
      let read = try await concurrentMap(part, BlobStore.maximumCalls) { page in
        try await checking(document) { try await tree.entries(of: page) }
      }
      for result in read {
        switch result {
        case .failure(let error): problems.append(error)
        case .success(let entries): for entry in entries { try await mark(entry, document) }
        }
      }
    }
  }

  private mutating func mark(_ entry: TreeEntry, _ document: String?) async throws {
    guard case .file(let content) = entry.kind else { return }
    do {
      try await mark(content, entry.path, document)
      if content.list != nil {
        composed[content.hash] = ComposedFile(content: content, path: entry.path, document: document)
      }
    } catch var error as CloudDataError {
      error.document = document
      problems.append(error)
    }
  }

  private mutating func mark(_ content: FileContent, _ path: PackagePath, _ document: String?) async throws {
    if let name = content.list { insert(name, document) }
    var found: [FilePiece] = []
    try await content.forEachPiece(in: blobs, child: path.display) { piece, _ in found.append(piece) }
    for piece in found { insert(piece.name, document, piece.size) }
  }

  /// Marks a blob; returns whether it is a new one.
  @discardableResult
  private mutating func insert(_ name: BlobName, _ document: String?, _ size: UInt64? = nil) -> Bool {
    marks.updateValue(Mark(document: document, size: size), forKey: name) == nil
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

extension Result where Failure == CloudDataError {
  /// The error of a failure.
  var problem: CloudDataError? { if case .failure(let error) = self { error } else { nil } }
}
