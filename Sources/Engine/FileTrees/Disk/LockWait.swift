package import DurableIO
import Glibc
import PackageFormat
import SystemPackage

/// The time to wait for a lock that another program holds.
package struct LockWait: Sendable {
  /// The limit in milliseconds.
  var limit = 10_000

  package init(limit: Int = 10_000) { self.limit = limit }

  /// Takes a lock of one byte.
  ///
  /// - Returns: false if the file system has no locks.
  /// - Throws: EAGAIN if the lock stays taken until the limit.
  package func take(
    _ byte: UInt64, _ mode: LockMode, of file: borrowing OwnedDescriptor, on disk: any Disk
  ) throws(SystemError) -> Bool {
    var waiting = Waiting(limit)
    while true {
      do {
        if try disk.lock(byte: byte, of: file, mode) { return true }
      } catch  where error.isLackOfLocks {
        return false
      }
      guard waiting.pause() else { throw SystemError("fcntl", PackageLayout.lock, code: .wouldBlock) }
    }
  }

  /// Takes the lock of a directory.
  ///
  /// - Returns: false if the file system has no locks.
  /// - Throws: EAGAIN if the lock stays taken until the limit.
  package func take(
    _ mode: LockMode, of directory: borrowing OwnedDescriptor, on disk: any Disk
  ) throws(SystemError) -> Bool {
    var waiting = Waiting(limit)
    while true {
      do {
        if try disk.lock(directory, mode) { return true }
      } catch  where error.isLackOfLocks {
        return false
      }
      guard waiting.pause() else { throw SystemError("flock", code: .wouldBlock) }
    }
  }

  /// Pauses that grow from a tenth of a millisecond to ten milliseconds.
  private struct Waiting {
    private let end: ContinuousClock.Instant
    private var pauseLength: UInt32 = 100

    init(_ limit: Int) { end = .now + .milliseconds(limit) }

    mutating func pause() -> Bool {
      guard ContinuousClock.Instant.now < end else { return false }
      sleepBlocking(microseconds: pauseLength)
      pauseLength = min(10_000, pauseLength * 2)
      return true
    }
  }
}

extension SystemError {
  /// Whether the file system cannot lock at all.
  fileprivate var isLackOfLocks: Bool {
    switch code {
    case .noLocks, .invalidArgument, .notSupported, .noFunction, .badFileDescriptor: true
    default: false
    }
  }
}

/// Blocks this thread; only for jobs of a `BlockingExecutor`.
private func sleepBlocking(microseconds: UInt32) {
  usleep(microseconds)
}
