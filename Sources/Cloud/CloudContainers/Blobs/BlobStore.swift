import DurableIO
import FilePackages
package import FoundationEssentials
package import ObjectStores
import Synchronization

// BL1 A blob is immutable: its name says which bytes it has, and `get` gives no other bytes.
// BL2 After `put` returns, the store has the blob, or had it when another call noted it as known. A collection of garbage
//     may take it before a version needs it: see CM2.

/// The blobs of a container: pieces of content, and pages of trees.
///
/// Calls from any tasks run at once, eight to the store at most.
package final class BlobStore: Sendable {
  /// The largest number of calls to the store at once.
  package static let maximumCalls = 8
  /// The size up to which a blob goes to the store without a look at whether that has it, in bytes.
  private static let smallSize = 64 << 10
  /// The size of the largest blob, in bytes.
  package static let maximumSize = 8 << 20

  /// The store that has the blobs.
  package let store: any ObjectStore
  private let known: any KnownBlobs
  private let pages: PageCache?
  /// The blobs that are in no object of the store. Puts add to them.
  let enclosure: Enclosure?
  private let limit: AsyncSemaphore
  /// The running puts, with the calls that wait for their results.
  private let running = Mutex<[BlobName: [CheckedContinuation<PutResult?, Never>]]>([:])
  /// Whether a put replaces a blob that the store has, which may be damaged.
  private let overwrites: Bool

  /// The result of a put that other calls with the same bytes joined.
  private enum PutResult: Sendable {
    case done
    case failed(any Error)
    /// The task of the put was cancelled, which says nothing to the others.
    case cancelled
  }

  /// - Parameters:
  ///   - known: the blobs that need no upload.
  ///   - pages: the pages of trees that are here; nil for none.
  ///   - overwrites: whether a put replaces a blob that the store has, which may be damaged.
  package init(
    _ store: any ObjectStore, known: any KnownBlobs = UploadedBlobs(), pages: PageCache? = nil,
    overwrites: Bool = false
  ) {
    (self.store, self.known, self.pages, self.overwrites) = (store, known, pages, overwrites)
    (enclosure, limit) = (nil, AsyncSemaphore(Self.maximumCalls))
  }

  private init(_ other: BlobStore, _ enclosure: Enclosure) {
    (store, known, pages, limit) = (other.store, other.known, other.pages, other.limit)
    (self.enclosure, overwrites) = (enclosure, other.overwrites)
  }

  /// The same blobs and those of an enclosure. A put adds to the enclosure, and not to the store.
  func enclosing(_ enclosure: Enclosure) -> BlobStore { BlobStore(self, enclosure) }

  /// The same blobs and these, which are in no object.
  package func adding(_ more: [Data]) -> BlobStore {
    if more.isEmpty { return self }
    let new = Enclosure(more)
    for (name, bytes) in enclosure?.all ?? [:] { new.insert(bytes, as: name) }
    return enclosing(new)
  }

  /// Stores each blob of an enclosure.
  func put(all enclosure: Enclosure) async throws {
    let blobs = enclosure.all.sorted { $0.key < $1.key }.map(\.value)
    _ = try await concurrentMap(blobs, Self.maximumCalls) { try await self.put($0) }  // The names are known.
  }

  /// The place of the store in the words of an error.
  package var place: String { store.place }

  // MARK: Pages

  /// Stores a page of a tree or a list of pieces, as `put(_:)`, and keeps it here.
  @concurrent @discardableResult
  package func putPage(_ page: Data) async throws -> BlobName {
    let name = try await put(page)
    if enclosure == nil { await pages?.insert(page, as: name) }
    return name
  }

  /// Reads a page of a tree or a list of pieces, as `get(_:maximumSize:child:)`, unless it is here.
  @concurrent
  package func page(_ name: BlobName, maximumSize: Int, child: String? = nil) async throws -> Data {
    if let page = enclosure?[name], page.count <= maximumSize { return page }
    if let page = await pages?.page(name), page.count <= maximumSize { return page }
    let page = try await get(name, maximumSize: maximumSize, child: child)
    await pages?.insert(page, as: name)
    return page
  }

  // MARK: Putting

  /// Stores a blob (BL2). Equal blobs that other tasks store at this moment are one call.
  ///
  /// - Throws: `ObjectStoreError`; `CancellationError`; the errors of the known blobs.
  @concurrent @discardableResult
  package func put(_ bytes: Data) async throws -> BlobName {
    precondition(bytes.count <= Self.maximumSize, "a blob is cut into pieces before it is stored")
    let name = BlobName(of: bytes)
    if let enclosure {
      enclosure.insert(bytes, as: name)
      return name
    }
    while true {
      if try await known.contains(name) { return name }
      switch await join(name) {
      case nil:
        try await putFirst(bytes, as: name)
        return name
      case .done: return name
      case .failed(let error): throw error
      case .cancelled: try Task.checkCancellation()
      }
    }
  }

  /// Waits for the running put of a blob. If there is none, it notes one and returns nil.
  private func join(_ name: BlobName) async -> PutResult? {
    await withCheckedContinuation { continuation in
      let isFirst = running.withLock { running in
        if running[name] == nil {
          running[name] = []
          return true
        }
        running[name]?.append(continuation)
        return false
      }
      if isFirst { continuation.resume(returning: nil) }
    }
  }

  private func putFirst(_ bytes: Data, as name: BlobName) async throws {
    var result = PutResult.cancelled
    defer {
      let joined = running.withLock { $0.removeValue(forKey: name) } ?? []
      for continuation in joined { continuation.resume(returning: result) }
    }
    do {
      let moment = known.moment
      try await store(bytes, as: name)
      known.insert(name, since: moment)
      result = .done
    } catch {
      let isCancelled = error is CancellationError || (error as? ObjectStoreError)?.code == .cancelled
      if !isCancelled { result = .failed(error) }
      throw error
    }
  }

  private func store(_ bytes: Data, as name: BlobName) async throws {
    try await limit.waitUnlessCancelled()
    defer { limit.signal() }
    try await store.oneObject {
      // A large blob does not go twice.
      if !overwrites, bytes.count > Self.smallSize, try await store.head(name.key) != nil { return }
      try await store.put(bytes, at: name.key, ifAbsent: !overwrites)
    }
  }

  // MARK: Getting

  /// Reads a blob (BL1).
  ///
  /// - Parameters:
  ///   - maximumSize: no more bytes than these are read, and one more.
  ///   - child: the path of the child that needs the blob, for errors.
  /// - Throws: `CloudDataError` if the blob is missing, larger or another one; `ObjectStoreError`;
  ///   `CancellationError`.
  @concurrent
  package func get(
    _ name: BlobName, maximumSize: Int = maximumSize, child: String? = nil
  ) async throws -> Data {
    if let bytes = enclosure?[name], bytes.count <= maximumSize { return bytes }
    let bytes = try await bytes(of: name, limit: maximumSize + 1)
    func error(_ code: CloudDataError.Code) -> CloudDataError {
      CloudDataError(code, in: place, blob: name, child: child)
    }
    guard let bytes else { throw error(.missing) }
    if bytes.count > maximumSize { throw error(.tooLarge) }
    guard BlobName(of: bytes) == name else { throw error(.wrongBytes) }
    return bytes
  }

  private func bytes(of name: BlobName, limit size: Int) async throws -> Data? {
    try await limit.waitUnlessCancelled()
    defer { limit.signal() }
    return try await store.content(of: name.key, limit: size)
  }
}
