package import FoundationEssentials
import Synchronization

// A blob that the store had after an entry is there until a later entry begins a collection of garbage. A collection may
//     take a blob until its end. So a blob has the last entry that was known before it was stored.
// A store that was rolled back may lack a blob and have all entries that are known. So each operation forgets the blobs.
// A page that is here has the bytes of its name, or counts as missing. Losing it costs a read.

/// The blobs that an operation stored, in memory, and pages of trees, in memory and, from time to time, in the state.
package final class KnownBlobs: Sendable {
  private struct Memory {
    var stored: [BlobName: Int] = [:]
    /// The pages that the state does not have.
    var pages: [BlobName: Data] = [:]
    /// The last known entry, and the last one that began or ended a collection.
    var entry = 0
    var lastCollection = 0
  }

  /// The number of pages in memory.
  private static let maximumPages = 256
  /// The state; nil for the memory of this process alone.
  private let state: ContainerState?
  private let memory = Mutex(Memory())

  package init(_ state: ContainerState? = nil) { self.state = state }

  /// The moment before a blob is stored.
  package var moment: Int { memory.withLock { $0.entry } }

  /// Returns whether this operation stored the blob, and no collection of garbage ran since.
  package func contains(_ name: BlobName) -> Bool {
    memory.withLock { $0.stored[name] ?? -1 >= $0.lastCollection }
  }

  /// Notes a blob that the store has since a moment.
  package func insert(_ name: BlobName, since moment: Int) { memory.withLock { $0.stored[name] = moment } }

  /// Forgets which blobs the store has: it may have lost them.
  func forget() { memory.withLock { $0.stored = [:] } }

  /// Begins an operation, which relies on no blob of an earlier one.
  func begin() { memory.withLock { $0 = Memory(pages: $0.pages) } }

  /// Notes what this machine knows of the log.
  func note(_ entry: Int, lastCollection: Int) {
    memory.withLock { ($0.entry, $0.lastCollection) = (entry, lastCollection) }
  }

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

  /// Writes the new pages to the state.
  package func flush() async throws {
    let pages = memory.withLock { memory in
      defer { memory.pages = [:] }
      return memory.pages
    }
    try await state?.keep(pages)
  }
}
