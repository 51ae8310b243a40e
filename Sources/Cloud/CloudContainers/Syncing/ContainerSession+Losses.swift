import FilePackages
import FoundationEssentials
import ObjectStores

// A store that was rolled back has an earlier version of a document as the last one, or none. The content here then
//     counts as a change of that version, so that it goes to the store again, as a merge if another device was first.
// A version has the next number of those that the store has, never the number that it had before: a gap would hide
//     the version of another device that fills it.

extension ContainerSession {
  /// The number of replaced versions to look at for one that the store still has.
  private static let maximumSteps = 64

  /// Finds the documents whose last version the store has lost, and brings their records back to what it has.
  ///
  /// - Parameters:
  ///   - newest: the last numbers in the store.
  ///   - comparing: whether to compare also versions whose numbers the store has.
  /// - Returns: the names of the documents, and the errors of those whose content is not here.
  func rewindLost(
    _ newest: [CloudDocumentID: Int], comparing: Bool
  ) async throws -> (names: [String], problems: [any Error]) {
    var lost: [DocumentRecord] = []
    var others: [DocumentRecord] = []
    var problems: [any Error] = []
    let records = try await state.records()
    for record in records {
      guard let head = try head(of: record) else { continue }
      if newest[head.document] ?? 0 < head.sequence {
        lost.append(record)
      } else {
        others.append(record)
      }
    }
    if comparing || !lost.isEmpty {
      let isOther = try await concurrentMap(others, BlobStore.maximumCalls) { record in
        try await checking(record.name) {
          guard let head = try head(of: record) else { return false }
          // A collection of garbage may have taken a version that was replaced.
          let present = try await log.bytes(of: head.document, head.sequence)
          return present != nil && present != record.head
        }
      }
      for (record, result) in zip(others, isOther) {
        switch result {
        case .success(let isOther): if isOther { lost.append(record) }
        case .failure(let error): problems.append(error)
        }
      }
    }
    // The store may have lost also blobs that no version needs yet.
    if comparing || !lost.isEmpty { try await known.forget() }
    guard !lost.isEmpty else { return ([], problems) }
    let present = try await concurrentMap(lost, BlobStore.maximumCalls) { record in
      let document = try record.document
      guard let last = newest[document] else {
        return .success(nil) as Result<StoredVersion?, CloudDataError>
      }
      return try await readable(document, last, named: record.name)
    }
    // The others compare first, before a version of this device can get a number that they do not expect.
    try await tellLoss(
      of: zip(lost, present).compactMap { record, present in
        guard case .success(let stored) = present else { return nil }
        return try stored.map { FeedEntry.Version($0) } ?? FeedEntry.Version(nothingOf: record.document)
      })
    for (record, present) in zip(lost, present) {
      let outcome = try await checking(record.name) { try await rewind(record, to: present.get()) }
      if case .failure(let error) = outcome { problems.append(error) }
    }
    return (lost.map(\.name).sorted(), problems)
  }

  /// Returns whether the store no longer has the last known version of a document that entries of the feed contradict.
  ///
  /// Cost: a read for each contradiction.
  func haveLost(_ entries: [FeedEntry]) async throws -> Bool {
    if entries.isEmpty { return false }
    var known: [CloudDocumentID: FeedEntry.Version] = [:]
    for record in try await state.records() {
      guard let bytes = record.head, let head = try head(of: record) else { continue }
      known[head.document] = FeedEntry.Version(StoredVersion(version: head, bytes: bytes))
    }
    var doubtful: Set<FeedEntry.Version> = []
    for entry in entries {
      for version in entry.versions {
        guard let own = known[version.document] else { continue }
        let isOther = version.sequence == own.sequence && version.digest != own.digest
        if isOther || entry.kind == .lost && version.sequence < own.sequence { doubtful.insert(own) }
      }
    }
    let isLost = try await concurrentMap(doubtful, BlobStore.maximumCalls) { own in
      let present = try await checking {
        try await log.bytes(of: own.document, own.sequence).map { VersionDigest(of: $0) }
      }
      // The comparison names a version that the store refuses.
      guard case .success(let digest) = present else { return true }
      return digest != own.digest
    }
    return isLost.contains(true)
  }

