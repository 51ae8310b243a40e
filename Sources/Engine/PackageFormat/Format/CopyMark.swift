package import DurableIO

/// What a program added to the name `Metadata.plist` when it made a copy of that file.
///
/// The program gives its copies of other files the same mark: `Metadata (mine).plist` and `Text (mine).txt`, or
/// `Metadata.plist.conflict1` and `Text.txt.conflict1`. If the mark has a date or a time, its digits may differ.
package struct CopyMark: Hashable, Sendable {
  private let before: [UInt8]
  private let between: [UInt8]
  private let after: [UInt8]

  private static let base = Array("Metadata".utf8)
  private static let end = Array(".plist".utf8)

  /// Returns nil for `Metadata.plist` itself, and for a name that does not contain its two parts in this order.
  package init?(ofMetadata name: FileName) {
    // Most names of a large package lack its first letter.
    guard name.bytes.contains(Self.base[0]) else { return nil }
    let bytes = Array(name.bytes)
    guard bytes.count > Self.base.count + Self.end.count, String(validating: bytes, as: UTF8.self) != nil,
      let base = bytes.firstRange(of: Self.base),
      let end = bytes[base.upperBound...].ranges(of: Self.end).last
    else { return nil }
    before = Array(bytes[..<base.lowerBound])
    between = Array(bytes[base.upperBound..<end.lowerBound])
    after = Array(bytes[end.upperBound...])
  }

  /// The additions as one text.
  package var text: String { String(decoding: before + between + after, as: UTF8.self) }

  /// The program that gives such names, as far as they tell.
  var program: String {
    if !isCommon { return "a sync tool" }
    return between.first == UInt8(ascii: " ") ? "iCloud" : "OneDrive"
  }

  /// Whether the mark is a number, as iCloud's, or the name of a computer behind a hyphen, as OneDrive's.
  package var isCommon: Bool {
    guard before.isEmpty, after.isEmpty, between.count > 1 else { return false }
    return between[0] == UInt8(ascii: " ")
      ? between.dropFirst().allSatisfy(Self.isDigit) : between[0] == UInt8(ascii: "-")
  }

  /// Returns the name of the file whose copy has this name; nil for a name without this mark.
  func original(of name: FileName) -> FileName? {
    let bytes = Array(name.bytes)
    let (text, before, between, after) =
      isStamped
      ? (Self.plain(bytes), Self.plain(self.before), Self.plain(self.between), Self.plain(self.after))
      : (bytes, self.before, self.between, self.after)
    guard text.count > before.count + between.count + after.count, text.starts(with: before),
      text.suffix(after.count).elementsEqual(after)
    else { return nil }
    let middle = before.count..<(text.count - after.count)
    if between.isEmpty { return FileName(bytes: Array(bytes[middle])) }
    guard let place = text[middle].ranges(of: between).last, place.lowerBound > middle.lowerBound,
      place.upperBound == middle.upperBound || text[place.upperBound] == UInt8(ascii: ".")
    else { return nil }
    return FileName(
      bytes: Array(bytes[middle.lowerBound..<place.lowerBound] + bytes[place.upperBound..<middle.upperBound]))
  }

  /// Whether the mark has a date or a time, which differ between the copies of one version.
  private var isStamped: Bool {
    (before + between + after).split { !Self.isDigit($0) }.contains { $0.count >= 4 }
  }

  /// Returns the bytes with zeros for digits.
  private static func plain(_ bytes: [UInt8]) -> [UInt8] {
    bytes.map { isDigit($0) ? UInt8(ascii: "0") : $0 }
  }

  @Sendable private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
