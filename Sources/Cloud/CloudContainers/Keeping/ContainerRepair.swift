import FilePackages
import FoundationEssentials
import ObjectStores

// A repair stores only objects that this machine knows byte for byte. It replaces no entry that other entries follow.
// An object that the store refuses stays as it is, and the check at the end names it.

/// The return of objects to a store that lost or damaged them, as far as this machine has them.
package struct ContainerRepair: Sendable {
  let session: ContainerSession

  package init(_ session: ContainerSession) { self.session = session }

  /// Stores what this machine has and the store lost, and checks the container then.
  ///
  /// - Parameter reads: whether to read all content, to find damage that a listing does not show.
  /// - Throws: `ObjectStoreError`; `CloudDataError` if the store is another one's, or has nothing of this container;
  ///   `CancellationError`.
  package func run(reads: Bool) async throws -> ContainerRepairReport {
    var report = ContainerRepairReport()
    try await restoreMark()
    report.entries = try await restoreEntries()
    var documents = try await session.lookAtLog().lost
    // Before the run replaces content here by that of later versions: an earlier version may need it.
    var whole: Set<TreeRoot> = []
    documents += try await restoreContents(reads, &whole)
    documents += try await session.sync().lost
    documents += try await restoreContents(reads, &whole)
    report.documents = Set(documents).sorted()
    try await session.oweSnapshot()
    try await session.writeDueSnapshot()
    report.check = try await ContainerCheck(session).run(reads: reads)
    return report
  }

  /// Stores the mark of the container, if the store has an entry that this machine knows.
  ///
  /// The mark of an encrypted container then has no passphrase: no machine knows it.
  private func restoreMark() async throws {
    let (mark, container) = (ContainerMark(session.store), session.settings.container)
    guard case .failure(let error) = try await checking(nil, { try await session.checkMark() }) else {
      return
    }
    if case .success(.some) = try await checking(nil, { try await mark.find() }) { throw error }
    let known = try await session.state.entryHashes()
    for (number, hash) in known.sorted(by: { $0.key > $1.key }).prefix(64) {
      guard case .success(hash) = try await checking(nil, { try await session.log.hash(of: number) }) else {
        continue
      }
      return try await mark.replace(ContainerMark.Record(container: container, key: session.key))
    }
    throw error
  }

  /// Stores entries of the log again that this machine knows byte for byte, and that the store lost or damaged; returns
  /// their number.
  ///
  /// An entry is one of the log if the next one has its hash. The last one is that of this machine if the store has none
  /// that follows the one before it.
  private func restoreEntries() async throws -> Int {
    let (log, store) = (session.log, session.store)
    let known = try await session.state.entryHashes().sorted { $0.key < $1.key }
    let listed = Set(try await log.list(from: 0).map(\.number))
    let first = listed.min() ?? 0
    var restored = 0
    // From the last one on: each tells the hash of the one before.
    var next: (number: Int, previous: BlobName)?
    for (number, hash) in known.reversed() where number >= first {
      guard let own = try await session.state.entryBytes(number) else { continue }
      let present =
        listed.contains(number) ? try await checking(nil) { try await log.bytes(of: number) } : nil
      let bytes: Data?
      switch present {
      case .success(let found)?: bytes = found
      case .failure?: continue  // The store refuses it.
      case nil: bytes = nil
      }
      let entry = bytes.flatMap { try? LogEntry(decoding: $0) }  // Other bytes are damage.
      let isNeeded = next.map { $0.number == number + 1 && $0.previous == hash } ?? false
      let isLast = next == nil && !listed.contains { $0 > number }
      let previous = try LogEntry(decoding: own).previous
      var isStray = false
      if isLast, let entry, entry.previous != previous {
        isStray = try await log.hash(of: number - 1) == previous
      }
      if bytes != own, isNeeded || isLast && (entry == nil || isStray) {
        restored += 1
        // Another machine may make the missing last entry at this moment (LG1).
        try await store.oneObject {
          try await store.put(own, at: ContainerLog.key(number), ifAbsent: bytes == nil)
        }
        next = (number, previous)
      } else if let entry {
        next = (number, entry.previous)
      } else {
        next = nil
      }
    }
    return restored
  }

  /// Stores the content of documents that are here, where the store lacks a part of it; returns their names.
  ///
  /// - Parameter whole: the contents that the store has. It is asked for none of them again.
  private func restoreContents(_ reads: Bool, _ whole: inout Set<TreeRoot>) async throws -> [String] {
    let (session, known) = (session, whole)
    let question = StoredContent(in: session.store, readsAll: reads)
    let found = try await concurrentMap(session.state.records(), BlobStore.maximumCalls) {
      record -> (root: TreeRoot, restored: String?)? in
      guard let base = session.base(of: record), !known.contains(base),
        let local = try FolderScan.document(record.name, in: session.folder),
        try await session.state.versions(of: record.id).contains(where: {
          $0.root == base && !$0.hasContent && !$0.isDeleted
        })
      else { return nil }
      let found = try await checking(nil, { try await question.check([base], of: record.name) })
      guard case .failure = found else { return (base, nil) }
      guard case .success(true) = try await checking(nil, { try await session.storeAgain(local, record) })
      else { return nil }
      return (base, record.name)
    }.compactMap { $0 }
    whole.formUnion(found.map(\.root))
    return found.compactMap(\.restored)
  }
}

/// The outcome of a repair.
public struct ContainerRepairReport: Sendable, Encodable {
  /// The names of the documents whose content was stored again.
  public var documents: [String] = []
  /// The number of entries of the container's log that were stored again.
  public var entries = 0
  /// The state of the container afterwards.
  public var check = CheckReport()

  /// Makes an empty report.
  public init() {}
}
