package import DurableIO
package import FoundationEssentials
import Glibc

/// The attributes of a node in memory.
package struct NodeAttributes: Sendable, Hashable {
  /// Permission bits.
  package var mode: UInt16
  /// Whether `mode` is set on disk unchanged: it came from there, or a caller chose it.
  ///
  /// Otherwise the process's umask applies.
  package var modeIsExact: Bool
  package var modified: FileTime?

  package static func newFile() -> NodeAttributes {
    NodeAttributes(mode: 0o666, modeIsExact: false, modified: Environment.current.now())
  }

  package static func newDirectory() -> NodeAttributes {
    NodeAttributes(mode: 0o777, modeIsExact: false, modified: nil)
  }

  package static func newLink() -> NodeAttributes {
    NodeAttributes(mode: 0o666, modeIsExact: false, modified: nil)
  }

  package init(mode: UInt16, modeIsExact: Bool, modified: FileTime?) {
    self.mode = mode
    self.modeIsExact = modeIsExact
    self.modified = modified
  }

  package init(_ status: FileStatus) {
    self.init(mode: status.mode, modeIsExact: true, modified: status.modified)
  }

  /// Returns the attributes of a file in the place of another one, whose rights it keeps unless it has its own.
  ///
  /// If the new file is executable and the old one is not, each user that may read it may also execute it.
  package func executable(over old: FileStatus?) -> NodeAttributes {
    guard !modeIsExact, mode & 0o100 != 0, let old, old.kind == .file, old.mode & 0o100 == 0 else {
      return self
    }
    return NodeAttributes(
      mode: old.mode | (old.mode & 0o444) >> 2, modeIsExact: true, modified: modified)
  }
}

extension FileTime {
  /// The current time by the system's clock.
  package static var now: FileTime {
    var time = timespec()
    // Cannot fail: the clock exists on every Linux, and the pointer is valid.
    clock_gettime(CLOCK_REALTIME, &time)
    return FileTime(seconds: Int64(time.tv_sec), nanoseconds: UInt32(time.tv_nsec))
  }

  /// The nearest `Date`, the same that `FileManager` gives; for present dates the error is some hundred nanoseconds.
  package var date: Date {
    let whole = Double(seconds) - Date.timeIntervalBetween1970AndReferenceDate
    return Date(timeIntervalSinceReferenceDate: whole + 1e-9 * Double(nanoseconds))
  }

  package init(_ date: Date) {
    let interval = date.timeIntervalSinceReferenceDate
    let whole = interval.rounded(.down)
    let nanoseconds = min(999_999_999, ((interval - whole) * 1e9).rounded())
    let seconds = whole + Date.timeIntervalBetween1970AndReferenceDate
    self.init(seconds: Int64(exactly: seconds) ?? 0, nanoseconds: UInt32(max(0, nanoseconds)))
  }
}
