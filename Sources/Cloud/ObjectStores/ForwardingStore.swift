package import FoundationEssentials

/// A store over another one. It has only the calls that differ from those of its base.
package protocol ForwardingStore: ObjectStore {
  /// The store that does the work.
  var base: any ObjectStore { get }
}

extension ForwardingStore {
  package var place: String { base.place }

  package var synchronizingProgram: String? { base.synchronizingProgram }

  package func removeRemains() async throws(ObjectStoreError) { try await base.removeRemains() }

  @discardableResult
  package func put(_ bytes: Data, at key: ObjectKey, ifAbsent: Bool) async throws(ObjectStoreError) -> Bool {
    try await base.put(bytes, at: key, ifAbsent: ifAbsent)
  }

  package func get(_ key: ObjectKey, range: Range<Int>?) async throws(ObjectStoreError) -> Data? {
    try await base.get(key, range: range)
  }

  package func head(_ key: ObjectKey) async throws(ObjectStoreError) -> StoredObject? {
    try await base.head(key)
  }

  package func list(
    _ prefix: String, after start: ObjectKey?, limit: Int
  ) async throws(ObjectStoreError) -> ObjectListing {
    try await base.list(prefix, after: start, limit: limit)
  }

  package func delete(_ key: ObjectKey) async throws(ObjectStoreError) { try await base.delete(key) }
}
