package import FilePackages
import Glibc
package import PackageArchive
import Synchronization

/// The progress and speed of a command on standard error, on a terminal only, at most ten times a second.
package final class Throughput: Sendable {
  package let isShown = StandardError.takesEscapes
  private let start = ContinuousClock.now
  private let last = Mutex<ContinuousClock.Instant?>(nil)

  package init() {}

  /// Shows the progress of an export or import.
  package var show: ArchiveProgress.Handler {
    { [self] progress in
      show(
        line: "\(counted(progress.entries, "entry", "entries")), \(SaveReport.bytes(progress.bytes))"
          + rate(of: progress.bytes))
    }
  }

  /// Shows the progress of a copy.
  package func show(_ count: ByteProgress.Count) {
    if count.total == 0 { return }
    show(
      line: "\(SaveReport.bytes(count.completed)) of \(SaveReport.bytes(count.total))"
        + rate(of: count.completed))
  }

  /// Shows a line in the place of the one before it.
  package func show(line: @autoclosure () -> String) {
    if isShown && isDue { StandardError.write("\r\u{1B}[K\(line())") }
  }

  private var isDue: Bool {
    last.withLock { last in
      let now = ContinuousClock.now
      if let last, now - last < .milliseconds(100) { return false }
      last = now
      return true
    }
  }

  /// Removes the line.
  package func clear() {
    if isShown { StandardError.write("\r\u{1B}[K") }
  }

  /// Returns the bytes per second since the start, after a comma; empty below 1,000,000 bytes.
  package func rate(of bytes: UInt64) -> String {
    Self.rate(of: bytes, in: (ContinuousClock.now - start) / .seconds(1))
  }

  package static func rate(of bytes: UInt64, in seconds: Double) -> String {
    bytes < 1_000_000 ? "" : ", \(SaveReport.bytes(UInt64(Double(bytes) / max(seconds, 0.001))))/s"
  }
}
