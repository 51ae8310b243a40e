import FoundationEssentials
import Synchronization

// The state has one entry of the feed that the next run expects. A later one takes its place only after this operation
//     saw that the store has it: else the later entry would hide that the store was rolled back before it.

/// The last entry of the feed that one operation knows the store to have.
final class FeedWitness: Sendable {
  /// One document after the other notes its entry, so that the state gets the last one last.
  let turn = ConcurrencyLimit(1)
  private let state = Mutex<(isConfirmed: Bool, value: ContainerFeed.Witness?)>((false, nil))

  /// The entry; nil if there is none, or if this operation did not find the one that it expected.
  var confirmed: ContainerFeed.Witness? { state.withLock { $0.isConfirmed ? $0.value : nil } }

  /// Begins a run.
  ///
  /// - Parameter isConfirmed: whether the store has the expected entry.
  func begin(_ value: ContainerFeed.Witness?, isConfirmed: Bool) {
    state.withLock { $0 = (isConfirmed, value) }
  }

  /// Notes that the store has the expected entry, or that this run compared all that it knows with the store.
  func confirm() { state.withLock { $0.isConfirmed = true } }

  /// Begins an operation that has read no news.
  func reset() { begin(nil, isConfirmed: false) }

  /// Notes an entry that is later in the store than each other one that this operation knows.
  func note(_ later: ContainerFeed.Witness) { state.withLock { $0.value = later } }
}

extension ContainerSession {
  /// Begins an operation: it knows nothing of the store yet.
  func begin() {
    known.begin()
    witness.reset()
  }

  /// Notes an entry that the store has got. The next run expects it, also if this operation is cut off.
  ///
  /// Cost: the first one of an operation that has read no news asks for the entry that was expected before.
  func note(_ entry: ContainerFeed.Witness) async throws {
    try await witness.turn.inTurn {
      witness.note(entry)
      if witness.confirmed == nil, try await feed.has(state.witness(), at: storeTime()) { witness.confirm() }
      if let confirmed = witness.confirmed { try await state.set(.witness, to: confirmed.text) }
    }
  }
}

extension ContainerState {
  /// The entry that the feed must have.
  func witness() async throws -> ContainerFeed.Witness? {
    try await text(.witness).flatMap { ContainerFeed.Witness($0) }
  }
}
