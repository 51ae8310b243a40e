/// The work that a store does by itself after a save.
struct Maintenance {
  /// Publishes a save that returned at its commit.
  var publishing: Task<Void, Never>?
  /// Syncs what the journal still vouches for, after some time without a save.
  var checkpoint: Task<Void, Never>?

  func cancel() {
    publishing?.cancel()
    checkpoint?.cancel()
  }
}
