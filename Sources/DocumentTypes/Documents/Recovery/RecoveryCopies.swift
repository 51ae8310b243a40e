import DurableIO
import FilePackages
import FoundationEssentials

/// The recovery copies that concern one open document: its own one, and those that its opening found.
///
/// While the document is open, no other document is offered them.
final class RecoveryCopies {
  private let store: RecoveryStore
  /// The name of this document's own copy, until it is released: then the next opening may offer that copy.
  private var name = UUID().uuidString
  /// The copies that the opening found.
  private(set) var offered: [RecoveryCopy] = []
  /// This document's own copy and its revision.
  private var own: (copy: RecoveryCopy, revision: Revision)?
  /// The copies whose edits are in the content; the next save removes them.
  private var adopted: [RecoveryCopy] = []
  /// The locks that deny these copies to other documents.
  private var locks: [RecoveryCopy.ID: OpenNode] = [:]

  init(on store: RecoveryStore) { self.store = store }

  // MARK: Opening and closing

  /// Returns the copies of a document, with their locks, and the errors of copies that cannot be read.
  ///
  /// - Parameter disk: the disk of the documents.
  func copies(
    of document: RecoveryCopy.Record, documentsOn disk: any Disk
  ) async throws -> (copies: [RecoveryStore.Taken], problems: [any Error]) {
    try await BlockingThread().run { [store] in
      var problems: [any Error] = []
      return (try store.copies(of: { $0.isOf(document, documentsOn: disk) }, problems: &problems), problems)
    }
  }

  /// Offers these copies.
  func offer(_ copies: [RecoveryStore.Taken]) {
    offered = copies.map(\.copy)
    for (copy, lock) in copies { locks[copy.id] = lock }
  }

  /// Releases the copies.
  ///
  /// - Parameter exceptOwn: whether the document's own copy stays locked, because its edits are still in memory.
  func release(exceptOwn: Bool = false) {
    let kept = exceptOwn ? own.flatMap { own in locks[own.copy.id].map { (own.copy.id, $0) } } : nil
    (offered, adopted, locks) = ([], [], [:])
    if let (id, lock) = kept { locks[id] = lock }
    if !exceptOwn { (own, name) = (nil, UUID().uuidString) }
  }

  // MARK: Storing

  /// Stores edits in the document's own copy, unless it has this revision already.
  ///
  /// - Returns: the URL of the copy.
  func store(
    _ revision: Revision, _ record: RecoveryCopy.Record, _ edits: () async throws -> TreeChanges
  ) async throws -> URL {
    if let own, own.revision == revision { return own.copy.url }
    let edits = try await edits()
    let (copy, lock) = try await BlockingThread().run { [store, name] in
      try store.write(edits, record, as: name)
    }
    own = (copy, revision)
    locks[copy.id] = lock
    return copy.url
  }

  // MARK: Using

  /// Returns the edits of a copy.
  func edits(of copy: RecoveryCopy) async throws -> TreeChanges {
    try await BlockingThread().run { [store] in try store.changes(of: copy) }
  }

  /// Notes that the edits of a copy are in the content.
  func adopt(_ copy: RecoveryCopy) {
    adopted.append(copy)
    offered.removeAll { $0.id == copy.id }
  }

  /// Notes that the edits of the adopted copies are not in the content.
  func offerAgain() { (offered, adopted) = (offered + adopted, []) }

  /// Removes a copy.
  func remove(_ copy: RecoveryCopy) async throws {
    try await BlockingThread().run { [store] in try store.remove(copy) }
    locks[copy.id] = nil
    offered.removeAll { $0.id == copy.id }
    adopted.removeAll { $0.id == copy.id }
  }

  /// Removes the copies whose edits are saved.
  ///
  /// - Returns: the errors. The next opening then offers the copy again, and no edit is lost.
  func removeUsed() async -> [any Error] {
    let used = adopted + (own.map { [$0.copy] } ?? [])
    (adopted, own) = ([], nil)
    var errors: [any Error] = []
    for copy in used {
      do {
        try await remove(copy)
      } catch {
        errors.append(error)
      }
    }
    return errors
  }
}
