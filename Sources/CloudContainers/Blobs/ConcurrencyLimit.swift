/// A limit of the number of calls that run at once; more calls wait in their order.
package actor ConcurrencyLimit {
  private var free: Int
  private var next = 0
  /// The waiting calls by number. A call gets true for its turn, and false if its task was cancelled.
  private var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
  private var order: [Int] = []

  package init(_ count: Int) { free = count }

  /// Waits for a turn; each turn ends by `leave()`.
  ///
  /// - Throws: `CancellationError`; the call then has no turn.
  package func enter() async throws {
    try Task.checkCancellation()
    if free > 0 {
      free -= 1
      return
    }
    let number = next
    next += 1
    let hasTurn = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if Task.isCancelled { return continuation.resume(returning: false) }
        waiting[number] = continuation
        order.append(number)
      }
    } onCancel: {
      Task { await giveUp(number) }
    }
    if !hasTurn { throw CancellationError() }
  }

  /// Runs `body` in a turn of its own.
  package nonisolated func inTurn<Result>(_ body: () async throws -> Result) async throws -> Result {
    try await enter()
    do {
      let result = try await body()
      await leave()
      return result
    } catch {
      await leave()
      throw error
    }
  }

  /// Ends a turn.
  package func leave() {
    while !order.isEmpty {
      if let continuation = waiting.removeValue(forKey: order.removeFirst()) {
        return continuation.resume(returning: true)
      }
    }
    free += 1
  }

  private func giveUp(_ number: Int) {
    waiting.removeValue(forKey: number)?.resume(returning: false)
  }
}
