import CLinux
import Glibc

/// A meter of the resources that this process and its finished children use from now on.
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

  /// Returns the elapsed time, the processor time, and the greatest growth of memory. If other programs ran, the
  /// last is all memory of the largest one, if that exceeds this process's memory.
  func read() -> (seconds: Double, cpu: Double, peak: UInt64?) {
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let cpu = Self.cpu - cpu
    guard let resident else { return (seconds, cpu, nil) }
    // A new process has the memory of its parent until it runs another program, so a smaller peak cannot be told.
    if let peak = ChildProcess.peak { return (seconds, cpu, peak > resident + (1 << 20) ? peak : nil) }
    return (seconds, cpu, Self.memory("VmHWM:").map { $0 > resident ? $0 - resident : 0 })
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
    [RUSAGE_SELF, RUSAGE_CHILDREN].reduce(0) { (sum: Double, who) in
      var usage = rusage()
      // This call cannot fail here.
      getrusage(__rusage_who_t(who.rawValue), &usage)
      return sum + seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
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

  /// The number of threads of this process.
  static var threads: Int? {
    Machine.lines(of: "self/status").first { $0.hasPrefix("Threads:") }
      .flatMap { $0.split(whereSeparator: { $0 == " " || $0 == "\t" }).last }.flatMap { Int($0) }
  }

  /// The memory that malloc(3) has given and that is in use.
  static var allocatedBytes: UInt64 { UInt64(clinux_allocated_bytes()) }

  /// Resets the peak. If that fails, the peak is that of the whole run.
  private static func resetPeak() {
    let file = open("/proc/self/clear_refs", O_WRONLY)
    guard file >= 0 else { return }
    defer { close(file) }
    // Then the peak is that of the whole run.
    _ = "5".utf8.withContiguousStorageIfAvailable { write(file, $0.baseAddress, $0.count) }
  }
}
