package import FoundationEssentials
import Synchronization

// An upload relies on a blob only for a day after it stored the blob. A collection of garbage leaves each blob for
//     two days after it was stored.

/// The blobs that the container is known to have, in memory and, from time to time, in the state.
package final class StateBlobs: KnownBlobs {
  /// The time for which an upload relies on a stored blob, in milliseconds.
  package static let lifetime: Int64 = 86_400_000

  private let state: ContainerState
  private let now: @Sendable () -> Date
  private let new = Mutex<[BlobName: Int64]>([:])
  /// Whether this operation has seen that the store was not rolled back.
  private let isTrusted = Mutex(false)

  /// - Parameter now: this machine's clock.
  package init(_ state: ContainerState, now: @escaping @Sendable () -> Date) {
    (self.state, self.now) = (state, now)
  }

  /// Returns whether this machine stored the blob within the last day.
  package func contains(_ name: BlobName) async throws -> Bool {
    let time = now().milliseconds
    if let date = new.withLock({ $0[name] }) { return Self.isRecent(date, at: time) }
    guard isTrusted.withLock({ $0 }) else { return false }
    // A clock that was set back makes a date in the future, which says nothing.
    guard let date = try await state.dateOfBlob(name) else { return false }
    return Self.isRecent(date, at: time)
  }

  private static func isRecent(_ date: Int64, at time: Int64) -> Bool {
    (time - lifetime...time).contains(date)
  }

  package func insert(_ name: BlobName) async throws {
    let date = now().milliseconds
    new.withLock { $0[name] = date }
  }

  /// Forgets all blobs: the store may have lost them.
  func forget() async throws {
    new.withLock { $0 = [:] }
    try await state.forgetBlobs()
  }

  /// Begins an operation, which relies on no blob of an earlier one until `trust()`.
  ///
  /// Blobs of a run that was cut off stay forgotten. No version may need them, so no run notices if the store loses them.
  func begin() {
    new.withLock { $0 = [:] }
    isTrusted.withLock { $0 = false }
  }

  /// Relies on the blobs of earlier runs.
  func trust() { isTrusted.withLock { $0 = true } }

  /// Writes the new names to the state.
  package func flush() async throws {
    let names = new.withLock { new in
      defer { new = [:] }
      return new
    }
    let time = now().milliseconds
    try await state.noteBlobs(names, forgettingBefore: time - Self.lifetime)
  }
}
