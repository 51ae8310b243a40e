package import DurableIO
import Synchronization
package import SystemPackage

/// A disk that a test makes fail, and makes work again.
package struct SwitchableDisk: Sendable {
  private struct Fault {
    var fault: FaultyDisk.Fault
    var code: Errno
    var requests = 0
    var failures = 0
    /// The number of requests of the failing kind.
    var ofKind = 0

    mutating func next() -> Int {
      ofKind += 1
      return ofKind - 1
    }
  }

  private final class Switch: Sendable {
    let fault = Mutex<Fault?>(nil)
  }

  package let disk: CountingDisk
  private let current: Switch

  package init(_ base: any Disk) {
    let current = Switch()
    self.current = current
    disk = CountingDisk(base) { (event) throws(SystemError) in
      let code = current.fault.withLock { fault -> Errno? in
        guard var now = fault else { return nil }
        // Locks belong to the kernel: a disk that is gone for good neither takes locks away nor holds any.
        let isLock = event.operation == .lock || event.operation == .lockByte
        if case .requests = now.fault, isLock { return nil }
        defer { fault = now }
        now.requests += 1
        let fails =
          switch now.fault {
          case .request(let number): now.requests - 1 == number
          case .requests(let first): now.requests - 1 >= first
          case .changes(let first): event.operation.changes && now.requests - 1 >= first
          case .operation(let operation, let first):
            event.operation == operation && now.next() >= first
          case .none: false
          }
        if fails { now.failures += 1 }
        return fails ? now.code : nil
      }
      if let code { throw SystemError("\(event.operation)", event.name, code: code) }
    }
  }

  package func fail(_ fault: FaultyDisk.Fault, with code: Errno) {
    current.fault.withLock { $0 = Fault(fault: fault, code: code) }
  }

  /// Returns the number of failed requests.
  @discardableResult
  package func stopFailing() -> Int {
    current.fault.withLock { fault in
      defer { fault = nil }
      return fault?.failures ?? 0
    }
  }
}
