import Dispatch
import Glibc
import Synchronization

/// A pipe from a signal handler, which may do next to nothing, to a thread that may do everything.
package enum SignalPipe {
  private static let receive = Mutex<(@Sendable (Int32) -> Void)?>(nil)

  /// The pipe's end for writing; -1 if the process has no descriptors left.
  private static let writeEnd: Int32 = {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return -1 }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // If the pipe is full, a signal is there already.
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    let readEnd = ends[0]
    DispatchQueue(label: "com.filepackages.signals").async {
      while true {
        var number: UInt8 = 0
        guard read(readEnd, &number, 1) == 1 else { continue }
        let receive = receive.withLock { $0 }
        receive?(Int32(number))
      }
    }
    return ends[1]
  }()

  /// Calls `receive` with each of these signals from now on, on a thread of its own; nothing else happens then.
  ///
  /// The handler is in place when this returns. A process has one receiver; a later one takes the place of an earlier one.
  package static func forward(_ numbers: [Int32], to receive: @escaping @Sendable (Int32) -> Void) {
    Self.receive.withLock { $0 = receive }
    // The pipe is made here, since a signal handler may not allocate.
    guard writeEnd >= 0 else { return }
    for number in numbers {
      signal(number) { number in
        let code = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(SignalPipe.writeEnd, &byte, 1)
        errno = code
      }
    }
  }

  /// Ends the program by a signal, as if the signal had not been forwarded.
  package static func endProgram(by number: Int32) {
    signal(number, SIG_DFL)
    // This thread may block signals.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, number)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    raise(number)
  }
}
