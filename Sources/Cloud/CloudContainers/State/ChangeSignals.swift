import FoundationEssentials
import Synchronization

/// The listeners of a value that changes; each gets a ring after a change, and rings that wait are one.
package final class ChangeSignals: Sendable {
  private let bells = Mutex<[UUID: AsyncStream<Void>.Continuation]>([:])

  package init() {}

  /// Adds a listener; it leaves when its task ends.
  package func listen() -> AsyncStream<Void> {
    let id = UUID()
    let (rings, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    bell.onTermination = { [weak self] _ in self?.bells.withLock { $0[id] = nil } }
    bells.withLock { $0[id] = bell }
    return rings
  }

  /// Tells all listeners.
  package func ring() { for bell in bells.withLock({ Array($0.values) }) { bell.yield() } }
}
