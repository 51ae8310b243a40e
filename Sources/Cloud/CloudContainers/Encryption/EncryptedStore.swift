import FilePackages
package import FoundationEssentials
package import ObjectStores

// ES1 The base gets no byte of an object, and no digest of one, without the key. It gets the other parts of keys,
//     sizes and times: Docs/Encryption.md lists them.
// ES2 `get` gives bytes that `put` got for this key, or none: an object that another key sealed, or that had another
//     name, is damaged.

/// Another store, in which all objects but the container's mark are encrypted.
///
/// Each object has a key of its own, derived from its name. So a store that exchanges two objects damages both. The
/// digests in names are permuted: see `KeyedNames`.
package struct EncryptedStore: ForwardingStore {
  package let base: any ObjectStore
  private let names: KeyedNames
  private let objects: [UInt8]

  package init(_ base: any ObjectStore, key: ContainerKey) {
    self.base = base
    (names, objects) = (KeyedNames(key), key.derived(for: "objects"))
  }

  private func objectKey(of name: ObjectKey) -> [UInt8] {
    var code = HMACSHA256(key: objects)
    code.update(Array(name.string.utf8))
    return code.finalize().bytes
  }

  /// Encrypts and stores an object (ES1).
  @discardableResult
  package func put(_ bytes: Data, at key: ObjectKey, ifAbsent: Bool) async throws(ObjectStoreError) -> Bool {
    if key == ContainerMark.key { return try await base.put(bytes, at: key, ifAbsent: ifAbsent) }
    let sealed: Data
    do throws(CipherError) {
      sealed = try SealedBytes.seal(bytes, with: objectKey(of: key))
    } catch {
      throw failure(error, .put, key)
    }
    return try await base.put(sealed, at: try stored(key, .put), ifAbsent: ifAbsent)
  }

  /// Reads and decrypts an object, or a part of it.
  ///
  /// Cost: the whole object is read. If it ends after `range`, that takes a second request.
  ///
  /// - Throws: `damaged` for an object that does not open (ES2).
  package func get(_ key: ObjectKey, range: Range<Int>?) async throws(ObjectStoreError) -> Data? {
    if key == ContainerMark.key { return try await base.get(key, range: range) }
    guard let sealed = try await sealedBytes(at: try stored(key, .get), upTo: range?.upperBound) else {
      return nil
    }
    let bytes: Data?
    do throws(CipherError) {
      bytes = try SealedBytes.open(sealed, with: objectKey(of: key))
    } catch {
      throw failure(error, .get, key)
    }
    guard let bytes else { throw ObjectStoreError(.damaged, .get, in: place, key: key) }
    return range.map { Data(bytes.dropFirst($0.lowerBound).prefix($0.count)) } ?? bytes
  }

  /// The size of the largest object that a container makes.
  private static let maximumSize = BlobStore.maximumSize + SealedBytes.overhead

  private func sealedBytes(at key: ObjectKey, upTo end: Int?) async throws(ObjectStoreError) -> Data? {
    let end = min(end ?? .max, Self.maximumSize) + SealedBytes.overhead
    let sealed = try await base.get(key, range: 0..<end)
    // It may go on.
    guard let sealed, sealed.count == end, end < Self.maximumSize else { return sealed }
    return try await base.get(key, range: 0..<Self.maximumSize + 1)
  }

  /// Returns the size of the decrypted object, and its date.
  package func head(_ key: ObjectKey) async throws(ObjectStoreError) -> StoredObject? {
    guard let object = try await base.head(try stored(key, .head)) else { return nil }
    return opened(object, as: key)
  }

  /// Lists objects in the order of their encrypted names. All of the container's own order stays.
  package func list(
    _ prefix: String, after start: ObjectKey?, limit: Int
  ) async throws(ObjectStoreError) -> ObjectListing {
    let first: ObjectKey?
    if let start { first = try stored(start, .list) } else { first = nil }
    return try opened(await base.list(prefix, after: first, limit: limit))
  }

  /// Lists further objects in the order of their encrypted names.
  package func list(
    _ prefix: String, continuing page: ObjectListing, limit: Int
  ) async throws(ObjectStoreError) -> ObjectListing {
    var page = page
    if var last = page.objects.popLast() {
      last.key = try stored(last.key, .list)
      page.objects = [last]
    }
    return try opened(await base.list(prefix, continuing: page, limit: limit))
  }

  private func opened(_ listing: ObjectListing) throws(ObjectStoreError) -> ObjectListing {
    var opened = listing
    opened.objects = []
    for object in listing.objects { opened.objects.append(self.opened(object, as: try original(object.key))) }
    return opened
  }

  /// Removes an object.
  package func delete(_ key: ObjectKey) async throws(ObjectStoreError) {
    try await base.delete(try stored(key, .delete))
  }

  private func opened(_ object: StoredObject, as key: ObjectKey) -> StoredObject {
    var object = object
    if key != ContainerMark.key { object.size = max(0, object.size - SealedBytes.overhead) }
    object.key = key
    return object
  }

  private func stored(
    _ key: ObjectKey, _ operation: ObjectStoreError.Operation
  ) throws(ObjectStoreError) -> ObjectKey {
    do throws(CipherError) {
      return try names.stored(key)
    } catch {
      throw failure(error, operation, key)
    }
  }

  private func original(_ key: ObjectKey) throws(ObjectStoreError) -> ObjectKey {
    do throws(CipherError) {
      return try names.original(key)
    } catch {
      throw failure(error, .list, key)
    }
  }

  private func failure(
    _ error: CipherError, _ operation: ObjectStoreError.Operation, _ key: ObjectKey
  ) -> ObjectStoreError {
    ObjectStoreError(.noCipher, operation, in: place, key: key, reason: "\(error)")
  }
}
