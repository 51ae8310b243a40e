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
    record.pending = try version.encoded()
    record.pendingRoot = here.map { Data($0.root.bytes) }
    try await state.save(record)
    switch try await log.commit(version) {
    case .taken(let winner):
      (record.pending, record.pendingRoot) = (nil, nil)
      try await refreshHead(of: &record)
      // A call of an earlier run, which the store carried out after this device had looked for it.
      if winner.device == settings.device { record.unannounced = winner.sequence }
      try await state.save(record)
      try await announce(&record)
      return false
    case .committed:
      settle(version, record: &record, here: here?.root)
      (record.head, record.needsPacking) = (try version.encoded(), true)
      try await state.save(record, children: here?.children ?? KnownChildren())
      try await announce(&record)
      return true
    }
  }

  private func settle(_ version: CloudVersion, record: inout DocumentRecord, here: TreeRoot?) {
    record.base = here.map { Data($0.bytes) }
    record.baseName = here == nil ? nil : record.name
    (record.pending, record.pendingRoot) = (nil, nil)
    record.unannounced = version.sequence
    record.uploadingError = nil
  }

  /// Learns which versions were committed although no answer came, and announces those of a run that was cut off.
  ///
  /// - Returns: the errors of versions that cannot be read, whose documents stay as they are; and whether the store lost
  ///   a version that no device announced. Only a comparison of all documents finds every version that is lost.
  package func resolvePending() async throws -> (problems: [any Error], isRolledBack: Bool) {
    var (problems, isRolledBack) = ([any Error](), false)
    for var record in try await state.records() where record.pending != nil || record.unannounced != nil {
      do {
        if let data = record.pending { try await resolve(data, of: &record) }
        if try await hasLostUnannounced(record) {
          // The comparison brings the record back.
          isRolledBack = true
        } else {
          try await announce(&record)
        }
      } catch let error as CloudDataError {
        problems.append(error)
      }
    }
    return (problems, isRolledBack)
  }

  /// Returns whether the store no longer has the version of a record that this device committed and did not announce.
  private func hasLostUnannounced(_ record: DocumentRecord) async throws -> Bool {
    guard let sequence = record.unannounced, let head = try head(of: record), head.sequence == sequence else {
      return false
    }
    if let bytes = try await log.bytes(of: head.document, sequence) { return bytes != record.head }
    // A collection of garbage takes a version only after a later one came.
    return try await log.lastSequence(of: head.document, after: sequence) == sequence
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
    guard try await log.version(of: version.document, version.sequence) == version else {
      (record.pending, record.pendingRoot) = (nil, nil)
      return try await state.save(record)
    }
    settle(version, record: &record, here: root)
    if (try head(of: record)?.sequence ?? 0) < version.sequence {
      (record.head, record.needsPacking) = (data, true)
    }
    var children = KnownChildren()
    if let root {
      let entries = try await DocumentTree(root, blobs(with: version)).entries()
      children = KnownChildren(entries.map { KnownChild($0) })
    }
    try await state.save(record, children: children)
  }

  /// Tells the feed about a committed version.
  private func announce(_ record: inout DocumentRecord) async throws {
    guard let sequence = record.unannounced else { return }
    try await measureClock()
    let time = try await storeTime()
    let entry = try await feed.announce(record.document, sequence, by: settings.device, at: time)
    try await note(ContainerFeed.Witness(entry, at: time))
    record.unannounced = nil
    try await state.save(record)
  }

  /// The beginning of the keys of devices.
  static let devicePrefix = "devices/"

  /// Returns the key of the object that has the name of a device.
  static func key(ofDevice device: String) -> ObjectKey { checkedKey(devicePrefix + device) }

  /// Compares the clocks, by an object that the store dates.
  ///
  /// - Parameter always: whether to compare them in any case, instead of once an hour.
  func measureClock(always: Bool = false) async throws {
    let last = try await state.number(.clockMeasured)
    if let last, !always, (0..<3_600_000).contains(now().milliseconds - last) { return }
    let time = now().milliseconds
    let key = Self.key(ofDevice: settings.device)
    try await store.put(Data(settings.deviceName.utf8), at: key)
    guard let object = try await store.head(key) else { return }
    try await state.set(.clockOffset, to: object.modificationDate.milliseconds - time)
    try await state.set(.clockMeasured, to: time)
  }
}
