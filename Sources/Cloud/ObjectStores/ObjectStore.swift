public import FoundationEssentials

// OS1 After `put` returns, every reader gets these bytes, or those of a later `put`.
// OS2 Of all `put` calls that ask for an absent key, one at most returns `true`.
// OS3 An answer can be lost. A call that throws may have done its work, or may do it later.
// OS4 A listing has every object from before its beginning, once, in the order of keys. An encrypted store has the
//     digests at the end of keys in another order.

/// A place for objects: immutable bytes under keys, as in an S3 service.
///
/// A store promises only OS1 to OS4. So a service, a folder on a mounted disk and memory are the same to a container.
/// `StoreProbe` checks a service.
public protocol ObjectStore: Sendable {
  /// The place of the store in the words of an error, such as `s3://bucket/prefix`. It has no secret.
  var place: String { get }

  /// The name of the program that copies the store's folder between machines, such as Syncthing; nil if none is known.
  ///
  /// Each machine then has a store of its own, and two machines make the same object (OS2).
  var synchronizingProgram: String? { get }

  /// Stores an object (OS1, OS3).
  ///
  /// - Parameter ifAbsent: whether to leave an existing object of that key unchanged (OS2).
  /// - Returns: whether the bytes are stored; false if an object exists and `ifAbsent` is true.
  @discardableResult
  func put(_ bytes: Data, at key: ObjectKey, ifAbsent: Bool) async throws(ObjectStoreError) -> Bool

  /// Reads an object, or a part of it.
  ///
  /// - Parameter range: the bytes to read; nil for all. A range beyond the end is cut off at the end.
  /// - Returns: the bytes; nil if there is no object.
  func get(_ key: ObjectKey, range: Range<Int>?) async throws(ObjectStoreError) -> Data?

  /// Returns the size and the date of an object; nil if there is none.
  func head(_ key: ObjectKey) async throws(ObjectStoreError) -> StoredObject?

  /// Lists objects whose keys begin with `prefix` (OS4).
  ///
  /// - Parameters:
  ///   - prefix: the first bytes of the keys, such as `feed/`; empty for all objects.
  ///   - start: the listing begins after this key.
  ///   - limit: the greatest number of objects, at least 1. A page may have fewer, also if there are more.
  func list(
    _ prefix: String, after start: ObjectKey?, limit: Int
  ) async throws(ObjectStoreError) -> ObjectListing

  /// Lists the objects after those of a page of the same listing.
  ///
  /// Objects that were stored since the listing began can be missing (OS4).
  func list(
    _ prefix: String, continuing page: ObjectListing, limit: Int
  ) async throws(ObjectStoreError) -> ObjectListing

  /// Removes an object. It does nothing if there is none.
  func delete(_ key: ObjectKey) async throws(ObjectStoreError)

  /// Removes the remains, besides objects, of calls that were cut off more than two days ago.
  func removeRemains() async throws(ObjectStoreError)
}

extension ObjectStore {
  /// Nil by default.
  public var synchronizingProgram: String? { nil }

  /// Does nothing by default, for stores whose calls leave only objects.
  public func removeRemains() async throws(ObjectStoreError) {}

  /// Lists the objects after the last one of a page.
  public func list(
    _ prefix: String, continuing page: ObjectListing, limit: Int
  ) async throws(ObjectStoreError) -> ObjectListing {
    try await list(prefix, after: page.objects.last?.key, limit: limit)
  }

  /// Stores an object, in place of an existing one of that key.
  public func put(_ bytes: Data, at key: ObjectKey) async throws(ObjectStoreError) {
    try await put(bytes, at: key, ifAbsent: false)
  }

  /// Reads a whole object; nil if there is none.
  public func get(_ key: ObjectKey) async throws(ObjectStoreError) -> Data? { try await get(key, range: nil) }

  /// Lists all objects whose keys begin with `prefix`, one page after the other.
  ///
  /// - Parameter body: called with each page; returns whether to continue.
  /// - Throws: `ObjectStoreError`; the errors of `body`.
  public func listAll(
    _ prefix: String, after start: ObjectKey? = nil, pageSize: Int = 1_000,
    _ body: ([StoredObject]) throws -> Bool
  ) async throws {
    var last = start
    var page = try await list(prefix, after: start, limit: pageSize)
    while try body(page.objects), page.hasMore {
      // A store that says "more" and gives nothing would be asked for ever.
      guard let end = page.objects.last?.key, end != last else {
        throw ObjectStoreError(.invalidAnswer, .list, in: place, reason: "a listing does not go on")
      }
      last = end
      page = try await list(prefix, continuing: page, limit: pageSize)
    }
  }
}

/// The key, the size and the date of an object.
public struct StoredObject: Sendable, Hashable {
  /// The key.
  public var key: ObjectKey
  /// The size in bytes.
  public var size: Int
  /// The time when the object was stored, by the store's clock.
  public var modificationDate: Date

  /// Makes a description of an object.
  public init(key: ObjectKey, size: Int, modificationDate: Date) {
    (self.key, self.size, self.modificationDate) = (key, size, modificationDate)
  }
}

extension StoredObject: CustomStringConvertible {
  /// One line for a user.
  public var description: String { "\(key), \(size) bytes" }
}

/// One page of a listing.
public struct ObjectListing: Sendable, Hashable {
  /// The objects in the order of keys.
  public var objects: [StoredObject]
  /// Whether there are more objects after the last one.
  public var hasMore: Bool
  /// The number of names in the store that are not keys. Another program made them, and the listing leaves them out.
  public var otherNames: Int
  /// The rest of the listing, in a store that knows it; other stores find it by the last key.
  var rest = ListingRest()

  /// Makes a page.
  public init(objects: [StoredObject], hasMore: Bool, otherNames: Int = 0) {
    (self.objects, self.hasMore, self.otherNames) = (objects, hasMore, otherNames)
  }
}

/// The rest of a listing, as its store has it; nil if it has none. It is no part of a page's value: all are equal.
struct ListingRest: Sendable, Hashable {
  var value: (any Sendable)?

  static func == (one: ListingRest, other: ListingRest) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}
