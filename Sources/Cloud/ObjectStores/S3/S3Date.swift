import FilePackages
import FoundationEssentials

/// The two forms of a date in the answers of an S3 service.
enum S3Date {
  /// Reads a date such as `Fri, 24 May 2013 00:00:00 GMT`.
  static func date(ofHeader text: String) -> Date? {
    let parts = text.split(whereSeparator: { $0 == " " || $0 == "," || $0 == ":" })
    guard parts.count == 8, parts[7] == "GMT", let month = months.firstIndex(of: String(parts[2])),
      let day = Int(parts[1]), let year = Int(parts[3])
    else { return nil }
    return date(year, month + 1, day, parts[4...6])
  }

  /// Reads a date such as `2013-05-24T00:00:00.000Z`.
  static func date(ofListing text: String) -> Date? {
    guard text.last == "Z" else { return nil }
    let parts = text.dropLast().split(whereSeparator: { $0 == "-" || $0 == "T" || $0 == ":" })
    guard parts.count == 6, let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
    else {
      return nil
    }
    return date(year, month, day, parts[3...5])
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  private static func date(_ year: Int, _ month: Int, _ day: Int, _ time: ArraySlice<Substring>) -> Date? {
    let numbers = time.compactMap { Double($0) }
    guard numbers.count == 3, (1...9_999).contains(year), (1...12).contains(month), (1...31).contains(day),
      let days = GregorianDay(year: year, month: month, day: day)?.number, (0..<24).contains(numbers[0]),
      (0..<60).contains(numbers[1]), (0..<61).contains(numbers[2])
    else { return nil }
    return Date(
      timeIntervalSince1970: Double(days) * 86_400 + numbers[0] * 3_600 + numbers[1] * 60 + numbers[2])
  }
}
