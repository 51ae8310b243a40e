import FilePackages
import FoundationEssentials
import ObjectStores

// Each operation begins with a look at the log. So it decides over the last versions, and knows whether the store lost
//     some of them, and whether this device was removed.
// A collection of garbage that was cut off ends after 20 minutes by the clock of the device that ends it. It is the only
//     clock that decides something.

extension ContainerSession {
  /// The time after which another device ends a collection of garbage, in milliseconds.
  static let lease: Int64 = 1_200_000

  /// Begins an operation: it knows nothing of the store yet.
  func begin() { known.begin() }

  /// Learns the news of the log, and ends a collection of garbage that was cut off; one request if there is nothing new.
  ///
  /// - Throws: `CloudDataError` if this device was removed, if the store has moved, has another container, or lacks an
  ///   entry; `ObjectStoreError`.
  @discardableResult
  package func lookAtLog() async throws -> LearnedChanges {
    let news = try await catchUp()
    try await checkMembership()
    if !isPlan { try await endOldCollection() }
    return news
  }

  private func endOldCollection() async throws {
    guard let running = try await state.collection() else { return }
    let age = now().milliseconds - running.seen
    if age < 0 {
      // The clock was set back.
      return try await state.set(.collection, to: "\(running.device) \(running.entry) \(now().milliseconds)")
    }
    guard age >= Self.lease else { return }
    // If another device was first, the collection has ended.
    _ = try await committer.commit(.init(change: .collected(running.entry)), in: self)
  }

  /// Learns the entries that this device does not know.
  @discardableResult
  func catchUp() async throws -> LearnedChanges {
    let last = try await state.known()
    if last.position.number == 0 {
      try await checkMark()
      let (start, entries) = try await log.whole(knowing: [:])
      if case .first = start { return try await learn(completed(entries, after: last.position)) }
      return try await learn(entries, from: start)
    }
    let tail: (entries: [ContainerLog.Read], date: Int64?)?
    do {
      tail = try await log.tail(after: last)
    } catch let error as CloudDataError where error.isOfEntry {
      // A snapshot may have what the entry had.
      guard let (start, entries) = try await log.fromSnapshot(after: last.position.number) else {
        throw error
      }
      return try await learn(entries, from: start)
    }
    guard let tail else {
      try await checkMark()
      var hashes = try await state.entryHashes()
      hashes[last.position.number] = last.position.hash
      let (start, entries) = try await log.whole(knowing: hashes)
      return try await learn(entries, from: start)
    }
    let entries = try await completed(tail.entries, after: last.position)
    if entries.isEmpty, tail.date == last.date {
      try await noteKnown()
      return LearnedChanges()
    }
    return try await learn(entries, date: tail.date)
  }

  /// Returns entries with the one that may have been made (CM3), if no other one has its number.
  private func completed(
    _ entries: [ContainerLog.Read], after last: LogPosition
  ) async throws -> [ContainerLog.Read] {
    guard !isPlan, entries.isEmpty, let pending = try await state.pending(),
      pending.number == last.number + 1,
      let entry = try? LogEntry(decoding: pending.bytes),  // Else it is of no use.
      entry.previous == last.hash
    else { return entries }
    for stored in entry.versions where !stored.version.isDeleted {
      if case .success = try await checking(nil, { try await checkContent(of: stored.version) }) { continue }
      let other = LogEntry(
        after: last.hash, by: settings.device, on: now().milliseconds,
        [.device(settings.device, name: settings.deviceName)])
      try await state.setPending(other.bytes, at: pending.number, here: [])
      return try await completed(entries, after: last)
    }
    if try await log.append(pending.bytes, at: pending.number) {
      let position = LogPosition(pending.number, BlobName(of: pending.bytes))
      return [.init(position: position, date: nil, entry: entry, bytes: pending.bytes)]
    }
    return try await log.read(log.list(from: pending.number), after: last)
  }

  /// Applies entries to the state.
  @discardableResult
  func learn(
    _ entries: [ContainerLog.Read], from start: ContainerLog.Start? = nil, date: Int64? = nil
  ) async throws -> LearnedChanges {
    let news = try await state.learn(
      entries, from: start, date: date, device: settings.device, time: now().milliseconds,
      forgetsLost: log.rules.contains(.common))
    if start != nil { known.forget() }
    try await noteKnown()
    return news
  }

  private func noteKnown() async throws {
    known.note(try await state.known().position.number, lastCollection: try await state.lastCollection())
  }

  /// Checks that this device may commit.
  ///
  /// - Throws: `CloudDataError` if it was removed, or if the container moved.
  func checkMembership() async throws {
    if try await state.text(.removed) != nil { throw CloudDataError(.removed, in: store.place) }
    guard let address = try await state.text(.moved), address != settings.address else { return }
    throw CloudDataError(.moved, in: store.place, reason: "has moved to \(displayString(address))")
  }

  /// Checks that the folder still has the store of this session: another program may have relocated it.
  func checkPlace() throws {
    let now = try folder.settings()
    guard now.storePlace != settings.storePlace else { return }
    throw CloudDataError(.moved, in: store.place, reason: "has moved to \(displayString(now.address))")
  }

  /// Makes the error of an operation that has to wait.
  func busy(_ reason: String) -> FilePackageError {
    FilePackageError(.busy, .save, document: folder.url.path, reason: reason)
  }

  // MARK: Committing

