import DurableIO
import SystemPackage

/// How long to wait for a lock that somebody else holds.
struct LockWait: Sendable {
  /// Milliseconds.
  var limit = 10_000

  /// Takes a lock of one byte; false where the file system has no locks.
  ///
  /// - Throws: EAGAIN when it is not to be had in time.
  func take(
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

  /// Takes the lock of a directory; false where the file system has no locks.
  ///
  /// - Throws: EAGAIN when it is not to be had in time.
  func take(
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

  /// Pauses that grow from a tenth of a millisecond to ten.
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
