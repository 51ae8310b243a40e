import Synchronization

/// The last entry of the feed that one run knows the store to have. The next run expects it.
///
/// A run that found all expected entries expects only its own last one from then on. An operation that asks for no news
/// adds its last entry to them. Otherwise it would hide that the store was rolled back before it.
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

  /// Notes that this run compared all that it knows with the store.
  func confirm() { state.withLock { $0.isConfirmed = true } }

  /// Begins an operation that has read no news.
  func reset() { state.withLock { $0.isConfirmed = false } }

  /// Notes a later entry.
  func note(_ later: ContainerFeed.Witness) {
    state.withLock { state in
      if later.milliseconds >= state.value?.milliseconds ?? 0 { state.value = later }
    }
  }
}

extension ContainerSession {
  /// Begins an operation: it knows nothing of the store yet.
  func begin() {
    known.begin()
    witness.reset()
  }

  /// Notes an entry that the store has got. A run that is cut off later has committed versions up to it.
  func note(_ entry: ContainerFeed.Witness) async throws {
    witness.note(entry)
    let first = try await witness.confirmed == nil ? state.witnesses().first : nil
    let texts = [first?.text, (witness.confirmed ?? entry).text].compactMap { $0 }
    try await state.set(.witness, to: texts.joined(separator: "\n"))
  }
}

extension ContainerState {
  /// The entries that the feed must have.
  func witnesses() async throws -> [ContainerFeed.Witness] {
    try await text(.witness)?.split(separator: "\n").compactMap { ContainerFeed.Witness(String($0)) } ?? []
  }
}
