import FilePackages
import FoundationEssentials
import ObjectStores

// A repair stores only objects that this machine knows byte for byte. It replaces no version that can be read.
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
    try await session.lastEntry()
    try await session.known.forget()
    report.versions = try await restoreVersions()
    // Before the run replaces content here by that of later versions: an earlier version may need it.
    report.documents = try await restoreContents(reads)
    // Versions that are lost as a whole.
    report.documents += try await session.sync(everything: true).lost
    report.documents += try await restoreContents(reads)
    report.documents = Set(report.documents).sorted()
    report.check = try await ContainerCheck(session).run(reads: reads)
    return report
  }

  /// Stores the mark of the container, if the store has a version that this machine knows.
  ///
  /// The mark of an encrypted container then has no passphrase: no machine knows it.
  private func restoreMark() async throws {
    let (mark, container) = (ContainerMark(session.store), session.settings.container)
    guard case .failure(let error) = try await checking(nil, { try await session.checkMark() }) else {
      return
    }
    if case .success(.some) = try await checking(nil, { try await mark.find() }) { throw error }
    let known = try await session.state.records().filter { $0.head != nil }.prefix(64)
    for record in known {
      guard case .success(true) = try await checking(nil, { try await session.hasHead(of: record) }) else {
        continue
      }
      try await mark.replace(ContainerMark.Record(container: container, key: session.key))
      return try await session.feed.mark(container)
    }
    throw error
  }

  /// Stores the last versions of documents over bytes that are no version; returns their number.
  private func restoreVersions() async throws -> Int {
    let records = try await session.state.records()
    return try await concurrentMap(records, BlobStore.maximumCalls) { record in
      try await checking { try await restoreVersion(of: record) }
    }.count {
      if case .success(true) = $0 { true } else { false }
    }
  }

  private func restoreVersion(of record: DocumentRecord) async throws -> Bool {
    guard let bytes = record.head, let head = try session.head(of: record),
      let present = try await session.log.bytes(of: head.document, head.sequence), present != bytes
    else { return false }
    do throws(CloudVersion.Problem) {
      let version = try CloudVersion(decoding: present)
      if version.document == head.document, version.sequence == head.sequence { return false }
    } catch {
      // A newer program made the version. Other bytes that cannot be read are damage.
      if error == .newerFormat { return false }
    }
    try await session.store.oneObject { try await session.store.put(bytes, at: head.key) }
    return true
  }

  /// Stores the content of documents that are here, where the store lacks a part of it; returns their names.
  private func restoreContents(_ reads: Bool) async throws -> [String] {
    var restored: [String] = []
    let question = StoredContent(in: session.store, readsAll: reads)
    for record in try await session.state.records() {
      guard let head = try session.head(of: record), !head.isDeleted, !head.hasContent,
        head.root == session.base(of: record),
        let local = try FolderScan.document(record.name, in: session.folder)
      else { continue }
      let found = try await checking(nil, { try await question.check([head.root], of: record.name) })
      guard case .failure = found else { continue }
      guard
        case .success(true) = try await checking(
          nil, { try await session.storeAgain(local, record) })
      else { continue }
      restored.append(record.name)
    }
    return restored
  }
}

/// The outcome of a repair.
public struct ContainerRepairReport: Sendable {
  /// The names of the documents whose content or versions were stored again.
  public var documents: [String] = []
  /// The number of damaged versions that were replaced by whole ones.
  public var versions = 0
  /// The state of the container afterwards.
  public var check = CheckReport()

  /// Makes an empty report.
  public init() {}
}
