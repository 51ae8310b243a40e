import CCurl
import FoundationEssentials

extension Date {
  /// Reads a date such as `2013-05-24T00:00:00.000Z`; nil for another text, or for a year of another length.
  init?(iso8601 text: String) {
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    // The caller has the error.
    guard text.dropFirst(4).first == "-", let date = try? Date(text, strategy: style) else { return nil }
    self = date
  }

  /// Reads a date of a header, such as `Fri, 24 May 2013 00:00:00 GMT`; nil for another text.
  init?(http text: String) {
    let seconds = curl_getdate(text, nil)
    if seconds < 0 { return nil }
    self.init(timeIntervalSince1970: Double(seconds))
  }
}
