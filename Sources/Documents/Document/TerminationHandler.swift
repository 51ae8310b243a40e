import Dispatch
import Glibc
import Synchronization

/// Gives a program the time to save when it is told to end: what `UIDocument` has of the application's life cycle.
///
/// ```swift
/// let termination = TerminationHandler(closing: document)
/// ```
///
/// From now on the signals do not end the program at once: the first one closes the document, or calls a closure, and
/// then the signal ends the program. A process has one handler; a later one takes the place of an earlier one.
public struct TerminationHandler: Sendable {
  /// Those of a shell, of a terminal that is closed, and of Control-C.
  public static let usualSignals: [Int32] = [SIGTERM, SIGHUP, SIGINT]

  /// Begins to wait for signals; the first one closes the document.
  ///
  /// When the program has ended, the unsaved edits are in the document's own files, for every program to see. Where
  /// they cannot be saved, they are in a recovery copy, and `options.errorHandler` is told of the error.
  ///
  /// - Parameters:
  ///   - signals: what to wait for.
  ///   - document: what to close; the handler holds it.
  public init<Content>(
    signals: [Int32] = TerminationHandler.usualSignals, closing document: Document<Content>
  ) {
    // The document tells its own error handler; the program ends all the same.
    self.init(signals: signals) { _ = try? await document.close() }
  }

  /// Begins to wait for signals.
  ///
  /// The closure has to close its documents, or to save and to `synchronize()` them: a save returns once it survives
  /// a power cut, and a program that ends right then leaves files that show the edits only when this library opens
  /// them again.
  ///
  /// - Parameters:
  ///   - signals: what to wait for.
  ///   - body: called once, whatever comes, on no particular thread.
  public init(
    signals: [Int32] = TerminationHandler.usualSignals, _ body: @escaping @Sendable () async -> Void
  ) {
    SignalPipe.body.withLock { $0 = body }
    for number in signals { SignalPipe.watch(number) }
  }
}

/// Brings signals from where next to nothing may be done to where everything may.
private enum SignalPipe {
  static let body = Mutex<(@Sendable () async -> Void)?>(nil)

  /// The pipe's end for writing; -1 where the process has no descriptors left, and signals do nothing.
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
    // Made here, since a handler of signals may make nothing.
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
      // To the process: threads like this one may be spared signals.
      kill(getpid(), number)
    }
  }
}
