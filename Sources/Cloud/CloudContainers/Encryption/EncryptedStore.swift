import FilePackages
import FoundationEssentials
package import ObjectStores

// ES1 The base gets no byte of an object, and no digest of one, without the key. It gets the other parts of keys,
//     sizes and times: Docs/Encryption.md lists them.
// ES2 `get` gives bytes that `put` got for this key, or none: an object that another key sealed, or that had another
//     name, is damaged.

/// Another store, in which all objects but the container's mark are encrypted.
///
/// Each object has a key of its own, derived from its name. So a store that exchanges two objects damages both. The
/// digests in names are permuted: see `KeyedNames`.
package struct EncryptedStore: ObjectStore {
  package let base: any ObjectStore
  private let names: KeyedNames
  private let objects: [UInt8]

  package init(_ base: any ObjectStore, key: ContainerKey) {
    self.base = base
    (names, objects) = (KeyedNames(key), key.derived(for: "objects"))
  }

  package var place: String { base.place }

  package var synchronizingProgram: String? { base.synchronizingProgram }

  package func removeRemains() async throws(ObjectStoreError) { try await base.removeRemains() }

  /// Makes a call about the encrypted object (ES1). A listing is in the order of the encrypted names.
  ///
  /// Cost: `get` reads the whole object, whatever its limit is.
  ///
  /// - Throws: `damaged` for an object that does not open (ES2).
  package func send(_ call: StoreCall) async throws(ObjectStoreError) -> StoreAnswer {
    do {
      return try await answer(call)
    } catch let error as ObjectStoreError {
      throw error
    } catch {
      throw ObjectStoreError(.noCipher, call, in: place, reason: "\(error)")
    }
  }

  /// - Throws: `ObjectStoreError`; `CipherError`.
  private func answer(_ call: StoreCall) async throws -> StoreAnswer {
    if call.key == ContainerMark.key { return try await base.send(call) }
    switch call {
    case .put(let bytes, let key, let ifAbsent):
      let sealed = try SealedBytes.seal(bytes, with: objectKey(of: key))
      return try await base.send(.put(sealed, at: names.stored(key), ifAbsent: ifAbsent))
    case .get(let key, let limit):
      guard let sealed = try await base.get(names.stored(key), limit: Self.maximumSize + 1) else {
        return .bytes(nil)
      }
      guard let bytes = try SealedBytes.open(sealed, with: objectKey(of: key)) else {
        throw ObjectStoreError(.damaged, call, in: place)
      }
      return .bytes(bytes.prefix(limit))
    case .head(let key): return .object(try await base.head(names.stored(key)).map { opened($0, as: key) })
    case .list(let prefix, let start, let limit):
      var page = try await base.list(prefix, after: start.map(names.stored), limit: limit)
      page.objects = try page.objects.map { opened($0, as: try names.original($0.key)) }
      return .page(page)
    case .delete(let key): return try await base.send(.delete(names.stored(key)))
    }
  }

  /// The size of the largest object that a container makes.
  private static let maximumSize = BlobStore.maximumSize + SealedBytes.overhead

  private func objectKey(of name: ObjectKey) -> [UInt8] {
    var code = HMACSHA256(key: objects)
    code.update(Array(name.string.utf8))
    return code.finalize().bytes
  }

  private func opened(_ object: StoredObject, as key: ObjectKey) -> StoredObject {
    var object = object
    if key != ContainerMark.key { object.size = max(0, object.size - SealedBytes.overhead) }
    object.key = key
    return object
  }
}
