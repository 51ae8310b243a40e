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
  private let known: KnownBlobs
  /// The blobs that are in no object of the store; puts add to them. nil if puts go to the store.
  private let enclosure: Enclosure?
  private let limit: AsyncSemaphore
  /// Whether a put replaces a blob that the store has, which may be damaged.
  private let overwrites: Bool

  private final class Enclosure: Sendable {
    let blobs: Mutex<[BlobName: Data]>
    init(_ blobs: [BlobName: Data]) { self.blobs = Mutex(blobs) }
  }

  /// - Parameters:
  ///   - known: the blobs that need no upload, and the pages that are here.
  ///   - overwrites: whether a put replaces a blob that the store has, which may be damaged.
  package init(_ store: any ObjectStore, known: KnownBlobs = KnownBlobs(), overwrites: Bool = false) {
    (self.store, self.known, self.overwrites) = (store, known, overwrites)
    (enclosure, limit) = (nil, AsyncSemaphore(Self.maximumCalls))
  }

  private init(_ other: BlobStore, _ enclosure: Enclosure) {
    (store, known, limit) = (other.store, other.known, other.limit)
    (self.enclosure, overwrites) = (enclosure, other.overwrites)
  }

  /// The same blobs and these, which are in no object. A put adds to them, and not to the store.
  func enclosing(_ more: some Sequence<Data> = []) -> BlobStore {
    BlobStore(self, Enclosure(enclosed.merging(more.map { (BlobName(of: $0), $0) }) { _, new in new }))
  }

  /// The same blobs and these, which are in no object.
  package func adding(_ more: [Data]) -> BlobStore { more.isEmpty ? self : enclosing(more) }

  /// The blobs that are in no object, by name.
  var enclosed: [BlobName: Data] { enclosure?.blobs.withLock { $0 } ?? [:] }

  /// Stores each of these blobs.
  func put(all blobs: some Collection<Data>) async throws {
    _ = try await concurrentMap(blobs, Self.maximumCalls) { try await self.put($0) }  // The names are known.
  }

  /// The place of the store in the words of an error.
  package var place: String { store.place }

  // MARK: Pages

  /// Stores a page of a tree or a list of pieces, as `put(_:)`, and keeps it here.
  @concurrent @discardableResult
  package func putPage(_ page: Data) async throws -> BlobName {
    let name = try await put(page)
    if enclosure == nil { try await known.keep(page, as: name) }
    return name
  }

  /// Reads a page of a tree or a list of pieces, as `get(_:maximumSize:child:)`, unless it is here.
  @concurrent
  package func page(_ name: BlobName, maximumSize: Int, child: String? = nil) async throws -> Data {
    var page = enclosed(name)
    if page == nil { page = try await known.page(name) }
    if let page, page.count <= maximumSize { return page }
    let read = try await get(name, maximumSize: maximumSize, child: child)
    try await known.keep(read, as: name)
    return read
  }

  // MARK: Putting

  /// Stores a blob (BL2).
  ///
  /// - Throws: `ObjectStoreError`; `CancellationError`; the errors of the state.
  @concurrent @discardableResult
  package func put(_ bytes: Data) async throws -> BlobName {
    precondition(bytes.count <= Self.maximumSize, "a blob is cut into pieces before it is stored")
    let name = BlobName(of: bytes)
    if let enclosure {
      enclosure.blobs.withLock { $0[name] = bytes }
    } else if !known.contains(name) {
      let moment = known.moment
      try await store(bytes, as: name)
      known.insert(name, since: moment)
    }
    return name
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
    if let bytes = enclosed(name), bytes.count <= maximumSize { return bytes }
    let bytes = try await bytes(of: name, limit: maximumSize + 1)
    func error(_ code: CloudDataError.Code) -> CloudDataError {
      CloudDataError(code, in: place, blob: name, child: child)
    }
    guard let bytes else { throw error(.missing) }
    if bytes.count > maximumSize { throw error(.tooLarge) }
    guard BlobName(of: bytes) == name else { throw error(.wrongBytes) }
    return bytes
  }

  private func enclosed(_ name: BlobName) -> Data? { enclosure?.blobs.withLock { $0[name] } }

  private func bytes(of name: BlobName, limit size: Int) async throws -> Data? {
    try await limit.waitUnlessCancelled()
    defer { limit.signal() }
    return try await store.content(of: name.key, limit: size)
  }
}
