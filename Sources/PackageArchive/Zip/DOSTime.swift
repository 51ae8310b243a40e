import DurableIO
import Glibc

/// A date as zip's headers have it: two seconds fine, from 1980 to 2107, without a time zone; here always in UTC.
struct DOSTime: Hashable {
  var date: UInt16
  var time: UInt16

  init(date: UInt16, time: UInt16) {
    self.date = date
    self.time = time
  }

  /// The nearest one that is not later.
  init(_ fileTime: FileTime) {
    var seconds = time_t(fileTime.seconds)
    var parts = tm()
    // A date beyond what can be said becomes the last or the first that can.
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
