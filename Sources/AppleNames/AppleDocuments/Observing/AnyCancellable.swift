import Synchronization

/// A subscription to a publisher, which ends with this object.
///
/// Counterpart of Combine's `AnyCancellable`.
public final class AnyCancellable: Hashable, Sendable {
  private let cancelling: Mutex<(@Sendable () -> Void)?>

  /// Makes a subscription that `cancel` ends.
  public init(_ cancel: @escaping @Sendable () -> Void) { cancelling = Mutex(cancel) }

  deinit { cancel() }

  /// Ends the subscription; a second call does nothing.
  public func cancel() { cancelling.withLock { $0.take() }?() }

  /// Keeps the subscription in a set.
  public func store(in set: inout Set<AnyCancellable>) { set.insert(self) }

  /// Keeps the subscription in a collection.
  public func store<Cancellables: RangeReplaceableCollection<AnyCancellable>>(
    in collection: inout Cancellables
  ) {
    collection.append(self)
  }

  /// Returns whether both are the same object.
  public static func == (left: AnyCancellable, right: AnyCancellable) -> Bool { left === right }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
