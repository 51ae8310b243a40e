import Dispatch
import FilePackages
import Glibc
import Synchronization

/// Carries out `body` so that Ctrl-C, a terminal that is closed, or being asked to end, cancels it. A `body` that was
/// committed by then goes on to its end, and the command with it. Otherwise the program ends by that signal once it has
/// cleaned up, as a shell expects.
func interruptible<Value: Sendable>(
  _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  let task = Task { try await body() }
  let received = Mutex<Int32?>(nil)
  // What is ignored from the start, as by nohup(1), stays ignored.
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
  // A command that is done goes on to say so: a signal would tell its caller that nothing happened.
  if case .failure = result { for number in numbers { signal(number, SIG_DFL) } }
  if case .failure(let error) = result, isCancellation(error), let number = received.withLock({ $0 }) {
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

private func isCancellation(_ error: any Error) -> Bool {
  error is CancellationError || (error as? FilePackageError)?.code == .cancelled
}

private func isIgnored(_ number: Int32) -> Bool {
  var action = sigaction()
  guard sigaction(number, nil, &action) == 0 else { return false }
  return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
    == unsafeBitCast(SIG_IGN, to: Int.self)
}
