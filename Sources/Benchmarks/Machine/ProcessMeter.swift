import CLinux
import Glibc

/// Measures what this process, and those that it starts and waits for, use from now on.
struct ProcessMeter {
  private let start: ContinuousClock.Instant
  private let cpu: Double
  private let written: UInt64?
  private let resident: UInt64?

  init() {
    ChildProcess.forgetPeak()
    Self.resetPeak()
    resident = Self.memory("VmRSS:")
    written = Self.written
    cpu = Self.cpu
    start = .now
  }

  /// How long it took, what the processor worked for it, and by how much memory grew at most; of other programs, all that
  /// the largest one had, where it is more than this process has.
  func read() -> (seconds: Double, cpu: Double, peak: UInt64?) {
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let cpu = Self.cpu - cpu
    guard let resident else { return (seconds, cpu, nil) }
    // Until it is another program, a new process has the memory of the one that started it: less cannot be told.
    if let peak = ChildProcess.peak { return (seconds, cpu, peak > resident + (1 << 20) ? peak : nil) }
    return (seconds, cpu, Self.memory("VmHWM:").map { $0 > resident ? $0 - resident : 0 })
  }

  /// What had to be written to the medium so far, in whole pages; nil where the system does not tell.
  var writtenBytes: UInt64? {
    Self.written.flatMap { end in written.map { end >= $0 ? end - $0 : 0 } }
  }

  private static var written: UInt64? {
    Machine.lines(of: "self/io").first { $0.hasPrefix("write_bytes:") }
      .flatMap { $0.split(separator: " ").last }.flatMap { UInt64($0) }
  }

  private static var cpu: Double {
    [RUSAGE_SELF, RUSAGE_CHILDREN].reduce(0) { (sum: Double, who) in
      var usage = rusage()
      // It fails for no reason that can occur here.
      getrusage(__rusage_who_t(who.rawValue), &usage)
      return sum + seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
  }

  private static func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000
  }

  /// A line of /proc/self/status, in bytes.
  private static func memory(_ name: String) -> UInt64? {
    Machine.lines(of: "self/status").first { $0.hasPrefix(name) }
      .flatMap { $0.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first }
      .flatMap { UInt64($0) }.map { $0 * 1024 }
  }

  /// How many threads this process has.
  static var threads: Int? {
    Machine.lines(of: "self/status").first { $0.hasPrefix("Threads:") }
      .flatMap { $0.split(whereSeparator: { $0 == " " || $0 == "\t" }).last }.flatMap { Int($0) }
  }

  /// Memory that is in use by what malloc(3) gave.
  static var allocatedBytes: UInt64 { UInt64(clinux_allocated_bytes()) }

  /// Where it cannot be reset, the peak is that of the whole run.
  private static func resetPeak() {
    let file = open("/proc/self/clear_refs", O_WRONLY)
    guard file >= 0 else { return }
    defer { close(file) }
    _ = "5".utf8.withContiguousStorageIfAvailable { write(file, $0.baseAddress, $0.count) }
  }
}
