import Glibc

/// A meter of the resources that this process uses from now on.
struct ProcessMeter {
  private let start: ContinuousClock.Instant
  private let cpu: Double
  private let written: UInt64?
  private let resident: UInt64?

  init() {
    Self.resetPeak()
    resident = Self.memory("VmRSS:")
    written = Self.written
    cpu = Self.cpu
    start = .now
  }

  /// Returns the elapsed time, the processor time, and the greatest growth of memory.
  func read() -> (seconds: Double, cpu: Double, peak: UInt64?) {
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let used = Self.cpu - cpu
    let peak = resident.flatMap { resident in Self.memory("VmHWM:").map { $0 > resident ? $0 - resident : 0 }
    }
    return (seconds, used, peak)
  }

  /// The bytes that the device had to write so far, in whole pages; nil if the system does not tell.
  var writtenBytes: UInt64? {
    Self.written.flatMap { end in written.map { end >= $0 ? end - $0 : 0 } }
  }

  private static var written: UInt64? {
    Machine.lines(of: "self/io").first { $0.hasPrefix("write_bytes:") }
      .flatMap { $0.split(separator: " ").last }.flatMap { UInt64($0) }
  }

  private static var cpu: Double {
    var usage = rusage()
    // This call cannot fail here.
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }

  private static func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000
  }

  /// Returns a line of `/proc/self/status` in bytes.
  private static func memory(_ name: String) -> UInt64? {
    Machine.lines(of: "self/status").first { $0.hasPrefix(name) }
      .flatMap { $0.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first }
      .flatMap { UInt64($0) }.map { $0 * 1024 }
  }

  /// Resets the peak. If that fails, the peak is that of the whole run.
  private static func resetPeak() {
    let file = open("/proc/self/clear_refs", O_WRONLY)
    guard file >= 0 else { return }
    defer { close(file) }
    // Then the peak is that of the whole run.
    _ = "5".utf8.withContiguousStorageIfAvailable { write(file, $0.baseAddress, $0.count) }
  }
}
