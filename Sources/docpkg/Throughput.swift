import CloudContainers
import FilePackages
import Glibc
import ObjectStores
import PackageArchive
import Synchronization

/// The progress and speed of a command on standard error, on a terminal only, at most ten times a second.
final class Throughput: Sendable {
  let isShown = StandardError.takesEscapes
  private let start = ContinuousClock.now
  private let last = Mutex<ContinuousClock.Instant?>(nil)
  /// The beginning of a run of transfers, and the bytes of all runs before it.
  private let run = Mutex<(start: ContinuousClock.Instant, bytes: UInt64)?>(nil)

  /// Shows the progress of an export or import.
  var show: ArchiveProgress.Handler {
    { [self] progress in
      guard isShown, isDue else { return }
      StandardError.write(
        "\r\u{1B}[K\(counted(progress.entries, "entry", "entries")), \(SaveReport.bytes(progress.bytes))"
          + rate(of: progress.bytes)
      )
    }
  }

  /// Shows the progress of a copy.
  func show(_ count: ByteProgress.Count) {
    guard isShown, count.total > 0, isDue else { return }
    StandardError.write(
      "\r\u{1B}[K\(SaveReport.bytes(count.completed)) of \(SaveReport.bytes(count.total))"
        + rate(of: count.completed))
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
    guard isDue else { return }
    guard let work else {
      StandardError.write(
        "\r\u{1B}[K\(counted(traffic.requests, "request")), \(SaveReport.bytes(traffic.bytesSent)) sent, "
          + "\(SaveReport.bytes(traffic.bytesReceived)) received")
      return
    }
    let (seconds, moved) = ((ContinuousClock.now - begin.start) / .seconds(1), bytes - begin.bytes)
    StandardError.write(
      "\r\u{1B}[K\(Self.bar(work.part)) of \(counted(work.documents, "document")), \(SaveReport.bytes(moved))"
        + Self.rate(of: moved, in: seconds) + Self.timeLeft(after: seconds, work.part))
  }

  private static func bar(_ part: Double) -> String {
    let width = 20
    let filled = Int(part * Double(width))
    return "[" + String(repeating: "#", count: filled) + String(repeating: " ", count: width - filled)
      + "] \(Int(part * 100))%"
  }

  /// Returns the time that the rest takes at the speed so far, after a comma; empty in the first two seconds.
  private static func timeLeft(after seconds: Double, _ part: Double) -> String {
    guard seconds >= 2, part > 0, part < 1 else { return "" }
    let left = seconds * (1 - part) / part
    if left < 90 { return ", \(Int(left.rounded(.up))) s left" }
    if left < 5400 { return ", \(Int((left / 60).rounded())) min left" }
    return left < 360_000 ? ", \(Int((left / 3600).rounded())) h left" : ""
  }

  private var isDue: Bool {
    last.withLock { last in
      let now = ContinuousClock.now
      if let last, now - last < .milliseconds(100) { return false }
      last = now
      return true
    }
  }

  func clear() {
    if isShown { StandardError.write("\r\u{1B}[K") }
  }

  /// Returns the bytes per second since the start, after a comma; empty below 1,000,000 bytes.
  func rate(of bytes: UInt64) -> String {
    Self.rate(of: bytes, in: (ContinuousClock.now - start) / .seconds(1))
  }

  private static func rate(of bytes: UInt64, in seconds: Double) -> String {
    bytes < 1_000_000 ? "" : ", \(SaveReport.bytes(UInt64(Double(bytes) / max(seconds, 0.001))))/s"
  }
}
