import FilePackages
import FoundationEssentials

// CM1 A version is committed only over the last one of its document, under a name that no other document has.
// CM2 A version that relies on blobs from before the end of a collection of garbage is not committed: they may be gone.
// CM3 The state has an entry before the store does. An entry that may have been made is made again, with the same bytes,
//     before any other one. If the store lost its content meanwhile, another entry takes its number.

/// The only writer of a container's log on this machine: while one entry is on its way, the next one fills.
actor Committer {
  /// A change that waits for its entry.
  struct Request: Sendable {
    var change: LogEntry.Change
    /// The last entry that was known before the blobs of a version were stored; nil if it relies on its predecessor's.
    var since: Int?
    /// The content that is here if the version is committed.
    var here: ContainerState.Here?
  }

  private struct Wait {
    let request: Request
    let done: CheckedContinuation<Bool, any Error>
  }

  /// The largest number of versions of an entry.
  static let maximumVersions = 256
  /// The number of attempts to make the next entry. Each one fails because another device made it.
  private static let maximumAttempts = 50
  /// The longest time for which versions wait while no document gets on.
  private static let patience = Duration.seconds(30)

  private var waiting: [Wait] = []
  private var writer: Task<Void, Never>?
  /// The calls of `commit` that have not ended.
  private var calls: Set<UUID> = []
  /// The documents that are brought up to date at this moment: each may have a version soon.
  private var active = 0

  private func expect(_ documents: Int) { active += documents }

  /// Works on a document that may have a version soon; or, with -1, on one that will not have one for a while.
  nonisolated func expecting<Value>(
    _ documents: Int, _ body: () async throws -> Value
  ) async throws -> Value {
    await expect(documents)
    do {
      let value = try await body()
      await expect(-documents)
      return value
    } catch {
      await expect(-documents)
      throw error
    }
  }

  /// Commits a change.
  ///
  /// - Returns: false if another device was first, so that the caller has to decide anew.
  /// - Throws: `busy` if another device collects garbage, or if other devices are always first; `CloudDataError`;
  ///   `ObjectStoreError`: the change may be committed all the same, by the next operation.
  func commit(_ request: Request, in session: ContainerSession) async throws -> Bool {
    try Task.checkCancellation()
    let call = UUID()
    calls.insert(call)
    defer { calls.remove(call) }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { done in
        waiting.append(Wait(request: request, done: done))
        if writer == nil { writer = Task { await write(in: session) } }
      }
    } onCancel: {
      Task { await cancel(call) }
    }
  }

  /// Ends the writer of an operation that is cancelled, and of no later one.
  private func cancel(_ call: UUID) { if calls.contains(call) { writer?.cancel() } }

  private func write(in session: ContainerSession) async {
    var attempts = 0
    while !waiting.isEmpty {
      var batch: [Wait] = []
      do {
        try await gather()
        // CM3
        if try await session.state.pending() != nil { try await session.catchUp() }
        try await session.checkMembership()
        batch = try await takeBatch(in: session)
        if batch.isEmpty { continue }
        if try await append(batch, in: session) {
          attempts = 0
          for wait in batch { wait.done.resume(returning: true) }
          continue
        }
        waiting = batch + waiting
        batch = []
        attempts += 1
        if attempts == Self.maximumAttempts {
          throw session.busy("other devices commit versions all the time")
        }
        try await session.catchUp()
        try await Task.sleep(for: .milliseconds(Int.random(in: 1...20 * attempts)))
      } catch {
        let failed = batch + waiting
        waiting = []
        for wait in failed { wait.done.resume(throwing: error) }
      }
    }
    writer = nil
  }

  /// Waits until each document that may have a version has one, or the entry is full, or no document gets on.
  private func gather() async throws {
    var (last, start) = ((0, 0), ContinuousClock.now)
    while waiting.count < min(active, Self.maximumVersions), start.duration(to: .now) < Self.patience {
      if last != (waiting.count, active) { (last, start) = ((waiting.count, active), .now) }
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  private func append(_ batch: [Wait], in session: ContainerSession) async throws -> Bool {
    let (state, settings) = (session.state, session.settings)
    let last = try await state.known().position
    var changes = batch.map(\.request.change)
    if try await !state.devices().contains(where: { $0.id == settings.device }) {
      changes.insert(.device(settings.device, name: settings.deviceName), at: 0)
    }
    let entry = LogEntry(after: last.hash, by: settings.device, on: session.now().milliseconds, changes)
    let bytes = entry.bytes
    let number = last.number + 1
    try await state.setPending(bytes, at: number, here: batch.compactMap(\.request.here))
    do {
      guard try await session.log.append(bytes, at: number) else { return false }
    } catch {
      if !session.log.rules.contains(.pending) { try await state.forgetPending() }
      throw error
    }
    try await session.learn(
      [.init(position: LogPosition(number, BlobName(of: bytes)), date: nil, entry: entry, bytes: bytes)])
    return true
  }

  // MARK: Choosing

  /// Takes the changes that can be made now, and answers those that have to be decided anew.
  private func takeBatch(in session: ContainerSession) async throws -> [Wait] {
    var (batch, size) = ([Wait](), 0)
    var (documents, names) = (Set<CloudDocumentID>(), Set<String>())
    while let wait = waiting.first, batch.count < Self.maximumVersions, size < LogEntry.maximumSize / 2 {
      waiting.removeFirst()
      do {
        var isNext = try await canCommit(wait.request, in: session)
        if isNext, case .version(let stored) = wait.request.change {
          let name = stored.version.isDeleted ? nil : DocumentName.folded(stored.version.name)
          isNext =
            documents.insert(stored.version.document).inserted
            && name.map { names.insert($0).inserted } ?? true
          if isNext { size += stored.bytes.count }
        }
        if isNext { batch.append(wait) } else { wait.done.resume(returning: false) }
      } catch {
        wait.done.resume(throwing: error)
      }
    }
    return batch
  }

  /// Returns whether a change can be made now; otherwise its caller decides anew.
  private func canCommit(_ request: Request, in session: ContainerSession) async throws -> Bool {
    let (state, rules) = (session.state, session.log.rules)
    let collection = try await state.collection()
    switch request.change {
    case .device, .moved: return true
    case .collected(let entry): return collection?.entry == entry
    case .collecting:
      if collection != nil { throw session.busy("another machine collects garbage") }
      return true
    case .version(let stored):
      let version = stored.version
      if rules.contains(.collections) {
        if collection != nil {
          throw session.busy(
            "another machine collects garbage in the container; the document is uploaded later")
        }
        // CM2
        if let since = request.since, try await since < state.lastCollection() { return false }
      }
      // CM1
      let record = try await state.record(version.document)
      let head = try record.flatMap { try session.head(of: $0) }
      guard head?.sequence ?? 0 == version.sequence - 1 else { return false }
      // A program asked for the content since the document was removed here.
      if version.isDeleted, let record, record.isWanted, record.base != nil { return false }
      if version.isDeleted || !rules.contains(.names) { return true }
      let holder = try await state.holder(ofName: DocumentName.folded(version.name))
      return holder.map { $0 == version.document.string } ?? true
    }
  }
}
