import DurableIO
import Glibc

/// A date in the form of zip's headers: in steps of two seconds, from 1980 to 2107, without a time zone. This
/// library takes it as UTC.
struct DOSTime: Hashable {
  var date: UInt16
  var time: UInt16

  init(date: UInt16, time: UInt16) {
    self.date = date
    self.time = time
  }

  /// Makes the latest date that is not after `fileTime`.
  init(_ fileTime: FileTime) {
    var seconds = time_t(fileTime.seconds)
    var parts = tm()
    // A date outside the range becomes the first or the last date of the range.
    guard gmtime_r(&seconds, &parts) != nil, parts.tm_year < 208 else {
      self.init(date: 0xFF9F, time: 0xBF7D)
      return
    }
    guard parts.tm_year >= 80 else {
      self.init(date: 0x0021, time: 0)
      return
    }
    self.init(
      date: UInt16((parts.tm_year - 80) << 9 | (parts.tm_mon + 1) << 5 | parts.tm_mday),
      time: UInt16(parts.tm_hour << 11 | parts.tm_min << 5 | parts.tm_sec / 2))
  }

  var fileTime: FileTime {
    var parts = tm()
    parts.tm_year = Int32(date >> 9) + 80
    parts.tm_mon = Int32(date >> 5 & 15) - 1
    parts.tm_mday = Int32(date & 31)
    parts.tm_hour = Int32(time >> 11)
    parts.tm_min = Int32(time >> 5 & 63)
    parts.tm_sec = Int32(time & 31) * 2
    return FileTime(seconds: Int64(timegm(&parts)), nanoseconds: 0)
  }
}
