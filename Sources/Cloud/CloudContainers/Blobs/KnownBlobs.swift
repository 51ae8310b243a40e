package import FoundationEssentials
import Synchronization

// A blob that the store had after an entry is there until a later entry begins a collection of garbage. A collection may
//     take a blob until its end. So the state has the last entry that was known before the blob was stored.
// A store that was rolled back may lack a blob and have all entries that are known. So the state has a blob only after
//     this device made an entry after it: a store without the blob lacks that entry.
// A page that is here has the bytes of its name, or counts as missing. Losing it costs a read.

/// The blobs that the store is known to have, and pages of trees: in memory and, from time to time, in the state.
package final class KnownBlobs: Sendable {
  private struct Memory {
    var new: [BlobName: Int] = [:]
    /// The blobs that were stored before an entry of this device.
    var covered: [BlobName: Int] = [:]
    /// The pages that the state does not have.
    var pages: [BlobName: Data] = [:]
    /// The last known entry, and the last one that began or ended a collection.
    var entry = 0
    var lastCollection = 0
    /// Whether this operation has seen that the store was not rolled back.
    var isTrusted = false
  }

  /// The number of pages in memory.
  private static let maximumPages = 256
  /// The state; nil for the memory of this process alone.
  private let state: ContainerState?
  private let memory = Mutex(Memory())

  package init(_ state: ContainerState? = nil) { self.state = state }

  /// The moment before a blob is stored.
  package var moment: Int { memory.withLock { $0.entry } }

  /// Returns whether this machine stored the blob, and no collection of garbage ran since.
  package func contains(_ name: BlobName) async throws -> Bool {
    let (entry, last, isTrusted) = memory.withLock { ($0.new[name], $0.lastCollection, $0.isTrusted) }
    if let entry { return entry >= last }
    guard isTrusted, let entry = try await state?.entryOfBlob(name) else { return false }
    return entry >= last
  }

  /// Notes a blob that the store has since a moment.
  package func insert(_ name: BlobName, since moment: Int) { memory.withLock { $0.new[name] = moment } }

  /// Forgets which blobs the store has: it may have lost them.
  func forget() { memory.withLock { ($0.new, $0.covered) = ([:], [:]) } }

  /// The blobs that were stored by now.
  var stored: [BlobName: Int] { memory.withLock { $0.new } }

  /// Notes blobs that were stored before an entry that this device made.
  func cover(_ names: [BlobName: Int]) { memory.withLock { $0.covered = names } }

  /// Begins an operation, which relies on no blob of an earlier one until `trust()`.
  func begin() { memory.withLock { $0 = Memory(pages: $0.pages) } }

  /// Notes what this machine knows of the log.
  func note(_ entry: Int, lastCollection: Int) {
    memory.withLock { ($0.entry, $0.lastCollection) = (entry, lastCollection) }
  }

  /// Relies on the blobs of earlier runs.
  func trust() { memory.withLock { $0.isTrusted = true } }

  // MARK: Pages

  /// Returns a page; nil if it is not here, or damaged.
  package func page(_ name: BlobName) async throws -> Data? {
    if let page = memory.withLock({ $0.pages[name] }) { return page }
    return try await state?.page(name).flatMap { BlobName(of: $0) == name ? $0 : nil }
  }

  /// Keeps a page, unless the state takes no writes.
  package func keep(_ page: Data, as name: BlobName) async throws {
    guard let state, state.obstacle == nil else { return }
    let isFull = memory.withLock { memory in
      memory.pages[name] = page
      return memory.pages.count >= Self.maximumPages
    }
    if isFull { try await flush() }
  }

  /// Writes the new names and pages to the state.
  package func flush() async throws {
    let (names, pages) = memory.withLock { memory in
      defer { (memory.covered, memory.pages) = ([:], [:]) }
      return (memory.covered.filter { $0.value >= memory.lastCollection }, memory.pages)
    }
    try await state?.note(names, pages: pages)
  }
}
