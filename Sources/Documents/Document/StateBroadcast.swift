/// The listeners to a document's state; each gets every state once, beginning with the present one.
struct StateBroadcast: Sendable {
  private var listeners: [UInt64: AsyncStream<DocumentState>.Continuation] = [:]
  private var last: UInt64 = 0

  mutating func add(
    _ state: DocumentState, onEnd: @escaping @Sendable (UInt64) -> Void
  ) -> AsyncStream<DocumentState> {
    let (stream, continuation) = AsyncStream.makeStream(of: DocumentState.self)
    last += 1
    let number = last
    listeners[number] = continuation
    continuation.yield(state)
    continuation.onTermination = { _ in onEnd(number) }
    return stream
  }

  mutating func remove(_ number: UInt64) { listeners[number] = nil }

  func send(_ state: DocumentState) {
    for listener in listeners.values { listener.yield(state) }
  }

  func finish() {
    for listener in listeners.values { listener.finish() }
  }

  var count: Int { listeners.count }
}
