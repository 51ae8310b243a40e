import Dispatch

/// Calls `body` while no thread of Dispatch's pool is free to begin anything.
///
/// The pool has 255 threads, and begins what waits for one in its order.
public func withEveryThreadBusy<Result>(_ body: () throws -> Result) rethrows -> Result {
  let gate = DispatchSemaphore(value: 0)
  let count = 300
  for _ in 0..<count { DispatchQueue(label: "busy").async { gate.wait() } }
  defer { for _ in 0..<count { gate.signal() } }
  return try body()
}
