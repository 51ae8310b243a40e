import FilePackages
import FoundationEssentials
import ObjectStores

// A blob goes only if no version of the retention needs it, and if it was stored two days ago or longer. An upload
// stores each blob anew that it stored more than a day ago, before its version relies on it.
// Another machine may store an old blob anew between the look at its date and its removal. So a collection marks the feed
// before it looks at a date. An upload that stored a blob which was there already looks for the mark before it commits.
// The versions that appeared during the marking are marked as well before the first blob goes.
// The last version of a document stays for ever, and with it its content unless it is a deletion.
// An old version goes before its blobs. So a collection that is cut short leaves no version without its content.

/// The removal of objects that no version needs.
package struct GarbageCollection: Sendable {
  /// The longest time of a collection, in seconds. A mark that is twice as old is one of a collection that was cut off.
  static let longest: Double = 1_800
  /// The age from which an unmarked blob goes, in seconds.
  package static let grace: Double = 2 * 86_400

  let session: ContainerSession
  var grace: Double

  package init(_ session: ContainerSession, grace: Double = grace) {
    (self.session, self.grace) = (session, grace)
  }

  /// The versions to keep and to remove.
  private struct Retention {
    var trees: [(root: TreeRoot, document: String?)] = []
    var conflicts: Set<ObjectKey> = []
    var expired: [(document: CloudDocumentID, key: ObjectKey)] = []
    var known: [CloudDocumentID: Int] = [:]
    var documents: [String: Set<CloudDocumentID>] = [:]
    /// The versions that cannot be read.
    var problems: [CloudDataError] = []
    var damaged: Set<CloudDocumentID> = []
  }

  /// A version to keep.
  private struct Kept: Sendable {
    var document: CloudDocumentID
    var sequence: Int
    /// Whether it is so old that a collection takes the content if it is a deletion.
    var isExpired: Bool
  }

  /// What a version needs.
  private struct Needs: Sendable {
    var name: String?
    var trees: [TreeRoot] = []
    var conflicts: [ObjectKey] = []
  }

  /// Removes old versions, and the blobs that no other version needs.
  ///
  /// If a version is damaged or refused, all blobs stay, and so do the old versions of its document: a repair may need
  /// them.
  ///
  /// - Parameter isDryRun: whether only to count.
  /// - Throws: `ObjectStoreError`; `CloudDataError` if the store is not the container's, or if it lacks versions
  ///   that this machine knows. Nothing is removed then.
  package func run(isDryRun: Bool) async throws -> GarbageReport {
    let store = session.store
    try await session.checkMark()
    // The store's clock dates the objects.
    try await session.measureClock()
    let now = Date(milliseconds: try await session.storeTime())
    var marks = BlobMarks(session.blobs)
    let retention = try await note([:], now)
    try await marks.mark(retention.trees)
    var candidates: [StoredObject] = []
    var report = GarbageReport()
    try await store.listAll(BlobName.prefix) { page in
      for object in page {
        guard let name = BlobName(object.key) else { continue }
        if marks.names.contains(name) || now.timeIntervalSince(object.modificationDate) < grace {
          report.keptBlobs += 1
        } else {
          candidates.append(object)
        }
      }
      return true
    }
    // Versions that appeared during the marking.
    let newer = try await note(retention.known, now)
    try await marks.mark(newer.trees)
    if newer.known.isEmpty, report.keptBlobs + candidates.count > 0 {
      throw CloudDataError(
        .rolledBack, in: store.place, reason: "the store has content, and no version of any document")
    }
    report.problems = retention.problems + newer.problems + marks.problems
    let names = report.problems.compactMap(\.document)
    let damaged = names.reduce(into: retention.damaged.union(newer.damaged)) { damaged, name in
      damaged.formUnion(retention.documents[name] ?? newer.documents[name] ?? [])
    }
    let expired = retention.expired.filter { !damaged.contains($0.document) }.map(\.key)
    report.versions = expired.count
    if !isDryRun { try await delete(expired) }
    let unmarked = candidates.count
    candidates.removeAll { object in
      // A page that cannot be read does not say which blobs its tree needs.
      !report.problems.isEmpty || BlobName(object.key).map(marks.names.contains) ?? true
    }
    report.keptBlobs += unmarked - candidates.count
    if !isDryRun, !candidates.isEmpty { try await beginRemoval() }
    let start = ContinuousClock.now
    let removed = try await concurrentMap(candidates, BlobStore.maximumCalls) { [grace] object in
      try await checking {
        if isDryRun { return true }
        // Other machines do not wait any longer. The next collection does the rest.
        guard start.duration(to: .now) < .seconds(Self.longest) else { return false }
        // An upload may have stored it anew.
        guard let present = try await store.oneObject({ try await store.head(object.key) }),
          now.timeIntervalSince(present.modificationDate) >= grace
        else { return false }
        try await store.oneObject { try await store.delete(object.key) }
        return true
      }
    }
    for (object, result) in zip(candidates, removed) {
      switch result {
      case .failure(let error): report.problems.append(error)
      case .success(false): break
      case .success(true):
        report.blobs += 1
        report.bytes += UInt64(object.size)
      }
    }
    if !isDryRun {
      // A removal that failed may come late: the mark stays.
      if report.problems.isEmpty { try await session.feed.endCollection(by: session.settings.device) }
      try await removeOldConflicts(retention.conflicts.union(newer.conflicts), now)
      try await removeOldNews(now)
      try await session.repackHeads()
      try await store.removeRemains()
    }
    return report
  }

  /// Tells the other machines that this one removes blobs. One at a time does.
  private func beginRemoval() async throws {
    let (feed, device) = (session.feed, session.settings.device)
    try await feed.beginCollection(by: device)
    guard try await session.isCollectedElsewhere() else { return }
    try await feed.endCollection(by: device)
    throw FilePackageError(
      .busy, .delete, document: session.folder.url.path, reason: "another machine collects garbage")
  }

  private func delete(_ keys: [ObjectKey]) async throws {
    let store = session.store
    _ = try await concurrentMap(keys, BlobStore.maximumCalls) { try await store.delete($0) }  // No values.
  }

  /// Reads the versions after the known ones, and decides which stay.
  ///
  /// - Throws: `CloudDataError` if a version that this machine knows is missing: more may be missing, and the
  ///   collection would remove their content.
  private func note(_ known: [CloudDocumentID: Int], _ now: Date) async throws -> Retention {
    var retention = Retention()
    var kept: [Kept] = []
    // Before the listing, which then has all of their versions.
    let records = try await session.state.records()
    try await session.log.forEachDocument { document, versions in
      for (index, version) in versions.enumerated() where version.sequence > known[document] ?? 0 {
        let isHead = index == versions.count - 1
        // A version is present until the next one.
        let end = isHead ? now : versions[index + 1].object.modificationDate
        guard isHead || now.timeIntervalSince(end) < VersionLog.retention else {
          retention.expired.append((document, version.object.key))
          continue
        }
        let age = now.timeIntervalSince(version.object.modificationDate)
        kept.append(
          Kept(document: document, sequence: version.sequence, isExpired: age >= VersionLog.retention))
      }
      retention.known[document] = versions.last?.sequence
    }
    for record in records {
      guard let head = try session.head(of: record), retention.known[head.document] ?? 0 < head.sequence
      else { continue }
      throw session.lost(head, of: record)
    }
    let names = Dictionary(uniqueKeysWithValues: records.map { ($0.id, $0.name) })
    let needs = try await concurrentMap(kept, BlobStore.maximumCalls) { version in
      try await checking(names[version.document.string]) { try await self.needs(of: version) }
    }
    for (version, result) in zip(kept, needs) {
      switch result {
      case .failure(let error):
        retention.problems.append(error)
        retention.damaged.insert(version.document)
      case .success(let needs):
        retention.conflicts.formUnion(needs.conflicts)
        retention.trees += needs.trees.map { ($0, needs.name) }
        if let name = needs.name { retention.documents[name, default: []].insert(version.document) }
      }
    }
    return retention
  }

  private func needs(of version: Kept) async throws -> Needs {
    guard let read = try await session.log.version(of: version.document, version.sequence) else {
      // The listing has it, and it is too new for another collection of garbage.
      throw CloudDataError(
        .missing, in: session.store.place,
        key: CloudVersion.key(of: version.document, version.sequence).string)
    }
    if read.isDeleted && version.isExpired { return Needs() }
    var needs = Needs(name: read.name, trees: read.hasContent ? [] : [read.root])
    for digest in read.conflicts {
      needs.conflicts.append(CloudVersion.conflictKey(of: version.document, digest))
      let conflict = try await checking(read.name) {
        try await session.log.conflict(digest, of: version.document)
      }.get()
      needs.trees += [conflict.root] + (conflict.origin.map { [$0] } ?? [])
    }
    return needs
  }

  private func removeOldConflicts(_ kept: Set<ObjectKey>, _ now: Date) async throws {
    var old: [ObjectKey] = []
    try await session.store.listAll(CloudVersion.prefix) { page in
      for object in page where object.key.segments.count == 4 && !kept.contains(object.key) {
        if now.timeIntervalSince(object.modificationDate) >= VersionLog.retention { old.append(object.key) }
      }
      return true
    }
    try await delete(old)
  }

  /// Removes old entries of the feed. A device that has not read them lists all versions.
  private func removeOldNews(_ now: Date) async throws {
    var entries: [StoredObject] = []
    try await session.store.listAll(ContainerFeed.prefix) { page in
      entries += page.filter { ContainerFeed.number(of: $0.key) != nil }
      return true
    }
    // The last entry stays for ever: by it each device knows the end of the feed.
    try await delete(
      entries.dropLast().filter {
        now.timeIntervalSince($0.modificationDate) >= ContainerFeed.retention
      }.map(\.key))
  }
}

/// The outcome of a garbage collection, or of a dry run of one.
public struct GarbageReport: Sendable, Hashable {
  /// The number of versions that were removed, or would be.
  public var versions = 0
  /// The number of blobs that were removed, or would be.
  public var blobs = 0
  /// The number of bytes of these blobs.
  public var bytes: UInt64 = 0
  /// The number of blobs that stay.
  public var keptBlobs = 0
  /// The errors of damaged versions and contents. If there is one, all blobs stay.
  public var problems: [CloudDataError] = []

  /// Makes an empty report.
  public init() {}
}

extension GarbageReport: CustomStringConvertible {
  /// One line for a user.
  public var description: String {
    let facts =
      "\(counted(versions, "version")) and \(counted(blobs, "blob")) (\(bytes) bytes); \(counted(keptBlobs, "blob")) stay"
    return ([facts] + problems.map { "\($0)" }).joined(separator: "\n")
  }
}
