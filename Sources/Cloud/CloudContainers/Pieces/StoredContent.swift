import FilePackages
import FoundationEssentials
import ObjectStores

/// The question to a store whether it has the content of documents, whatever this machine remembers of the store.
///
/// Cost: one request for each blob, eight at a time. Pages, lists and small pieces are read, and their bytes are
/// compared with their names. Of a larger piece the store tells the size.
struct StoredContent: Sendable {
  /// The size of the largest piece that is read, in bytes.
  private let maximumRead: UInt64
  private let blobs: BlobStore

  /// Makes a question. The pages that this machine keeps do not count.
  ///
  /// - Parameter readsAll: whether to read the larger pieces, too.
  init(in store: any ObjectStore, readsAll: Bool = false) {
    blobs = BlobStore(store)
    maximumRead = readsAll ? .max : 64 << 10
  }

  /// Looks at all blobs of these trees.
  ///
  /// - Parameter document: the name of their document, for errors.
  /// - Throws: `CloudDataError` for a blob that is missing, damaged or of another size; `ObjectStoreError`;
  ///   `CancellationError`.
  func check(_ roots: [TreeRoot], of document: String) async throws {
    var marks = BlobMarks(blobs)
    try await marks.mark(roots.map { ($0, document) })
    if let problem = marks.problems.first { throw problem }
    let (blobs, maximumRead) = (blobs, maximumRead)
    // The checks have no values.
    let pieces = marks.marks.compactMap { name, mark in mark.size.map { (name, $0) } }
    _ = try await concurrentMap(pieces.sorted { $0.0 < $1.0 }, BlobStore.maximumCalls) { name, size in
      try await checking(document) {
        if size <= maximumRead {
          _ = try await blobs.get(name, maximumSize: Int(size))  // It checks the bytes.
          return
        }
        let store = blobs.store
        guard let object = try await store.oneObject({ try await store.head(name.key) }) else {
          throw CloudDataError(.missing, in: blobs.place, blob: name)
        }
        guard UInt64(object.size) == size else {
          throw CloudDataError(.wrongBytes, in: blobs.place, blob: name)
        }
      }.get()
    }
  }
}
