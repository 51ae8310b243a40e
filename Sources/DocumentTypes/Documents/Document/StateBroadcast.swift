/// The listeners to a document's state; each gets every state once, beginning with the present one.
struct StateBroadcast: Sendable {
  private var listeners: [UInt64: AsyncStream<DocumentState>.Continuation] = [:]
  private var lastNumber: UInt64 = 0
  /// The state that was told last; a document begins closed.
  private var told: DocumentState = .closed

  init() {}

  mutating func add(onEnd: @escaping @Sendable (UInt64) -> Void) -> AsyncStream<DocumentState> {
    let (stream, continuation) = AsyncStream.makeStream(of: DocumentState.self)
    lastNumber += 1
    let number = lastNumber
    listeners[number] = continuation
    continuation.yield(told)
    continuation.onTermination = { _ in onEnd(number) }
    return stream
  }

  mutating func remove(_ number: UInt64) { listeners[number] = nil }

  /// Tells the listeners of a state; false if it is the one that they know.
  mutating func tell(_ state: DocumentState) -> Bool {
    if state == told { return false }
    told = state
    for listener in listeners.values { listener.yield(state) }
    return true
  }

  func finish() {
    for listener in listeners.values { listener.finish() }
  }
}
