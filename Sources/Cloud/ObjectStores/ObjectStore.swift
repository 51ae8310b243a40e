public import FoundationEssentials

// OS1 After `put` returns, every reader gets these bytes, or those of a later `put`.
// OS2 Of all `put` calls that ask for an absent key, one at most returns `true`.
// OS3 An answer can be lost. A call that throws may have done its work, or may do it later.
// OS4 A listing has every object from before its beginning, once, in the order of keys. An encrypted store has the
//     digests at the end of keys in another order.

/// A place for objects: immutable bytes under keys, as in an S3 service.
///
/// A store promises only OS1 to OS4. So a service, a folder on a mounted disk and memory are the same to a container.
/// `StoreProbe` checks a service. A store over another one, such as `RetryingStore`, passes calls on.
public protocol ObjectStore: Sendable {
  /// The place of the store in the words of an error, such as `s3://bucket/prefix`. It has no secret.
  var place: String { get }

  /// The name of the program that copies the store's folder between machines, such as Syncthing; nil if none is known.
  ///
  /// Each machine then has a store of its own, and two machines make the same object (OS2).
  var synchronizingProgram: String? { get }

  /// Makes a call, and returns the answer of its kind.
  func send(_ call: StoreCall) async throws(ObjectStoreError) -> StoreAnswer

  /// Removes the remains, besides objects, of calls that were cut off more than two days ago.
  func removeRemains() async throws(ObjectStoreError)
}

/// A call to a store.
public enum StoreCall: Sendable, Hashable {
  /// Stores an object (OS1, OS3). `ifAbsent` leaves an existing object of that key unchanged (OS2).
  case put(Data, at: ObjectKey, ifAbsent: Bool)
  /// Reads the first bytes of an object, as many as `limit` at most.
  case get(ObjectKey, limit: Int)
  /// Asks for the size and the date of an object.
  case head(ObjectKey)
  /// Lists objects whose keys begin with a text and come after a key (OS4), at least 1 and at most `limit`.
  case list(String, after: ObjectKey?, limit: Int)
  /// Removes an object. It does nothing if there is none.
  case delete(ObjectKey)

  /// The object's key; nil for a listing.
  public var key: ObjectKey? {
    switch self {
    case .put(_, let key, _), .get(let key, _), .head(let key), .delete(let key): key
    case .list: nil
    }
  }

  /// The kind of the call, as an error names it.
  public var operation: ObjectStoreError.Operation {
    switch self {
    case .put: .put
    case .get: .get
    case .head: .head
    case .list: .list
    case .delete: .delete
    }
  }
}

/// The answer to a call, a case for each kind.
public enum StoreAnswer: Sendable, Hashable {
  /// Whether the bytes are stored; false if an object exists and `ifAbsent` is true.
  case stored(Bool)
  /// The bytes; nil if there is no object.
  case bytes(Data?)
  /// The size and the date; nil if there is no object.
  case object(StoredObject?)
  /// The objects. They may be fewer than the limit, also if there are more.
  case page(ObjectListing)
  /// There is no object any more.
  case removed
}

extension ObjectStore {
  /// Nil by default.
  public var synchronizingProgram: String? { nil }

  /// Does nothing by default, for stores whose calls leave only objects.
  public func removeRemains() async throws(ObjectStoreError) {}

  /// Makes a call, and takes its value out of the answer.
  private func value<Value>(
    of call: StoreCall, _ value: (StoreAnswer) -> Value?
  ) async throws(ObjectStoreError) -> Value {
    if let value = value(try await send(call)) { return value }
    throw ObjectStoreError(.invalidAnswer, call, in: place, reason: "it is that of another call")
  }

  /// Stores an object.
  ///
  /// - Parameter ifAbsent: whether to leave an existing object of that key unchanged (OS2).
  /// - Returns: whether the bytes are stored; false if an object exists and `ifAbsent` is true.
  @discardableResult
  public func put(
    _ bytes: Data, at key: ObjectKey, ifAbsent: Bool = false
  ) async throws(ObjectStoreError) -> Bool {
    try await value(of: .put(bytes, at: key, ifAbsent: ifAbsent)) {
      if case .stored(let isStored) = $0 { isStored } else { nil }
    }
  }

  /// Reads an object, or its first bytes.
  ///
  /// - Parameter limit: the greatest number of bytes.
  /// - Returns: the bytes; nil if there is no object.
  public func get(_ key: ObjectKey, limit: Int = .max) async throws(ObjectStoreError) -> Data? {
    try await value(of: .get(key, limit: limit)) {
      if case .bytes(let bytes) = $0 { .some(bytes) } else { nil }
    }
  }

  /// Returns the size and the date of an object; nil if there is none.
  public func head(_ key: ObjectKey) async throws(ObjectStoreError) -> StoredObject? {
    try await value(of: .head(key)) {
      if case .object(let object) = $0 { .some(object) } else { nil }
    }
  }

  /// Lists objects whose keys begin with `prefix` (OS4).
  ///
  /// - Parameters:
  ///   - prefix: the first bytes of the keys, such as `log/`; empty for all objects.
  ///   - start: the listing begins after this key.
  ///   - limit: the greatest number of objects, at least 1. A page may have fewer, also if there are more.
  public func list(
    _ prefix: String, after start: ObjectKey? = nil, limit: Int
  ) async throws(ObjectStoreError) -> ObjectListing {
    try await value(of: .list(prefix, after: start, limit: limit)) {
      if case .page(let page) = $0 { page } else { nil }
    }
  }

  /// Removes an object. It does nothing if there is none.
  public func delete(_ key: ObjectKey) async throws(ObjectStoreError) {
    try await value(of: .delete(key)) { if case .removed = $0 { () } else { nil } }
  }

  /// Lists all objects whose keys begin with `prefix`, one page after the other.
  ///
  /// A service has pages of its own size. A folder has one page, and reads each of its folders once.
  ///
  /// - Parameter body: called with each page; returns whether to continue.
  /// - Throws: `ObjectStoreError`; the errors of `body`.
  public func listAll(
    _ prefix: String, after start: ObjectKey? = nil, pageSize: Int = .max,
    _ body: ([StoredObject]) throws -> Bool
  ) async throws {
    var last = start
    while true {
      let page = try await list(prefix, after: last, limit: pageSize)
      guard try body(page.objects), page.hasMore else { return }
      // A store that says "more" and gives nothing would be asked for ever.
      guard let end = page.objects.last?.key, end != last else {
        throw ObjectStoreError(.invalidAnswer, .list, in: place, reason: "a listing does not go on")
      }
      last = end
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
  /// The objects in the order of keys. A name that another program made and that is no key is not among them.
  public var objects: [StoredObject]
  /// Whether there are more objects after the last one.
  public var hasMore: Bool

  /// Makes a page.
  public init(objects: [StoredObject], hasMore: Bool) { (self.objects, self.hasMore) = (objects, hasMore) }
}