  /// Commits the next version of a document.
  ///
  /// - Parameters:
  ///   - since: the last entry that was known before blobs of the version were stored; nil if its blobs are those of the
  ///     last version.
  ///   - here: the content that is here if the version is committed, with its entries; nil if that does not change.
  /// - Returns: false if another device was first. The record then has its version.
  package func commit(
    _ version: CloudVersion, of record: inout DocumentRecord, since: Int?,
    here: (root: TreeRoot, children: KnownChildren)? = nil
  ) async throws -> Bool {
    let here = here.map {
      ContainerState.Here(document: record.id, root: $0.root, name: record.name, children: $0.children)
    }
    let stored: StoredVersion
    do {
      stored = try StoredVersion(decoding: version.encoded())
    } catch let problem as CloudVersion.Problem {
      // No machine could read the log any more.
      var error = CloudDataError(.refused, in: store.place, document: version.name, reason: problem.words)
      error.isUpload = true
      throw error
    }
    let isCommitted = try await committer.commit(
      .init(change: .version(stored), since: since, here: here), in: self)
    record = try await current(record)
    return isCommitted
  }

  /// Makes this device one of the container's, if it has made no entry yet.
  func join() async throws {
    let isKnown = try await state.devices().contains { $0.id == settings.device }
    if isKnown { return }
    // No other device changes the name.
    _ = try await committer.commit(
      .init(change: .device(settings.device, name: settings.deviceName)), in: self)
  }

  // MARK: Losses

  /// Commits again the versions that the store lost and whose content is not here, if the store has their content.
  ///
  /// - Returns: the errors of those whose content is lost as well.
  func saveLost() async throws -> [any Error] {
    var problems: [any Error] = []
    for lost in try await state.unsaved() {
      var record =
        try await state.record(lost.version.document)
        ?? DocumentRecord(id: lost.version.document, name: lost.version.name)
      // A document that is here goes to the store as a change. Of two versions, that of another device counts.
      if record.base == nil, record.head == lost.head {
        let since = try await state.known().position.number
        var version = nextVersion(after: lost.version)
        let head = try head(of: record)
        version.sequence = (head?.sequence ?? 0) + 1
        version.conflicts = head?.conflicts ?? []
        version.name = try await freeName(version.name, for: record)
        switch try await checking(nil, { try await self.checkContent(of: version) }) {
        case .success:
          do {
            // If another device was first, its version counts. Without a later version the next run tries again.
            if try await !commit(version, of: &record, since: since), record.head == lost.head { continue }
          } catch  where !Self.endsRun(error) && !state.isDamaged {
            problems.append(error)
            continue
          }
        case .failure(let error) where error.code == .refusedByStore:
          problems.append(error)
          continue
        case .failure:
          problems.append(
            CloudDataError(
              .missing, in: store.place, document: lost.version.name,
              reason: "the store lost its last version, and its content is not on this machine"))
        }
      }
      try await state.forgetUnsaved(lost.version.document)
    }
    return problems
  }

  /// Checks that the store has all blobs of a version, whatever this machine remembers.
  ///
  /// - Throws: `CloudDataError` if it has not; `ObjectStoreError`.
  func checkContent(of version: CloudVersion) async throws {
    let roots = (version.hasContent ? [] : [version.root]) + version.conflicts.map(\.root)
    try await StoredContent(in: store).check(roots, of: version.name)
  }

  /// Returns whether the container keeps a content of a document until a collection of garbage begins.
  func keeps(_ root: TreeRoot, of record: DocumentRecord) async throws -> Bool {
    if let head = try head(of: record), head.root == root, !head.isDeleted { return true }
    return try await state.versions(of: record.id).contains { $0.root == root && !$0.isDeleted }
  }

  // MARK: Snapshots

  /// The weight of entries that need no snapshot.
  private static let lightTail = 64 << 10

  /// Notes that the store may lack the last snapshot: `writeDueSnapshot()` stores one as soon as it can.
  func oweSnapshot() async throws { try await state.set(.snapshot, to: Self.owed) }

  private static let owed = "owed"

  /// Stores a snapshot if one is owed, or if the entries after the last one weigh more than half of it.
  ///
  /// So a new device reads few objects.
  func writeDueSnapshot() async throws {
    // A snapshot does not have a collection that runs: its reader would commit versions meanwhile (GC1).
    if try await state.collection() != nil { return }
    func isDue(_ number: Int, _ size: Int) async throws -> Bool {
      try await state.weightOfEntries(after: number) > max(Self.lightTail, size / 2)
    }
    let text = try await state.text(.snapshot)
    if text == Self.owed { return _ = try await writeSnapshot() }
    let noted = text?.split(separator: " ").compactMap { Int($0) } ?? []
    guard try await isDue(noted.first ?? 0, noted.last ?? 0) else { return }
    // Another device may have made one.
    if let newest = try await LogSnapshot.list(in: store).first(where: \.isWhole),
      newest.number > noted.first ?? 0
    {
      try await state.set(.snapshot, to: "\(newest.number) \(newest.size)")
      guard try await isDue(newest.number, newest.size) else { return }
    }
    try await writeSnapshot()
  }

  /// Stores a snapshot of all that this machine knows, and returns it.
  @discardableResult
  func writeSnapshot() async throws -> LogSnapshot {
    let snapshot = try await state.snapshot()
    guard snapshot.position.number > 0 else { return snapshot }
    let parts = snapshot.parts
    let store = store
    _ = try await concurrentMap(parts, BlobStore.maximumCalls) { part in  // No values.
      try await store.oneObject { try await store.put(part.bytes, at: part.key) }
    }
    let size = parts.reduce(0) { $0 + $1.bytes.count }
    try await state.set(.snapshot, to: "\(snapshot.position.number) \(size)")
    return snapshot
  }
}
