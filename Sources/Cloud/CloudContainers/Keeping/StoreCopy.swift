import FilePackages
import ObjectStores

/// The copy of all objects of a container into another store.
///
/// It can be cut short and made again: objects that are there already are not sent again. The object that makes the
/// store a container comes last.
///
/// An object that the target has stays, even if it differs: a machine that has moved before may have made it. The next
/// syncs decide between the two versions of a document.
struct StoreCopy {
  let source: any ObjectStore
  let target: any ObjectStore
  let container: String
  /// The key of an encrypted container. The objects are copied as they are.
  let key: ContainerKey?

  /// Copies, and compares the keys of both stores.
  ///
  /// Cost: two listings of each store, and a read and a put for each missing object, eight at a time.
  ///
  /// - Returns: the number of objects that were sent.
  /// - Throws: `CloudDataError` if one of the stores has another container; `ObjectStoreError`, also if an object is
  ///   missing afterwards.
  func run() async throws -> Int {
    try await ContainerMark(source).check(container, key: key)
    let mark = ContainerMark(target)
    if try await mark.find() != nil { try await mark.check(container, key: key) }
    let isMark = { (object: StoredObject) in object.key == ContainerMark.key }
    let missing = try await missingObjects()
    let target = target
    let source = source
    for part in [missing.filter { !isMark($0) }, missing.filter(isMark)] {
      _ = try await concurrentMap(part, BlobStore.maximumCalls) { object in  // No values.
        // A collection of garbage may have removed it since the listing.
        if let bytes = try await source.get(object.key) {
          _ = try await target.put(bytes, at: object.key, ifAbsent: true)  // It may be there already.
        }
      }
    }
    if let first = try await missingObjects().first {
      throw ObjectStoreError(
        .invalidAnswer, .list, in: target.place, key: first.key,
        reason: "it lacks an object of \(source.place); copy again")
    }
    return missing.count
  }

  /// The objects of the source that the target does not have.
  private func missingObjects() async throws -> [StoredObject] {
    var present: Set<ObjectKey> = []
    try await target.listAll("") { page in
      present.formUnion(page.map(\.key))
      return true
    }
    var missing: [StoredObject] = []
    try await source.listAll("") { page in
      missing += page.filter { !present.contains($0.key) }
      return true
    }
    return missing
  }
}
