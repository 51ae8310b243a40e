import CLinux
import Glibc

/// Wakes the thread of a request whose task is cancelled: eventfd(2).
final class HTTPCancellation: Sendable {
  fileprivate let descriptor: Int32

  init() throws(HTTPFailure) {
    descriptor = clinux_event()
    guard descriptor >= 0 else { throw .unreachable(HTTPFailure.reason(errno)) }
  }

  deinit { close(descriptor) }

  /// Ends the waiting of this request, now and later.
  func cancel() {
    var one: UInt64 = 1
    // It fails only if the number is at its limit, and then the thread wakes as well.
    _ = write(descriptor, &one, 8)
  }
}

/// How long one request waits for its server.
struct HTTPWait {
  /// The number of bytes that have to come or go within `idle`, so that a slow server cannot hold a request for ever.
  static let leastProgress = 4_096

  private let idle: Duration
  private let end: ContinuousClock.Instant
  private let cancellation: HTTPCancellation
  private var idleEnd: ContinuousClock.Instant
  private var progress = 0

  init(_ times: HTTPClient.Times, _ cancellation: HTTPCancellation) {
    let now = ContinuousClock.now
    (idle, end, idleEnd) = (times.idle, now + times.total, now + times.idle)
    self.cancellation = cancellation
  }

  /// Counts bytes that came or went.
  mutating func note(_ count: Int) {
    progress += count
    if progress >= Self.leastProgress { (progress, idleEnd) = (0, .now + idle) }
  }

  /// Waits for one of the events of a socket: poll(2).
  ///
  /// - Parameter limit: the longest time of this call, beside the times of the request.
  /// - Returns: the events; none if `limit` is over.
  func wait(for events: Int32, of socket: Int32, limit: Duration? = nil) throws(HTTPFailure) -> Int32 {
    let last = limit.map { ContinuousClock.now + $0 }
    while true {
      let now = ContinuousClock.now
      let next = min(end, idleEnd, last ?? end)
      guard next > now else {
        if let last, last < min(end, idleEnd) { return 0 }
        throw .timedOut
      }
      var descriptors = [
        pollfd(fd: socket, events: Int16(events), revents: 0),
        pollfd(fd: cancellation.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      let milliseconds = (next - now) / .milliseconds(1)
      let count = poll(&descriptors, 2, Int32(clamping: Int(milliseconds.rounded(.up))))
      if count < 0 && errno != EINTR { throw .unreachable(HTTPFailure.reason(errno)) }
      if count > 0 {
        if descriptors[1].revents != 0 { throw .cancelled }
        return Int32(descriptors[0].revents)
      }
    }
  }
}

extension HTTPFailure {
  /// Returns the system's words for a number of errno(3).
  static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}
