// Prints values that Foundation makes with ICU's data. `compare` looks for differences between two outputs. Each line is one area.

import Foundation

let posix = Locale(identifier: "en_US_POSIX")
let date = Date(timeIntervalSince1970: 1_700_000_000.123)
print(Locale.current.identifier, Locale.preferredLanguages)

// Dates as GRDB stores them, and dates for people.
let stored = DateFormatter()
stored.locale = posix
stored.dateFormat = "yyyy-MM-dd HH:mm:ss.SSS"
stored.timeZone = TimeZone(secondsFromGMT: 0)
print(stored.string(from: date), stored.date(from: "2024-02-29 12:13:14.567") as Any)
let full = DateFormatter()
full.dateStyle = .full
full.timeStyle = .full
full.timeZone = TimeZone(identifier: "Europe/Berlin")
print(full.string(from: date))
let iso = ISO8601DateFormatter()
iso.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
print(iso.string(from: date), date.formatted(), date.formatted(.iso8601), date.description)
var calendar = Calendar(identifier: .gregorian)
calendar.locale = posix
calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? .current
print(calendar.date(from: DateComponents(year: 2024, month: 2, day: 29, hour: 3)) as Any)
print(calendar.component(.weekOfYear, from: date), Calendar.current.firstWeekday, TimeZone.current.identifier)
for name in ["Asia/Tokyo", "America/New_York"] {
  print(TimeZone(identifier: name)?.secondsFromGMT(for: date) as Any)
}

// The collations and functions that GRDB gives to SQLite.
let words = [
  "Zebra", "äpple", "Ångström", "éclair", "eclair", "straße", "strasse", "日本", "中文", "한국", "a10", "a9", "A9",
  "i",
  "İ", "ı", "_", "-", "ﬁ", "fi", "żółw", "zolw",
]
print(words.sorted { $0.localizedCompare($1) == .orderedAscending })
print(words.sorted { $0.localizedCaseInsensitiveCompare($1) == .orderedAscending })
print(words.sorted { $0.localizedStandardCompare($1) == .orderedAscending })
print(words.sorted { $0.caseInsensitiveCompare($1) == .orderedAscending })
print(words.map(\.localizedCapitalized), words.map(\.localizedUppercase), words.map(\.localizedLowercase))
print(words.map(\.capitalized), words.map { $0.lowercased(with: posix) })
print(
  words.map(\.precomposedStringWithCompatibilityMapping), words.map(\.decomposedStringWithCanonicalMapping))
print(words.map { $0.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil) })
print("ß".compare("SS", options: .caseInsensitive).rawValue)

// Regular expressions, also those of GRDB's inflections.
for pattern in ["\\b\\w+$", "_[^_]+$", "[^A-Z][A-Z]+[a-z1-9]+$", "[\\p{L}&&[^a-z]]+\\X"] {
  let text = "hello wörld ÄÖÜ日本 e\u{301} playerTeam"
  let expression = try NSRegularExpression(pattern: pattern, options: [.caseInsensitive])
  print(expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).map(\.range))
}

// Names of hosts.
print(URL(string: "https://bücher.example/ä?q=ö") as Any, URL(string: "https://日本.jp")?.host as Any)

// Numbers.
let number = NumberFormatter()
number.numberStyle = .decimal
print(number.string(from: 1_234_567.5) as Any, number.number(from: "1,234.5") as Any)
number.locale = posix
number.numberStyle = .scientific
print(number.string(from: 1234.5) as Any, 1_234_567.891.formatted(), 12.5.formatted(.percent))
print(
  Decimal(string: "3.25", locale: posix) as Any, NSDecimalNumber(string: "2.5").description(withLocale: posix)
)
print(String(format: "%.3f %d", locale: posix, 3.14159, 7), String(format: "%.2f", 2.5))
print(
  ByteCountFormatter.string(fromByteCount: 123_456_789, countStyle: .file),
  5.0.formatted(.currency(code: "EUR")))
print(Date.RelativeFormatStyle().format(Date().addingTimeInterval(-4000)))

// Character sets that Foundation has itself, and names of languages.
print(String(data: Data([0xE4, 0x62]), encoding: .isoLatin1) as Any)
print(String(data: Data([0x80]), encoding: .windowsCP1252) as Any, "é".data(using: .macOSRoman) as Any)
print(Locale.current.localizedString(forLanguageCode: "de") as Any)
