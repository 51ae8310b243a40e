import Foundation

/// The subscribers of one publisher.
// `@unchecked`: `subscribers` is the only state, and `lock` guards it. A subscriber runs on the thread of the sender, as
// with Combine: models send on one thread.
final class Subscribers<Output>: @unchecked Sendable {
  private let lock = NSLock()
  private var subscribers: [(number: Int, receive: (Output) -> Void)] = []
  private var last = 0

  func add(_ receive: @escaping (Output) -> Void) -> AnyCancellable {
    let number = lock.withLock {
      last += 1
      subscribers.append((last, receive))
      return last
    }
    return AnyCancellable { [weak self] in self?.remove(number) }
  }

  private func remove(_ number: Int) {
    // The closure is released without the lock: its end may cancel other subscriptions.
    let removed = lock.withLock {
      subscribers.firstIndex { $0.number == number }.map { subscribers.remove(at: $0) }
    }
    withExtendedLifetime(removed) {}
  }

  /// Calls all subscribers, in the order of their subscriptions.
  func send(_ value: Output) {
    for subscriber in lock.withLock({ subscribers }) { subscriber.receive(value) }
  }
}

/// A publisher of the values that a program sends.
///
/// Counterpart of Combine's `PassthroughSubject`.
public final class PassthroughSubject<Output, Failure: Error>: Publisher, Sendable {
  private let subscribers = Subscribers<Output>()

  /// Makes a subject without subscribers.
  public init() {}

  /// Publishes a value.
  public func send(_ value: Output) { subscribers.send(value) }

  /// Calls `receiveValue` for each later value until the returned object is cancelled or gone.
  public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
    subscribers.add(receiveValue)
  }
}

extension PassthroughSubject where Output == Void {
  /// Publishes that something happened.
  public func send() { send(()) }
}

// `@unchecked`: `present` is the only state beside the subscribers, and `lock` guards it. As with Combine, the value is
// used on one thread at a time.
/// A publisher with a present value, which a new subscriber gets at once.
///
/// Counterpart of Combine's `CurrentValueSubject`.
public final class CurrentValueSubject<Output, Failure: Error>: Publisher, @unchecked Sendable {
  private let subscribers = Subscribers<Output>()
  private let lock = NSLock()
  private var present: Output

  /// Makes a subject with this value.
  public init(_ value: Output) { present = value }

  /// The present value; a new one is published.
  public var value: Output {
    get { lock.withLock { present } }
    set { send(newValue) }
  }

  /// Sets and publishes a value.
  public func send(_ value: Output) {
    // The old value is released without the lock: its end may read the new one.
    let old = lock.withLock {
      defer { present = value }
      return present
    }
    withExtendedLifetime(old) {}
    subscribers.send(value)
  }

  /// Calls `receiveValue` for the present value, and for each later one until the returned object is cancelled or gone.
  public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
    receiveValue(value)
    return subscribers.add(receiveValue)
  }
}
