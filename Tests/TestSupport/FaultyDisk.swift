package import DurableIO
import Synchronization
package import SystemPackage

/// A disk with chosen requests that fail before they run.
package struct FaultyDisk: Sendable {
  /// The requests that fail.
  package enum Fault: Sendable, Hashable {
    case none
    /// The request of that number, counted from 0 over all requests.
    case request(Int)
    /// All requests from that number on.
    case requests(from: Int)
    /// All requests that could change the disk, from that number on, counted over all requests.
    case changes(from: Int)
    /// All requests of one kind, from that number of its kind on.
    case operation(DiskOperation, from: Int = 0)
  }

  private struct Tally: Sendable {
    var injected = 0
    var ofKind = 0

    /// Counts one more request of the failing kind, and returns its number.
    mutating func next() -> Int {
      ofKind += 1
      return ofKind - 1
    }
  }

  private final class Shared: Sendable {
    let tally = Mutex(Tally())
  }

  /// The disk for a test, which counts requests.
  package let disk: CountingDisk
  private let shared: Shared

  package init(_ base: any Disk, _ fault: Fault, with code: Errno = .ioError) {
    let shared = Shared()
    self.shared = shared
    disk = CountingDisk(base) { (event) throws(SystemError) in
      let fails = shared.tally.withLock { tally in
        let fails =
          switch fault {
          case .none: false
          case .request(let number): event.number == number
          case .requests(let first): event.number >= first
          case .changes(let first): event.operation.changes && event.number >= first
          case .operation(let operation, let first):
            event.operation == operation && tally.next() >= first
          }
        if fails { tally.injected += 1 }
        return fails
      }
      if fails { throw SystemError("\(event.operation)", event.name, code: code) }
    }
  }

  /// The number of requests that have failed.
  package var injectedFailures: Int { shared.tally.withLock { $0.injected } }
}

/// Runs `body` with its first request failing, then its second, and so on, until a run has no failing request.
///
/// - Parameters:
///   - once: whether later requests succeed again; otherwise all later requests fail too.
///   - base: makes the disk of one run.
///   - body: one run, with the number of the failing request. It checks the result; an error that it throws ends all
///     runs.
/// - Returns: the number of runs with a failure.
@discardableResult
package func withEachRequestFailing(
  _ code: Errno = .ioError, once: Bool = true, on base: () async throws -> any Disk,
  _ body: (CountingDisk, Int) async throws -> Void
) async throws -> Int {
  var number = 0
  while true {
    let fault: FaultyDisk.Fault = once ? .request(number) : .requests(from: number)
    let faulty = FaultyDisk(try await base(), fault, with: code)
    try await body(faulty.disk, number)
    if faulty.injectedFailures == 0 { return number }
    number += 1
  }
}
