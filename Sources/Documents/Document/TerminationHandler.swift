import Dispatch
import Glibc
import Synchronization

/// Gives a program the time to save before a signal ends it, as `UIDocument` gets from the application's life cycle.
///
/// ```swift
/// let termination = TerminationHandler(closing: document)
/// ```
///
/// With a handler, the signals do not end the program at once. The first signal closes the document, or calls a
/// closure, and then ends the program. A process has one handler; a later one takes the place of an earlier one.
public struct TerminationHandler: Sendable {
  /// The signals of a shell, of a closed terminal, and of Control-C.
  public static let usualSignals: [Int32] = [SIGTERM, SIGHUP, SIGINT]

  /// Begins to wait for signals; the first one closes the document.
  ///
  /// After the program's end, the edits are in the document's own files, for every program to see. If they cannot be
  /// saved, they are in a recovery copy, and `options.errorHandler` gets the error.
  ///
  /// - Parameters:
  ///   - signals: the signals to wait for.
  ///   - document: the document to close; the handler holds it.
  public init<Content>(
    signals: [Int32] = TerminationHandler.usualSignals, closing document: Document<Content>
  ) {
    // The document tells its own error handler; the program ends all the same.
    self.init(signals: signals) { _ = try? await document.close() }
  }

  /// Begins to wait for signals.
  ///
  /// The closure has to close its documents, or to call `save()` and `synchronize()` on them. A save returns when it is
  /// durable. If the program ends right then, only this library's next opening brings the edits to the visible files.
  ///
  /// - Parameters:
  ///   - signals: the signals to wait for.
  ///   - body: the closure; the handler calls it once, on no particular thread.
  public init(
    signals: [Int32] = TerminationHandler.usualSignals, _ body: @escaping @Sendable () async -> Void
  ) {
    SignalPipe.body.withLock { $0 = body }
    for number in signals { SignalPipe.watch(number) }
  }
}

/// A pipe from a signal handler, which may do next to nothing, to a thread that may do everything.
private enum SignalPipe {
  static let body = Mutex<(@Sendable () async -> Void)?>(nil)

  /// The pipe's end for writing; -1 if the process has no descriptors left, and signals do nothing.
  private static let writeEnd: Int32 = {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return -1 }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let readEnd = ends[0]
    DispatchQueue(label: "com.filepackages.termination").async {
      var number: UInt8 = 0
      while read(readEnd, &number, 1) < 0 && errno == EINTR {}
      end(by: Int32(number))
    }
    return ends[1]
  }()

  static func watch(_ number: Int32) {
    // The pipe is made here, since a signal handler may not allocate.
    guard writeEnd >= 0 else { return }
    signal(number) { number in
      var byte = UInt8(truncatingIfNeeded: number)
      _ = write(SignalPipe.writeEnd, &byte, 1)
    }
  }

  private static func end(by number: Int32) {
    let body = body.withLock { $0 }
    Task {
      await body?()
      signal(number, SIG_DFL)
      // `kill` signals the process: a thread like this one may block signals.
      kill(getpid(), number)
    }
  }
}
