import Dispatch

/// Runs one input of a fuzzer, which calls from a thread of its own, and waits for the end. An error ends the fuzzer.
package func runFuzzedInput(_ body: @escaping @Sendable () async throws -> Void) -> CInt {
  let done = DispatchSemaphore(value: 0)
  Task.detached {
    do {
      try await body()
    } catch {
      preconditionFailure("\(error)")
    }
    done.signal()
  }
  done.wait()
  return 0
}
