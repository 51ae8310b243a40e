import FoundationEssentials
import ObjectStores

/// The packs of last versions in a store.
package struct HeadPacks: Sendable {
  /// The numbers of versions from which packs pay.
  package struct Limits: Sendable {
    /// The number of missing versions from which a device looks for packs.
    package var reading = 64
    /// The number of versions in no pack from which a device makes one.
    package var writing = 256

    package init(reading: Int = 64, writing: Int = 256) { (self.reading, self.writing) = (reading, writing) }
  }

  let store: any ObjectStore

  /// Reads versions from packs, the newest packs first.
  ///
  /// A pack that is refused or damaged, or of a newer program, counts as missing. At most one pack is read for each 64 versions.
  ///
  /// - Parameter wanted: the numbers of the versions.
  /// - Returns: the versions that were found; each is the one of its document and number.
  /// - Throws: `ObjectStoreError`.
  func versions(_ wanted: [CloudDocumentID: Int]) async throws -> [CloudDocumentID: StoredVersion] {
    var found: [CloudDocumentID: StoredVersion] = [:]
    let packs = try await list().sorted { ($0.modificationDate, $1.key) > ($1.modificationDate, $0.key) }
    let store = store
    var rest = packs.filter { $0.size <= HeadPack.maximumSize }.prefix(wanted.count / 64 + 1)
    while !rest.isEmpty, found.count < wanted.count {
      let part = rest.prefix(BlobStore.maximumCalls)
      rest = rest.dropFirst(part.count)
      let missing = wanted.filter { found[$0.key] == nil }
      let read = try await concurrentMap(part, BlobStore.maximumCalls) { object -> [StoredVersion] in
        let bytes = try await checking {
          try await store.content(of: object.key, limit: HeadPack.maximumSize + 1)
        }
        guard case .success(let bytes) = bytes,
          let pack = bytes.flatMap({ HeadPack(decoding: $0, at: object.key) })
        else { return [] }
        return pack.entries.compactMap { entry in
          guard missing[entry.document] == entry.sequence,
            let version = try? CloudVersion(decoding: entry.bytes), version.document == entry.document,
            version.sequence == entry.sequence
          else { return nil }
          return StoredVersion(version: version, bytes: entry.bytes)
        }
      }
      for version in read.joined() { found[version.version.document] = version }
    }
    return found
  }

  /// Stores versions in packs.
  ///
  /// - Returns: the keys of the packs.
  func put(_ entries: [HeadPack.Entry]) async throws -> Set<ObjectKey> {
    let store = store
    let keys = try await concurrentMap(HeadPack.packs(of: entries), BlobStore.maximumCalls) { pack in
      let bytes = pack.bytes
      let key = HeadPack.key(of: bytes)
      try await store.oneObject { try await store.put(bytes, at: key) }
      return key
    }
    return Set(keys)
  }

  /// Lists the packs.
  func list() async throws -> [StoredObject] {
    var packs: [StoredObject] = []
    try await store.listAll(HeadPack.prefix) { page in
      packs += page
      return true
    }
    return packs
  }
}
