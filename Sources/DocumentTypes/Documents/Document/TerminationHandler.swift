import Glibc
import Synchronization

/// Gives a program the time to save before a signal ends it, as the life cycle of an iOS application does for
/// `UIDocument`.
///
/// ```swift
/// let termination = TerminationHandler(closing: document)
/// ```
///
/// With a handler, the signals do not end the program at once. The first signal closes the document, or calls a
/// closure, and then ends the program. A process has one handler; a later one replaces an earlier one.
public struct TerminationHandler: Sendable {
  /// The signals of a shell, of a closed terminal, and of Control-C.
  public static let usualSignals: [Int32] = [SIGTERM, SIGHUP, SIGINT]

  /// Begins to wait for signals; the first one closes the document.
  ///
  /// After the program's end, the edits are in the document's own files, for every program to see. If they cannot be
  /// saved, `options.errorHandler` gets the error. Then a recovery copy has them, or the next opening of a document with
  /// a database has them as unsaved changes.
  ///
  /// - Parameters:
  ///   - signals: the signals to wait for.
  ///   - document: the document to close; the handler holds it.
  public init(signals: [Int32] = TerminationHandler.usualSignals, closing document: some LiveDocument) {
    // The document tells its own error handler; the program ends all the same.
    self.init(signals: signals) { _ = try? await document.close() }
  }

  /// Begins to wait for signals.
  ///
  /// The closure has to close its documents, or to call `save()` and `synchronize()` on them. A save returns when it is
  /// durable. If the program ends before `synchronize()` returns, the visible files get the edits only when this
  /// library opens the document again.
  ///
  /// - Parameters:
  ///   - signals: the signals to wait for.
  ///   - body: the closure; the handler calls it once, on no particular thread.
  public init(
    signals: [Int32] = TerminationHandler.usualSignals, _ body: @escaping @Sendable () async -> Void
  ) {
    let hasBegun = Atomic(false)
    SignalPipe.forward(signals) { number in
      // A second signal changes nothing: the first one's work goes on.
      if hasBegun.exchange(true, ordering: .relaxed) { return }
      Task {
        await body()
        SignalPipe.endProgram(by: number)
      }
    }
  }
}
