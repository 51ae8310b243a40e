import Synchronization

/// The last entry of the feed that one run knows the store to have. The next run expects it.
///
/// Only a run that found its own witness writes another one. An operation that asks for no news could otherwise hide
/// that the store was rolled back.
final class FeedWitness: Sendable {
  private let state = Mutex<(isConfirmed: Bool, value: ContainerFeed.Witness?)>((false, nil))

  /// The entry; nil if there is none, or if this run did not find the one that it expected.
  var confirmed: ContainerFeed.Witness? { state.withLock { $0.isConfirmed ? $0.value : nil } }

  /// Begins a run.
  ///
  /// - Parameter isConfirmed: whether the store has the entry of the run before.
  func begin(_ value: ContainerFeed.Witness?, isConfirmed: Bool) {
    state.withLock { $0 = (isConfirmed, value) }
  }

  /// Notes a later entry.
  func note(_ later: ContainerFeed.Witness) {
    state.withLock { state in
      if later.milliseconds >= state.value?.milliseconds ?? 0 { state.value = later }
    }
  }
}
