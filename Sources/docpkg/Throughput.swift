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

  /// Shows the calls of a store, behind a bar if the bytes of the documents that go or come are known.
  func show(_ traffic: StoreTraffic, _ sum: (completed: UInt64, total: UInt64)?) {
    guard isShown, isDue else { return }
    let bar = sum.flatMap { $0.total > 0 ? Self.bar($0.completed, of: $0.total) + " " : nil } ?? ""
    StandardError.write(
      "\r\u{1B}[K\(bar)\(counted(traffic.requests, "request")), \(SaveReport.bytes(traffic.bytesSent)) sent, "
        + "\(SaveReport.bytes(traffic.bytesReceived)) received")
  }

  private static func bar(_ completed: UInt64, of total: UInt64) -> String {
    let part = min(1, Double(completed) / Double(total))
    let width = 20
    let filled = Int(part * Double(width))
    return "[" + String(repeating: "#", count: filled) + String(repeating: " ", count: width - filled)
      + "] \(Int(part * 100))%,"
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
    if bytes < 1_000_000 { return "" }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    return ", \(SaveReport.bytes(UInt64(Double(bytes) / max(seconds, 0.001))))/s"
  }
}
