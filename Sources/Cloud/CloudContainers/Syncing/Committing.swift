import FilePackages
import FoundationEssentials
import ObjectStores

// The state notes a version before the store gets it. So a later run recognises its own version if the answer was
//     lost, and takes it for no change of another device.

extension ContainerSession {
  /// Commits the next version of a document.
  ///
  /// - Parameters:
  ///   - here: the content that is here if the version is committed, with its entries; nil if none is.
  /// - Returns: false if another device was first; the record then has its version.
  package func commit(
    _ version: CloudVersion, of record: inout DocumentRecord, here: (root: TreeRoot, children: KnownChildren)?
  ) async throws -> Bool {
    try await lastEntry()
    if record.pending != nil {
      try await settlePending(of: &record)
      if try head(of: record)?.sequence ?? 0 >= version.sequence { return false }
    }
    try await confirmRenewed(for: record.name)
    record.pending = try version.encoded()
    record.pendingRoot = here.map { Data($0.root.bytes) }
    try await state.save(record)
    switch try await log.commit(version) {
    case .taken(let winner):
      (record.pending, record.pendingRoot) = (nil, nil)
      try await refreshHead(of: &record)
      // A call of an earlier run, which the store carried out after this device had looked for it.
      let isMine = winner.version.device == settings.device
      try await state.save(record, unannounced: isMine ? FeedEntry.Version(winner) : nil)
      if isMine { try await noteCommit() }
      return false
    case .committed:
      rebase(record: &record, here: here?.root)
      let bytes = try version.encoded()
      (record.head, record.needsPacking) = (bytes, true)
      try await state.save(
        record, children: here?.children ?? KnownChildren(),
        unannounced: FeedEntry.Version(StoredVersion(version: version, bytes: bytes)))
      try await noteCommit()
      return true
    }
  }

  private func rebase(record: inout DocumentRecord, here: TreeRoot?) {
    record.base = here.map { Data($0.bytes) }
    record.baseName = here == nil ? nil : record.name
    record.contentSum = nil
    (record.pending, record.pendingRoot) = (nil, nil)
    record.uploadingError = nil
  }

  /// Learns which versions were committed although no answer came.
  ///
  /// - Returns: the errors of versions that the store refuses; and whether the store lost a version that no device
  ///   announced. Only a comparison of all documents finds every version that is lost.
  package func resolvePending() async throws -> (problems: [any Error], isRolledBack: Bool) {
    for var record in try await state.records() {
      // The step of a document that cannot be read begins with the same question, and the report then has its error.
      _ = try await checking { try await settlePending(of: &record) }
    }
    var (problems, isRolledBack) = ([any Error](), false)
    for version in try await state.unannounced() where !isRolledBack {
      // The comparison brings the record back.
      switch try await checking(nil, { try await hasLost(version) }) {
      case .success(let isLost): isRolledBack = isLost
      case .failure(let error): problems.append(error)
      }
    }
    return (problems, isRolledBack)
  }

  /// Learns whether a version of an earlier attempt was committed although no answer came.
  ///
  /// - Throws: `CloudDataError` if the store refuses the version, or if it cannot be read: the document stays as it is.
  func settlePending(of record: inout DocumentRecord) async throws {
    guard let data = record.pending else { return }
    try await resolve(data, of: &record)
  }

  /// Returns whether the store no longer has the last version of a document, which this device did not announce.
  private func hasLost(_ version: FeedEntry.Version) async throws -> Bool {
    guard let record = try await state.record(version.document),
      try head(of: record)?.sequence == version.sequence
    else { return false }
    let bytes = try await checking(record.name) {
      try await log.bytes(of: version.document, version.sequence)
    }.get()
    if let bytes { return bytes != record.head }
    // A collection of garbage takes a version only after a later one came.
    return try await log.lastSequence(of: version.document, after: version.sequence) == version.sequence
  }

  /// Learns whether a version was committed.
  private func resolve(_ data: Data, of record: inout DocumentRecord) async throws {
    let version: CloudVersion
    do {
      version = try CloudVersion(decoding: data)
    } catch {
      throw CloudDataError(error.code, in: folder.url.path, reason: error.words)
    }
    let root = record.pendingRoot.flatMap { TreeRoot(bytes: ArraySlice($0)) }
    guard let stored = try await log.stored(version.document, version.sequence), stored.version == version
    else {
      (record.pending, record.pendingRoot) = (nil, nil)
      return try await state.save(record)
    }
    rebase(record: &record, here: root)
    if (try head(of: record)?.sequence ?? 0) < version.sequence {
      (record.head, record.needsPacking) = (data, true)
    }
    var children = KnownChildren()
    if let root {
      let entries = try await DocumentTree(root, blobs(with: version)).entries()
      children = KnownChildren(entries.map { KnownChild($0) })
    }
    try await state.save(record, children: children, unannounced: FeedEntry.Version(stored))
  }

  /// The beginning of the keys of devices.
  static let devicePrefix = "devices/"

  /// Returns the key of the object that has the name of a device.
  static func key(ofDevice device: String) -> ObjectKey { checkedKey(devicePrefix + device) }

  /// Compares the clocks once an hour, by an object that the store dates.
  func measureClock() async throws {
    let last = try await state.number(.clockMeasured)
    if let last, (0..<3_600_000).contains(now().milliseconds - last) { return }
    let time = now().milliseconds
    let key = Self.key(ofDevice: settings.device)
    try await store.oneObject { try await store.put(Data(settings.deviceName.utf8), at: key) }
    guard let object = try await store.oneObject({ try await store.head(key) }) else { return }
    try await state.set(.clockOffset, to: object.modificationDate.milliseconds - time)
    try await state.set(.clockMeasured, to: time)
  }
}
