package import DurableIO
import Glibc
import Synchronization
package import SystemPackage

/// A disk with chosen requests that fail before they run, or that wait for the test.
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

  private struct State {
    var fault: Fault
    var code: Errno
    /// Whether `requests` neither fails nor counts locks.
    ///
    /// Locks belong to the kernel: a disk that is gone for good neither takes locks away nor holds any.
    var sparesLocks = false
    var requests = 0
    /// The number of requests of the failing kind.
    var ofKind = 0
    var failures = 0

    /// The operation that waits at the gate.
    var closedFor: DiskOperation?
    var waiting = 0
    var watchers: [CheckedContinuation<Void, Never>] = []

    /// Counts one more request, and returns whether it fails.
    mutating func fails(_ operation: DiskOperation) -> Bool {
      if sparesLocks, case .requests = fault, operation == .lock || operation == .lockByte { return false }
      let number = requests
      requests += 1
      let fails: Bool
      switch fault {
      case .none: fails = false
      case .request(let only): fails = number == only
      case .requests(let first): fails = number >= first
      case .changes(let first): fails = operation.changes && number >= first
      case .operation(let kind, let first):
        fails = operation == kind && ofKind >= first
        if operation == kind { ofKind += 1 }
      }
      if fails { failures += 1 }
      return fails
    }
  }

  private final class Shared: Sendable {
    let state: Mutex<State>

    init(_ fault: Fault, _ code: Errno) { state = Mutex(State(fault: fault, code: code)) }

    func isClosed(for operation: DiskOperation) -> Bool { state.withLock { $0.closedFor == operation } }
  }

  /// The disk for a test, which counts requests.
  package let disk: CountingDisk
  private let shared: Shared

  package init(_ base: any Disk, _ fault: Fault = .none, with code: Errno = .ioError) {
    let shared = Shared(fault, code)
    self.shared = shared
    disk = CountingDisk(base) { (event) throws(SystemError) in
      let code = shared.state.withLock { state -> Errno? in state.fails(event.operation) ? state.code : nil }
      if let code { throw SystemError("\(event.operation)", event.name, code: code) }
      guard shared.isClosed(for: event.operation) else { return }
      let watchers = shared.state.withLock { state in
        state.waiting += 1
        defer { state.watchers = [] }
        return state.watchers
      }
      for watcher in watchers { watcher.resume() }
      // This blocks only the thread of the store, which is there for blocking calls.
      while shared.isClosed(for: event.operation) { usleep(200) }
    }
  }

  // MARK: Failing

  /// The number of requests that have failed.
  package var injectedFailures: Int { shared.state.withLock { $0.failures } }

  /// Makes requests fail, counted from this call on; `requests` spares locks.
  package func fail(_ fault: Fault, with code: Errno) {
    shared.state.withLock { state in
      (state.fault, state.code, state.sparesLocks) = (fault, code, true)
      (state.requests, state.ofKind, state.failures) = (0, 0, 0)
    }
  }

  /// Returns the number of failed requests.
  @discardableResult
  package func stopFailing() -> Int {
    shared.state.withLock { state in
      defer { (state.fault, state.failures) = (.none, 0) }
      return state.failures
    }
  }

  // MARK: Waiting

  /// Makes the next requests of a kind wait, so that a save is as slow as the test needs.
  package func close(for operation: DiskOperation) {
    shared.state.withLock { ($0.closedFor, $0.waiting) = (operation, 0) }
  }

  package func open() { shared.state.withLock { $0.closedFor = nil } }

  /// Waits until a request is at the gate.
  package func arrival() async {
    await withCheckedContinuation { continuation in
      let isThere = shared.state.withLock { state in
        if state.waiting == 0 { state.watchers.append(continuation) }
        return state.waiting > 0
      }
      if isThere { continuation.resume() }
    }
  }
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
