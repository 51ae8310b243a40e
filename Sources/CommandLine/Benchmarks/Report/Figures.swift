import FilePackages

/// Numbers in a readable form.
package enum Figures {
  /// Returns a number with three significant digits.
  package static func number(_ value: Double) -> String {
    guard value.isFinite, value >= 0 else { return "-" }
    let digits = value < 10 ? 2 : value < 100 ? 1 : 0
    let scaled = (value * [1, 10, 100][digits]).rounded()
    if digits == 0 { return grouped(Int(scaled)) }
    let (whole, unit) = (Int(scaled), digits == 1 ? 10 : 100)
    let fraction = String(whole % unit)
    return "\(whole / unit)." + String(repeating: "0", count: digits - fraction.count) + fraction
  }

  package static func time(_ seconds: Double?) -> String {
    guard let seconds else { return "-" }
    if seconds < 0.000_999_5 { return "\(number(seconds * 1_000_000)) µs" }
    return seconds < 0.999_5 ? "\(number(seconds * 1000)) ms" : "\(number(seconds)) s"
  }

  package static func bytes(_ count: UInt64?) -> String {
    count.map(SaveReport.bytes) ?? "-"
  }

  /// Returns a number with commas between thousands.
  package static func grouped(_ count: Int) -> String {
    var (digits, text) = (Array(String(count)), "")
    while digits.count > 3 {
      text = "," + String(digits.suffix(3)) + text
      digits.removeLast(3)
    }
    return String(digits) + text
  }
}
