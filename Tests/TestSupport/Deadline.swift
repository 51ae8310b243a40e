package import Testing

/// The error of a call that does not end in time.
package struct DeadlineExceeded: Error, CustomStringConvertible {
  let what: String
  package var description: String { "\(what) did not end in time" }
}

/// Calls `body`, and throws if it does not end in time: a call that hangs then fails one test instead of all of them.
package func withDeadline<Result: Sendable>(
  _ what: String, seconds: Int = 1_200, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
  let work = Task { try await body() }
  let (results, continuation) = AsyncStream.makeStream(of: Swift.Result<Result, any Error>.self)
  Task { continuation.yield(await work.result) }
  let alarm = Task {
    // A cancelled alarm reports nothing.
    guard (try? await Task.sleep(for: .seconds(seconds))) != nil else { return }
    continuation.yield(.failure(DeadlineExceeded(what: what)))
  }
  defer { alarm.cancel() }
  for await result in results { return try result.get() }
  throw DeadlineExceeded(what: what)
}

/// Waits until a condition holds; records an issue after ten minutes, which no event takes.
package func waitUntil(
  _ awaited: @autoclosure () -> String, at location: SourceLocation = #_sourceLocation,
  _ condition: () async throws -> Bool
) async throws {
  let end = ContinuousClock.now + .seconds(600)
  while try await !condition() {
    guard ContinuousClock.now < end else {
      Issue.record("no \(awaited())", sourceLocation: location)
      return
    }
    try await Task.sleep(for: .milliseconds(2))
  }
}
