import FilePackages
import FoundationEssentials
import ObjectStores

// The container surely has the content of a live head. Of an earlier version, or of a deletion, it has it for the
// retention; a day before its end the content counts as gone. A version that relied on such content would lack it.

extension ContainerSession {
  /// The time for which a version that was replaced counts as kept, in seconds.
  private static let reliance = VersionLog.retention - 86_400
  /// The number of versions to look at for the one with a content.
  private static let maximumSteps = 100

  /// Returns whether the container will have the content that was here while an upload relies on it.
  ///
  /// Cost: nothing if the content is the head's. Otherwise a read of each version down to the one with the content,
  /// and one look at a date.
  func keeps(_ root: TreeRoot, under head: CloudVersion) async throws -> Bool {
    if head.root == root, !head.isDeleted { return true }
    var version = head
    // The store's date of this version is the beginning of the retention.
    var next = head
    for _ in 0..<Self.maximumSteps where version.root != root {
      guard version.sequence > 1,
        let earlier = try await log.version(of: head.document, version.sequence - 1)
      else { return false }
      (next, version) = (version, earlier)
    }
    guard version.root == root else { return false }
    if version.isDeleted { next = version }
    let key = next.key
    guard let object = try await store.oneObject({ try await store.head(key) }) else { return false }
    try await measureClock()
    let now = Date(milliseconds: try await storeTime())
    return now.timeIntervalSince(object.modificationDate) < Self.reliance
  }

  /// Checks that no collection of garbage has taken, or is about to take, a blob that was there before this operation
  /// stored it.
  ///
  /// Such a collection began before that: a later one finds the blob new. So there is none under way, or it has ended
  /// and the blob is there.
  ///
  /// Cost: nothing if all blobs were new. Otherwise a listing, and a look at each of the others.
  ///
  /// - Throws: `busy`, before a version relies on the blobs.
  func confirmRenewed(for document: String) async throws {
    let names = blobs.renewed
    if names.isEmpty { return }
    let isCollected = try await isCollectedElsewhere()
    let store = store
    let present = try await concurrentMap(names, BlobStore.maximumCalls) { name in
      try await store.oneObject { try await store.head(name.key) != nil }
    }
    guard !isCollected, !present.contains(false) else {
      blobs.forgetRenewed()
      throw FilePackageError(
        .busy, .save, document: document,
        reason: "another machine collects garbage in the container; the document is uploaded later")
    }
    try await blobs.confirm(names)
  }

  /// Returns whether another device collects garbage.
  func isCollectedElsewhere() async throws -> Bool {
    let marks = try await feed.collections().filter { $0.device != settings.device }
    if marks.isEmpty { return false }
    try await measureClock()
    let now = Date(milliseconds: try await storeTime())
    return marks.contains { now.timeIntervalSince($0.date) < 2 * GarbageCollection.longest }
  }

  /// Returns whether the store has the last known version of a document, with these bytes. True if none is known.
  func hasHead(of record: DocumentRecord) async throws -> Bool {
    guard asksStore, let head = try head(of: record) else { return true }
    return try await checking(record.name) {
      try await log.bytes(of: head.document, head.sequence) == record.head
    }.get()
  }

  /// Checks that the store has the last version of a document, and its content, whatever this machine remembers.
  ///
  /// - Throws: `CloudDataError` if it has not; `ObjectStoreError`.
  func checkStored(_ record: DocumentRecord) async throws {
    guard asksStore, let head = try head(of: record) else { return }
    guard try await hasHead(of: record) else { throw lost(head, of: record) }
    var roots = head.hasContent ? [] : [head.root]
    for digest in head.conflicts { roots.append(try await log.conflict(digest, of: head.document).root) }
    try await StoredContent(in: store).check(roots, of: record.name)
  }

  /// Stores all blobs of a content anew, so that no collection of garbage takes them before a version needs them.
  ///
  /// - Throws: `CloudDataError` if one of them is gone; `ObjectStoreError`.
  func storeAnew(_ root: TreeRoot) async throws {
    var marks = BlobMarks(blobs)
    try await marks.mark([(root, nil)])
    if let problem = marks.problems.first { throw problem }
    // Each put returns the name that is known already.
    _ = try await concurrentMap(marks.names.sorted(), BlobStore.maximumCalls) { [blobs] name in
      try await blobs.put(blobs.get(name))
    }
  }
}
