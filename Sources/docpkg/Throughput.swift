import FilePackages
import Glibc
import PackageArchive
import Synchronization

/// How far something is and how fast it goes: on standard error, on a terminal only, ten times a second at most.
final class Throughput: Sendable {
  let isShown = StandardError.takesEscapes
  private let start = ContinuousClock.now
  private let last = Mutex<ContinuousClock.Instant?>(nil)

  /// Shows how far it is.
  var show: ArchiveProgress.Handler {
    { [self] progress in
      guard isShown, isDue else { return }
      StandardError.write(
        "\r\u{1B}[K\(counted(progress.entries, "entry", "entries")), \(SaveReport.bytes(progress.bytes))"
          + rate(of: progress.bytes)
      )
    }
  }

  /// Shows how far a copy is.
  func show(_ count: ByteProgress.Count) {
    guard isShown, count.total > 0, isDue else { return }
    StandardError.write(
      "\r\u{1B}[K\(SaveReport.bytes(count.completed)) of \(SaveReport.bytes(count.total))"
        + rate(of: count.completed))
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

  /// Bytes in each second since the beginning, behind a comma; nothing where there are too few to tell.
  func rate(of bytes: UInt64) -> String {
    if bytes < 1_000_000 { return "" }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    return ", \(SaveReport.bytes(UInt64(Double(bytes) / max(seconds, 0.001))))/s"
  }
}
