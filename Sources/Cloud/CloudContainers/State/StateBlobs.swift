import Synchronization

// A blob that the store had after an entry is there until a later entry begins a collection of garbage. A collection may
//     take a blob until its end. So the state has the last entry that was known before the blob was stored.
// A store that was rolled back may lack a blob and have all entries that are known. So the state has a blob only after
//     this device made an entry after it: a store without the blob lacks that entry.

/// The blobs that the container is known to have, in memory and, from time to time, in the state.
package final class StateBlobs: KnownBlobs {
  private struct Memory {
    var new: [BlobName: Int] = [:]
    /// The blobs that were stored before an entry of this device.
    var covered: [BlobName: Int] = [:]
    /// The last known entry, and the last one that began or ended a collection.
    var (entry, lastCollection) = (0, 0)
    /// Whether this operation has seen that the store was not rolled back.
    var isTrusted = false
  }

  private let state: ContainerState
  private let memory = Mutex(Memory())

  package init(_ state: ContainerState) { self.state = state }

  package var moment: Int { memory.withLock { $0.entry } }

  /// Returns whether this machine stored the blob, and no collection of garbage ran since.
  package func contains(_ name: BlobName) async throws -> Bool {
    let (entry, last, isTrusted) = memory.withLock { ($0.new[name], $0.lastCollection, $0.isTrusted) }
    if let entry { return entry >= last }
    guard isTrusted, let entry = try await state.entryOfBlob(name) else { return false }
    return entry >= last
  }

  package func insert(_ name: BlobName, since moment: Int) { memory.withLock { $0.new[name] = moment } }

  /// Forgets all blobs in memory: the store may have lost them.
  func forget() { memory.withLock { ($0.new, $0.covered) = ([:], [:]) } }

  /// The blobs that were stored by now.
  var stored: [BlobName: Int] { memory.withLock { $0.new } }

  /// Notes blobs that were stored before an entry that this device made.
  func cover(_ names: [BlobName: Int]) { memory.withLock { $0.covered = names } }

  /// Begins an operation, which relies on no blob of an earlier one until `trust()`.
  func begin() { memory.withLock { $0 = Memory() } }

  /// Notes what this machine knows of the log.
  func note(_ entry: Int, lastCollection: Int) {
    memory.withLock { ($0.entry, $0.lastCollection) = (entry, lastCollection) }
  }

  /// Relies on the blobs of earlier runs.
  func trust() { memory.withLock { $0.isTrusted = true } }

  /// Writes the new names to the state.
  package func flush() async throws {
    let names = memory.withLock { memory in
      defer { memory.covered = [:] }
      return memory.covered.filter { $0.value >= memory.lastCollection }
    }
    try await state.noteBlobs(names)
  }
}