  /// Makes the error for a version that the store no longer has.
  func lost(_ version: CloudVersion, of record: DocumentRecord) -> CloudDataError {
    CloudDataError(.rolledBack, in: store.place, key: version.key.string, document: record.name)
  }

  /// Makes a version that the store has, or none, the last one of a record.
  private func rewind(_ record: DocumentRecord, to present: StoredVersion?) async throws {
    var record = record
    guard let lost = try head(of: record) else { return }
    let common = try await lastCommon(of: record, upTo: present?.version.sequence ?? 0)
    (record.head, record.needsPacking) = (present?.bytes, false)
    (record.pending, record.pendingRoot) = (nil, nil)
    try await state.forgetUnannounced(record.id)
    if let present { heads.note(present, of: record.id) }
    record.shownConflicts = record.shownConflicts.split(separator: " ").filter { digest in
      present?.version.conflicts.contains { "\($0)" == digest } ?? false
    }.joined(separator: " ")
    guard record.base != nil else {
      try await state.save(record)
      if lost.isDeleted { return }
      // Another device changed it since: its version counts.
      guard common == present?.version else { return }
      return try await commitAgain(lost, after: present?.version, of: &record)
    }
    // A document that is here and not known to have been in the container goes there, or gets a name of its own.
    (record.base, record.baseName) = (nil, nil)
    var children = KnownChildren()
    if let common, present?.version.isDeleted == false {
      switch try await checking(nil, { try await DocumentTree(common.root, blobs(with: common)).entries() }) {
      case .success(let entries):
        (record.base, record.baseName) = (Data(common.root.bytes), common.name)
        children = KnownChildren(entries.map { KnownChild($0) })
      // The store may give the content with the next run.
      case .failure(let error) where error.code == .refusedByStore: throw error
      case .failure: break
      }
    }
    try await state.save(record, children: children)
  }

  /// Returns the last version that this machine knew and that the store has, up to a number; nil if there is none.
  ///
  /// If the document is here, the version is not newer than the content.
  private func lastCommon(of record: DocumentRecord, upTo last: Int) async throws -> CloudVersion? {
    let known = try await ([record.head].compactMap { $0 } + state.earlierHeads(of: record.id)).map { bytes in
      // A version that cannot be read is passed over.
      (bytes: bytes, version: try? CloudVersion(decoding: bytes))
    }
    var limit = last
    if let base = base(of: record) {
      // The content here may be from before the last known version, as after a merge that was cut off.
      limit = min(last, known.compactMap(\.version).filter { $0.root == base }.map(\.sequence).max() ?? 0)
    }
    let sorted = known.filter { $0.version.map { $0.sequence <= limit } ?? false }
      .sorted { $0.version?.sequence ?? 0 > $1.version?.sequence ?? 0 }
    for (bytes, version) in sorted.prefix(Self.maximumSteps) {
      guard let version else { continue }
      if try await log.bytes(of: version.document, version.sequence) == bytes { return version }
    }
    return nil
  }

  /// Commits the lost version of a document whose content is not here.
  ///
  /// - Throws: `CloudDataError` if the store has not all of the content.
  private func commitAgain(
    _ lost: CloudVersion, after present: CloudVersion?, of record: inout DocumentRecord
  ) async throws {
    do {
      if !lost.hasContent { try await storeAnew(lost.root) }
    } catch let error as CloudDataError where error.code != .refusedByStore {
      throw CloudDataError(
        .missing, in: store.place, key: lost.key.string, document: lost.name,
        reason: "the store lost its last version, and its content is not on this machine")
    }
    var version = nextVersion(after: lost)
    version.sequence = (present?.sequence ?? 0) + 1
    version.conflicts = present?.conflicts ?? []
    _ = try await commitElsewhere(version, of: &record)  // If another device was first, its version counts.
  }
}
