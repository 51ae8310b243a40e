import CloudContainers
import CommandSupport
import FilePackages
import ObjectStores
import Synchronization

/// The progress of a command that calls a store, on standard error, on a terminal only.
package final class TransferProgress: Sendable {
  private let isShown = StandardError.takesEscapes
  private let last = Mutex<ContinuousClock.Instant?>(nil)
  /// The beginning of a run of transfers, and the bytes of all runs before it.
  private let run = Mutex<(start: ContinuousClock.Instant, bytes: UInt64)?>(nil)

  /// Removes the line.
  func clear() {
    if isShown { StandardError.write("\r\u{1B}[K") }
  }

  /// Shows a line in the place of the one before it, at most ten times a second.
  private func show(_ line: String) {
    let isDue = last.withLock { last in
      let now = ContinuousClock.now
      if let last, now - last < .milliseconds(100) { return false }
      last = now
      return true
    }
    if isDue { StandardError.write("\r\u{1B}[K\(line)") }
  }

  /// Shows the calls of a store; if documents go or come, a bar of all of them, the rate and the time left.
  func show(_ traffic: StoreTraffic, _ work: Transfers.Work?) {
    guard isShown else { return }
    let bytes = traffic.bytesSent + traffic.bytesReceived
    let begin = run.withLock { run in
      // A run begins with its first document, and with each run of a command that watches.
      if work == nil || run == nil { run = (.now, bytes) }
      return run ?? (.now, bytes)
    }
    guard let work else {
      show(
        "\(counted(traffic.requests, "request")), \(SaveReport.bytes(traffic.bytesSent)) sent, "
          + "\(SaveReport.bytes(traffic.bytesReceived)) received")
      return
    }
    let (seconds, moved) = ((ContinuousClock.now - begin.start) / .seconds(1), bytes - begin.bytes)
    show(
      "\(Self.bar(work.part)) of \(counted(work.documents, "document")), \(SaveReport.bytes(moved))"
        + Self.rate(of: moved, in: seconds) + Self.timeLeft(after: seconds, work.part))
  }

  private static func bar(_ part: Double) -> String {
    let width = 20
    let filled = Int(part * Double(width))
    return "[" + String(repeating: "#", count: filled) + String(repeating: " ", count: width - filled)
      + "] \(Int(part * 100))%"
  }

  /// Returns the bytes per second, after a comma; empty below 1,000,000 bytes.
  private static func rate(of bytes: UInt64, in seconds: Double) -> String {
    bytes < 1_000_000 ? "" : ", \(SaveReport.bytes(UInt64(Double(bytes) / max(seconds, 0.001))))/s"
  }

  /// Returns the time that the rest takes at the speed so far, after a comma; empty in the first two seconds.
  private static func timeLeft(after seconds: Double, _ part: Double) -> String {
    guard seconds >= 2, part > 0, part < 1 else { return "" }
    let left = seconds * (1 - part) / part
    if left < 90 { return ", \(Int(left.rounded(.up))) s left" }
    if left < 5400 { return ", \(Int((left / 60).rounded())) min left" }
    return left < 360_000 ? ", \(Int((left / 3600).rounded())) h left" : ""
  }
}
