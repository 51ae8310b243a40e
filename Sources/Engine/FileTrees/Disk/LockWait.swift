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
    try wait(failingWith: SystemError("fcntl", PackageLayout.lock, code: .wouldBlock)) {
      () throws(SystemError) in
      try disk.lock(byte: byte, of: file, mode)
    }
  }

  /// Takes the lock of a directory.
  ///
  /// - Returns: false if the file system has no locks.
  /// - Throws: EAGAIN if the lock stays taken until the limit.
  package func take(
    _ mode: LockMode, of directory: borrowing OwnedDescriptor, on disk: any Disk
  ) throws(SystemError) -> Bool {
    try wait(failingWith: SystemError("flock", code: .wouldBlock)) { () throws(SystemError) in
      try disk.lock(directory, mode)
    }
  }

  /// Tries until the limit, with pauses that grow from a tenth of a millisecond to ten milliseconds.
  ///
  /// Blocks this thread; only for jobs of a `QueueExecutor`.
  private func wait(
    failingWith busy: SystemError, _ take: () throws(SystemError) -> Bool
  ) throws(SystemError) -> Bool {
    let end = ContinuousClock.Instant.now + .milliseconds(limit)
    var pause: UInt32 = 100
    while true {
      do {
        if try take() { return true }
      } catch  where error.isLackOfLocks {
        return false
      }
      guard ContinuousClock.Instant.now < end else { throw busy }
      usleep(pause)
      pause = min(10_000, pause * 2)
    }
  }
}

extension SystemError {
  /// Whether the file system cannot lock at all.
  package var isLackOfLocks: Bool {
    switch code {
    case .noLocks, .invalidArgument, .notSupported, .noFunction, .badFileDescriptor: true
    default: false
    }
  }
}
