import FilePackages
import FoundationEssentials
import ObjectStores

// GC1 A collection is an entry of the log. Until the entry that ends it, no device commits a version. Blobs that a device
//     stored before that end count as unknown (CM2). So a blob that no version needs after the first entry goes.
// GC2 A collection begins no removal ten minutes after its entry, and repeats none five minutes later. Other devices end
//     it 20 minutes after they learned of it.
// GC3 A removal without an answer may come late. Then the collection has no entry that ends it, and the others wait.
// GC4 Entries of the log and snapshots go only after the store has given back the new snapshot, which replaces them.
// The last version of a document stays for ever, and with it its content unless it is a deletion.

/// The removal of objects that no version needs.
package struct GarbageCollection: Sendable {
  /// The time for which a version stays after the next one, in milliseconds by the store's clock.
  package static let retention: Int64 = 30 * 86_400_000
  /// The longest time of a collection.
  private static let longest = Duration.seconds(600)

  let session: ContainerSession

  package init(_ session: ContainerSession) { self.session = session }

  /// Removes old versions, and the blobs that no other version needs.
  ///
  /// If a page or a list is damaged, all blobs stay: a repair may need them.
  ///
  /// - Parameter isDryRun: whether only to count.
  /// - Throws: `busy` if another machine collects garbage; `ObjectStoreError`; `CloudDataError`. After an error of the
  ///   store, uploads wait for 20 minutes. An object whose removal the store forbids stays, and the report names it.
  package func run(isDryRun: Bool) async throws -> GarbageReport {
    let (state, store) = (session.state, session.store)
    var report = GarbageReport()
    if !isDryRun { try await tellTime() }
    let entries = try await session.log.list(from: 0)
    let before = limit(of: entries, isDryRun)
    let versions = try await state.snapshot().versions
    var kept = Self.kept(versions, before: before)
    report.versions = versions.count - kept.count
    let start = ContinuousClock.now
    let position = try await state.known().position.number + 1
    if !isDryRun {
      if try await state.collection() != nil { throw session.busy("another machine collects garbage") }
      // GC1
      guard try await session.committer.commit(.init(change: .collecting(before: before)), in: session) else {
        throw session.busy("another machine collects garbage")
      }
      // Other devices may have committed versions before that entry.
      kept = try await state.snapshot().versions
    }
    let begun = try await state.collection()?.entry ?? position
    var marks = BlobMarks(session.blobs)
    try await marks.mark(Self.trees(of: kept, before: before))
    report.problems = marks.problems
    var unmarked: [StoredObject] = []
    try await store.listAll(BlobName.prefix) { page in
      for object in page {
        guard let name = BlobName(object.key) else { continue }
        // A page that cannot be read does not say which blobs its tree needs.
        if marks.marks[name] != nil || !report.problems.isEmpty {
          report.keptBlobs += 1
        } else {
          unmarked.append(object)
        }
      }
      return true
    }
    let removed = try await concurrentMap(unmarked, BlobStore.maximumCalls) {
      object -> Result<Bool, CloudDataError> in
      if isDryRun { return .success(true) }
      // GC2
      guard start.duration(to: .now) < Self.longest else { return .success(false) }
      return try await checking { try await remove(object.key) }
    }
    for (object, removal) in zip(unmarked, removed) {
      switch removal {
      case .success(true):
        report.blobs += 1
        report.bytes += UInt64(object.size)
      case .success(false): break
      case .failure(let error):
        report.keptBlobs += 1
        report.problems.append(error)
      }
    }
    if !isDryRun {
      report.problems += try await removeOldEntries(entries, before: before)
      // Each removal has its answer (GC3). If another device was first, the collection has ended.
      _ = try await session.committer.commit(.init(change: .collected(begun)), in: session)
      try await store.removeRemains()
    }
    return report
  }

  /// Removes an object.
  ///
  /// - Returns: true.
  /// - Throws: `CloudDataError` if the store forbids it, which is an answer (GC3); `ObjectStoreError`.
  private func remove(_ key: ObjectKey) async throws -> Bool {
    do throws(ObjectStoreError) {
      try await session.store.delete(key)
      return true
    } catch {
      throw error.code == .forbidden ? CloudDataError(error) : error
    }
  }

  /// Makes an entry, by which the store tells its time.
  private func tellTime() async throws {
    let settings = session.settings
    // No other change excludes it.
    _ = try await session.committer.commit(
      .init(change: .device(settings.device, name: settings.deviceName)), in: session)
  }

  /// Returns the number of the first entry that is less than the retention older than the last one.
  private func limit(of entries: [ContainerLog.Listed], _ isDryRun: Bool) -> Int {
    guard let last = entries.last else { return 0 }
    // A dry run makes no entry, and estimates the store's time.
    let now = isDryRun ? max(last.date, session.now().milliseconds) : last.date
    return entries.first { now - $0.date < Self.retention }?.number ?? last.number + 1
  }

  /// Returns the versions that were not replaced before an entry. They are in the order of documents and numbers.
  private static func kept(_ versions: [LogSnapshot.Kept], before: Int) -> [LogSnapshot.Kept] {
    zip(versions, versions.dropFirst().map(Optional.some) + [nil]).compactMap { version, next in
      guard let next, next.stored.version.document == version.stored.version.document, next.entry < before
      else { return version }
      return nil
    }
  }

  /// Returns the trees that versions need, with the names of their documents.
  static func trees(
    of versions: [LogSnapshot.Kept], before: Int
  ) -> [(root: TreeRoot, document: String?)] {
    versions.flatMap { kept -> [(root: TreeRoot, document: String?)] in
      let version = kept.stored.version
      // The content of an old deletion goes.
      if version.isDeleted, kept.entry < before { return [] }
      let roots =
        (version.hasContent ? [] : [version.root])
        + version.conflicts.flatMap { [$0.root] + ($0.origin.map { [$0] } ?? []) }
      return roots.map { ($0, version.name) }
    }
  }

  /// Removes entries of the log that a new snapshot has, and older snapshots (GC4).
  ///
  /// - Returns: the errors of those that the store keeps, or the reason why all stay.
  private func removeOldEntries(
    _ entries: [ContainerLog.Listed], before: Int
  ) async throws -> [CloudDataError] {
    let old = entries.filter { $0.number < before }
    guard !old.isEmpty else { return [] }
    let new = try await session.writeSnapshot()
    let snapshots = try await LogSnapshot.list(in: session.store)
    let isStored = try await checking {
      for listed in snapshots where listed.number == new.position.number {
        if try await LogSnapshot.read(listed, in: session.store)?.bytes == new.bytes { return true }
      }
      return false
    }
    guard case .success(true) = isStored else {
      return [isStored.problem ?? session.log.damagedSnapshot(new.position.number)]
    }
    let keys =
      old.map { ContainerLog.key($0.number) }
      + snapshots.filter { $0.number < new.position.number }.flatMap { $0.parts.map(\.key) }
    return try await concurrentMap(keys, BlobStore.maximumCalls) { key in
      try await checking { try await remove(key) }.problem
    }.compactMap { $0 }
  }
}

/// The outcome of a garbage collection, or of a dry run of one.
public struct GarbageReport: Sendable, Hashable, Encodable {
  /// The number of versions that were removed, or would be.
  public var versions = 0
  /// The number of blobs that were removed, or would be.
  public var blobs = 0
  /// The number of bytes of these blobs.
  public var bytes: UInt64 = 0
  /// The number of blobs that stay.
  public var keptBlobs = 0
  /// The errors of damaged contents, because of which all blobs stay, and of objects that the store does not let go.
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
