import FilePackages
package import FoundationEssentials
package import ObjectStores

// A version is committed when the store has an object under its number. The store lets one writer make it, so a
//     document has one version of each number.
// A number is asked for only after all smaller ones are there, so that the numbers have no gap at the end.

/// A version, with the bytes of its object.
package struct StoredVersion: Sendable {
  package var version: CloudVersion
  package var bytes: Data
}

/// The versions of all documents, in an object store.
package struct VersionLog: Sendable {
  package let store: any ObjectStore
  /// The time for which a version stays after the next one, in seconds.
  package static let retention: Double = 30 * 86_400

  package init(_ store: any ObjectStore) { self.store = store }

  /// The result of an attempt to commit a version.
  package enum Commit: Sendable {
    /// The version is committed, by this call or an earlier one whose answer was lost.
    case committed
    /// Another version has the number.
    case taken(StoredVersion)
  }

  /// Commits a version.
  ///
  /// - Throws: `ObjectStoreError`: the version may be committed all the same, now or later.
  package func commit(_ version: CloudVersion) async throws -> Commit {
    let bytes = try version.encoded()
    if try await store.oneObject({ try await store.put(bytes, at: version.key, ifAbsent: true) }) {
      return .committed
    }
    guard let present = try await read(version.key) else {
      throw error(.missing, version.key, "the store says that it is there and does not give it")
    }
    if present == bytes { return .committed }
    let winner = try decode(present, version.key, version.document, version.sequence)
    return .taken(StoredVersion(version: winner, bytes: present))
  }

  /// Reads a version; nil if there is none of that number.
  package func version(of document: CloudDocumentID, _ sequence: Int) async throws -> CloudVersion? {
    try await stored(document, sequence)?.version
  }

  /// Reads a version with its bytes; nil if there is none of that number.
  func stored(_ document: CloudDocumentID, _ sequence: Int) async throws -> StoredVersion? {
    let key = CloudVersion.key(of: document, sequence)
    guard let bytes = try await read(key) else { return nil }
    return StoredVersion(version: try decode(bytes, key, document, sequence), bytes: bytes)
  }

  /// Reads the bytes of a version, whatever they are; nil if there is none of that number.
  func bytes(of document: CloudDocumentID, _ sequence: Int) async throws -> Data? {
    try await read(CloudVersion.key(of: document, sequence))
  }

  /// Returns the number of the last version, at least `known`.
  package func lastSequence(of document: CloudDocumentID, after known: Int) async throws -> Int {
    let start = known > 0 ? CloudVersion.key(of: document, known) : nil
    var last = known
    try await store.listAll(CloudVersion.prefix(of: document), after: start) { page in
      for object in page {
        if let found = CloudVersion.parse(object.key) { last = max(last, found.sequence) }
      }
      return true
    }
    return last
  }

  /// Calls `body` with the numbers of the versions of each document, in ascending order.
  package func forEachDocument(
    _ body: (CloudDocumentID, [(sequence: Int, object: StoredObject)]) async throws -> Void
  ) async throws {
    var objects: [(CloudDocumentID, [(Int, StoredObject)])] = []
    try await store.listAll(CloudVersion.prefix) { page in
      for object in page {
        guard let (document, sequence) = CloudVersion.parse(object.key) else { continue }
        if objects.last?.0 != document { objects.append((document, [])) }
        objects[objects.count - 1].1.append((sequence, object))
      }
      return true
    }
    for (document, versions) in objects {
      try await body(document, versions.map { (sequence: $0.0, object: $0.1) })
    }
  }

  // MARK: Conflicts

  /// Stores a version that lost, and returns its digest. The version that names the digest has yet to be committed.
  package func storeConflict(_ version: CloudVersion) async throws -> VersionDigest {
    let digest = try version.digest()
    let (bytes, key) = (try version.encoded(), CloudVersion.conflictKey(of: version.document, digest))
    try await store.oneObject { try await store.put(bytes, at: key) }
    return digest
  }

  /// Reads a version that lost.
  ///
  /// - Throws: `CloudDataError` if it is missing or is another one.
  package func conflict(_ digest: VersionDigest, of document: CloudDocumentID) async throws -> CloudVersion {
    let key = CloudVersion.conflictKey(of: document, digest)
    guard let bytes = try await read(key) else { throw error(.missing, key, nil) }
    guard VersionDigest(of: bytes) == digest else {
      throw error(.wrongBytes, key, nil)
    }
    return try decode(bytes, key, document, nil)
  }

  // MARK: Reading

  private func read(_ key: ObjectKey) async throws -> Data? {
    try await store.content(of: key, limit: CloudVersion.maximumSize + 1)
  }

  /// Reads a version, and checks that it is the one of its key.
  private func decode(
    _ bytes: Data, _ key: ObjectKey, _ document: CloudDocumentID, _ sequence: Int?
  ) throws -> CloudVersion {
    do throws(CloudVersion.Problem) {
      let version = try CloudVersion(decoding: bytes)
      if version.document != document { throw .invalid("document") }
      if let sequence, version.sequence != sequence { throw .invalid("sequence") }
      return version
    } catch {
      throw self.error(error.code, key, error.words)
    }
  }

  private func error(_ code: CloudDataError.Code, _ key: ObjectKey, _ reason: String?) -> CloudDataError {
    CloudDataError(code, in: store.place, key: key.string, reason: reason)
  }
}
