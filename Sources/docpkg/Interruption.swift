import Dispatch
import Glibc
import Synchronization

/// Carries out `body` so that Ctrl-C, or being asked to end, cancels it; once it has cleaned up, the program ends by that
/// signal, as a shell expects.
func interruptible<Value: Sendable>(
  _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  let task = Task { try await body() }
  let received = Mutex<Int32?>(nil)
  let sources = [SIGINT, SIGTERM].map { number in
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler {
      received.withLock { $0 = number }
      task.cancel()
    }
    source.resume()
    return source
  }
  let result = await task.result
  for source in sources { source.cancel() }
  for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
  if case .failure(let error) = result, error is CancellationError, let number = received.withLock({ $0 }) {
    StandardError.write("\ndocpkg: cancelled; nothing was written\n")
    // Threads like this one are spared signals.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, number)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    raise(number)
  }
  return try result.get()
}
