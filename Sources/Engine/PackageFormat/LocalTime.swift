package import FoundationEssentials
import Glibc

/// Returns a date for people: local time, such as `2026-11-21 20:14:09`. JSON has UTC.
package func localTime(_ date: Date) -> String {
  // The time zones of Foundation need its internationalization, which this library does not load.
  var parts = tm()
  guard var seconds = time_t(exactly: date.timeIntervalSince1970.rounded(.down)),
    localtime_r(&seconds, &parts) != nil
  else { return "at an unknown time" }
  func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
  let day = [String(Int(parts.tm_year) + 1900), two(parts.tm_mon + 1), two(parts.tm_mday)]
  let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(two)
  return day.joined(separator: "-") + " " + time.joined(separator: ":")
}
