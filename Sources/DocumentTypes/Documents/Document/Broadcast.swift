/// The listeners to a document; each gets every value once, beginning with the present one.
struct Broadcast<Value: Sendable>: Sendable {
  private var listeners: [UInt64: AsyncStream<Value>.Continuation] = [:]
  private var lastNumber: UInt64 = 0

  var isEmpty: Bool { listeners.isEmpty }

  /// - Parameters:
  ///   - present: the first value.
  ///   - onEnd: called when the listener ends, with its number.
  mutating func add(
    _ present: Value, bufferingPolicy: AsyncStream<Value>.Continuation.BufferingPolicy = .unbounded,
    onEnd: @escaping @Sendable (UInt64) -> Void
  ) -> AsyncStream<Value> {
    let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: bufferingPolicy)
    lastNumber += 1
    let number = lastNumber
    listeners[number] = continuation
    continuation.yield(present)
    continuation.onTermination = { _ in onEnd(number) }
    return stream
  }

  mutating func remove(_ number: UInt64) { listeners[number] = nil }

  func tell(_ value: Value) {
    for listener in listeners.values { listener.yield(value) }
  }

  func finish() {
    for listener in listeners.values { listener.finish() }
  }
}
