import Dispatch
import FilePackages
import Glibc
import Synchronization

/// Runs `body`, and cancels it on Ctrl-C (`SIGINT`), `SIGTERM` or the end of the terminal (`SIGHUP`).
///
/// If `body` has committed by then, it and the command run to their end. Otherwise the program cleans up and ends
/// by that signal, as a shell expects.
func interruptible<Value: Sendable>(
  _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  let task = Task { try await body() }
  let received = Mutex<Int32?>(nil)
  // A signal that is ignored from the start, as under nohup(1), stays ignored.
  let numbers = [SIGINT, SIGTERM, SIGHUP].filter { !isIgnored($0) }
  let sources = numbers.map { number in
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
  // A finished command still reports its work. A signal would tell its caller that nothing happened.
  if case .failure = result { for number in numbers { signal(number, SIG_DFL) } }
  if case .failure(let error) = result, isCancellation(error), let number = received.withLock({ $0 }) {
    StandardError.write("\ndocpkg: cancelled; nothing was written\n")
    // This thread blocks signals.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, number)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    raise(number)
  }
  return try result.get()
}

private func isCancellation(_ error: any Error) -> Bool {
  error is CancellationError || (error as? FilePackageError)?.code == .cancelled
}

private func isIgnored(_ number: Int32) -> Bool {
  var action = sigaction()
  guard sigaction(number, nil, &action) == 0 else { return false }
  return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
    == unsafeBitCast(SIG_IGN, to: Int.self)
}
