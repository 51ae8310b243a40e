import Documents
package import FilePackages
import Glibc
import Synchronization

/// Runs `body`, and cancels it on Ctrl-C (`SIGINT`), `SIGTERM` or the end of the terminal (`SIGHUP`).
///
/// If `body` has committed by then, it and the command run to their end. Otherwise the program cleans up and ends
/// by that signal, as a shell expects.
///
/// - Parameter message: says how far the work is if a signal ended it.
package func interruptible<Value: Sendable>(
  saying message: String = "nothing was written", _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  // Before the work: it may be done before this goes on.
  Interruption.forward()
  let task = Task { try await body() }
  Interruption.begin { task.cancel() }
  let result = await task.result
  Interruption.end()
  if case .failure(let error) = result, isCancellation(error) {
    Interruption.endProgram(saying: message)
  }
  return try result.get()
}

/// Runs `body` like `interruptible(_:)`, and closes `store` if `body` fails. The program may end before the last reference
/// to the store does. The close may thin the history, and the error says so.
package func interruptible<Value: Sendable>(
  with store: PackageStore, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  try await interruptible {
    do {
      return try await body()
    } catch let failure as FilePackageError {
      throw await store.close(after: failure)
    } catch {
      try? await store.close()  // The work's error counts; the next program removes leftovers.
      throw error
    }
  }
}

/// An error that may say that its task was cancelled.
package protocol CancellationReporting: Error {
  var isCancellation: Bool { get }
}

private func isCancellation(_ error: any Error) -> Bool {
  error is CancellationError || (error as? FilePackageError)?.code == .cancelled
    || (error as? any CancellationReporting)?.isCancellation == true
}

/// The signals that ask this program to end, from the first interruptible work until the program ends.
///
/// From then on no signal ends the program at once. If a signal ended a program that has done its work, the caller would
/// take the work for undone.
package enum Interruption {
  private struct State {
    var isForwarding = false
    var received: Int32?
    var cancel: (@Sendable () -> Void)?
  }

  private static let state = Mutex(State())

  /// Makes the signals come here from now on.
  fileprivate static func forward() {
    let isFirst = state.withLock { state in
      defer { state.isForwarding = true }
      return !state.isForwarding
    }
    guard isFirst else { return }
    // A signal that is ignored from the start, as under nohup(1), stays ignored.
    SignalPipe.forward([SIGINT, SIGTERM, SIGHUP].filter { !isIgnored($0) }) { number in
      let cancel = state.withLock { state in
        state.received = number
        return state.cancel
      }
      cancel?()
    }
  }

  /// Calls `cancel` when a signal comes; at once if one has come already.
  fileprivate static func begin(_ cancel: @escaping @Sendable () -> Void) {
    let isLate = state.withLock { state in
      state.cancel = cancel
      return state.received != nil
    }
    if isLate { cancel() }
  }

  fileprivate static func end() { state.withLock { $0.cancel = nil } }

  /// Ends the program by the signal that came, with a message that says how far it is. Returns if none came.
  package static func endProgram(saying message: String) {
    guard let number = state.withLock({ $0.received }) else { return }
    StandardError.write("\ndocpkg: cancelled; \(message)\n")
    SignalPipe.endProgram(by: number)
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
