/// An actor whose jobs may block their thread.
package actor BlockingThread {
  private nonisolated let executor = QueueExecutor()

  /// The executor of this actor's jobs.
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  package init() {}

  /// Calls `body` on a thread that may block.
  package func run<Result: Sendable, Failure: Error>(
    _ body: @Sendable () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    try await body()
  }
}
