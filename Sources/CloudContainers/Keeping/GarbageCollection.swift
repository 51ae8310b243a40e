import FilePackages
import FoundationEssentials
import ObjectStores

// A blob goes only if no version of the retention needs it, and if it was stored two days ago or longer. An upload
// stores each blob anew that it stored more than a day ago, before its version relies on it.
// The versions that appeared during the marking are marked as well before the first blob goes.
// The last version of a document stays for ever, and with it its content unless it is a deletion.
// An old version goes before its blobs. So a collection that is cut short leaves no version without its content.

/// The removal of objects that no version needs.
package struct GarbageCollection: Sendable {
  /// The age from which an unmarked blob goes, in seconds.
  package static let grace: Double = 2 * 86_400

  let session: ContainerSession
  var grace: Double

  package init(_ session: ContainerSession, grace: Double = grace) {
    (self.session, self.grace) = (session, grace)
  }

  /// The versions to keep and to remove.
  private struct Retention {
    var roots: [TreeRoot] = []
    var conflicts: Set<ObjectKey> = []
    var expired: [ObjectKey] = []
    var known: [CloudDocumentID: Int] = [:]
  }

  /// Removes old versions, and the blobs that no other version needs.
  ///
  /// - Parameter isDryRun: whether only to count.
  /// - Throws: `ObjectStoreError`; `CloudDataError` if a version is damaged. Nothing is removed then.
  package func run(isDryRun: Bool) async throws -> GarbageReport {
    // The store's clock dates the objects.
    try await session.measureClock()
    let now = Date(milliseconds: try await session.storeTime())
    var marks = BlobMarks(session.blobs)
    var retention = Retention()
    try await note(&retention, now)
    for root in retention.roots { try await marks.mark(root) }
    if let problem = marks.problems.first { throw problem }
    var candidates: [StoredObject] = []
    var report = GarbageReport()
    try await session.store.listAll(BlobName.prefix) { page in
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
    var newer = Retention()
    newer.known = retention.known
    try await note(&newer, now)
    for root in newer.roots { try await marks.mark(root) }
    if let problem = marks.problems.first { throw problem }
    report.versions = retention.expired.count
    if !isDryRun { for key in retention.expired { try await session.store.delete(key) } }
    for object in candidates {
      guard let name = BlobName(object.key), !marks.names.contains(name) else { continue }
      if !isDryRun {
        // An upload may have stored it anew.
        guard let present = try await session.store.head(object.key),
          now.timeIntervalSince(present.modificationDate) >= grace
        else { continue }
        try await session.store.delete(object.key)
      }
      report.blobs += 1
      report.bytes += UInt64(object.size)
    }
    if !isDryRun {
      try await removeOldConflicts(retention.conflicts.union(newer.conflicts), now)
      try await removeOldNews(now)
      try await session.repackHeads()
    }
    return report
  }

  /// Reads the versions that are not known yet, and decides which stay.
  private func note(_ retention: inout Retention, _ now: Date) async throws {
    var found = retention
    try await session.log.forEachDocument { document, versions in
      let known = found.known[document] ?? 0
      for (index, version) in versions.enumerated() where version.sequence > known {
        let isHead = index == versions.count - 1
        // A version is present until the next one.
        let end = isHead ? now : versions[index + 1].object.modificationDate
        guard isHead || now.timeIntervalSince(end) < VersionLog.retention else {
          found.expired.append(version.object.key)
          continue
        }
        guard let read = try await session.log.version(of: document, version.sequence) else { continue }
        let isExpired = now.timeIntervalSince(version.object.modificationDate) >= VersionLog.retention
        if read.isDeleted && isExpired { continue }
        found.roots.append(read.root)
        for digest in read.conflicts {
          found.conflicts.insert(CloudVersion.conflictKey(of: document, digest))
          found.roots.append(try await session.log.conflict(digest, of: document).root)
        }
      }
      found.known[document] = versions.last?.sequence
    }
    retention = found
  }

  private func removeOldConflicts(_ kept: Set<ObjectKey>, _ now: Date) async throws {
    var old: [ObjectKey] = []
    try await session.store.listAll(CloudVersion.prefix) { page in
      for object in page where object.key.segments.count == 4 && !kept.contains(object.key) {
        if now.timeIntervalSince(object.modificationDate) >= VersionLog.retention { old.append(object.key) }
      }
      return true
    }
    for key in old { try await session.store.delete(key) }
  }

  /// Removes entries of the feed that every device has read, or for which it lists everything.
  private func removeOldNews(_ now: Date) async throws {
    var old: [ObjectKey] = []
    try await session.store.listAll(ContainerFeed.prefix) { page in
      for object in page where ContainerFeed.Entry(object.key) != nil {
        if now.timeIntervalSince(object.modificationDate) >= 3 * 86_400 { old.append(object.key) }
      }
      return true
    }
    for key in old { try await session.store.delete(key) }
  }
}

/// The outcome of a collection.
public struct GarbageReport: Sendable, Hashable {
  /// The versions that went, or would go.
  public var versions = 0
  /// The blobs that went, or would go.
  public var blobs = 0
  /// The bytes of these blobs.
  public var bytes: UInt64 = 0
  /// The blobs that stay.
  public var keptBlobs = 0

  /// Makes an empty report.
  public init() {}
}

extension GarbageReport: CustomStringConvertible {
  /// One line for a user.
  public var description: String {
    "\(counted(versions, "version")) and \(counted(blobs, "blob")) (\(bytes) bytes); \(counted(keptBlobs, "blob")) stay"
  }
}
