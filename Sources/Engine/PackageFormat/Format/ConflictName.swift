package import DurableIO

/// The name of a conflict copy, which a synchronising program made because two computers had changed a file.
///
/// | Program | Its name for a copy of `Text.txt` |
/// | --- | --- |
/// | Syncthing | `Text.sync-conflict-20261121-101112-ABCDEFG.txt` |
/// | Dropbox | `Text (Ana's conflicted copy 2026-11-21).txt`, `Text (Case Conflict).txt` |
/// | Nextcloud, ownCloud | `Text (conflicted copy 2026-11-21 101112).txt`, `Text_conflict-20261121-101112.txt` |
/// | Google Drive, pCloud, other programs | `Text_conf(1).txt`, `Text [conflicted].txt` |
/// | OneDrive | `Text-LAPTOP.txt` |
/// | iCloud, Finder | `Text 2.txt` |
///
/// Any program could give the last two names: they count only if the copy of `Metadata.plist` has the same ending.
package struct ConflictName: Hashable, Sendable {
  /// The name of the original.
  package var original: FileName
  /// The program that made the copy.
  package var program: String
  /// The program's addition to the name: the same for the files of one version, except for times.
  package var tag: String

  /// The mark that the copies of one version share, as far as names tell.
  package var mark: String { "\(program) \(tag)" }

  /// Reads a name that only a synchronising program gives; nil for any other.
  package init?(_ name: FileName) {
    guard let text = String(validating: name.bytes, as: UTF8.self) else { return nil }
    for (program, pattern) in Self.patterns {
      guard let match = pattern(text) else { continue }
      original = FileName(match.base + match.end)
      (self.program, tag) = (program, match.tag)
      return
    }
    return nil
  }

  /// Reads a name with the same ending as a copy of another file: `-LAPTOP` or ` 2`.
  package init?(_ name: FileName, ending: String) {
    guard let text = String(validating: name.bytes, as: UTF8.self) else { return nil }
    let (base, end) = Self.split(text)
    guard base.hasSuffix(ending), base.utf8.count > ending.utf8.count else { return nil }
    original = FileName(String(base.dropLast(ending.count)) + end)
    program = Self.program(of: ending)
    tag = ending
  }

  /// Returns the ending in a name that extends the base of `Metadata.plist`; nil for any other name.
  package static func ending(ofMetadata name: FileName) -> String? {
    guard let text = String(validating: name.bytes, as: UTF8.self) else { return nil }
    let (base, end) = split(text)
    let (own, ownEnd) = split(PackageLayout.metadata.string)
    guard end == ownEnd, base.hasPrefix(own) else { return nil }
    let ending = String(base.dropFirst(own.count))
    let isNumber = ending.first == " " && ending.count > 1 && ending.dropFirst().allSatisfy(\.isNumber)
    return isNumber || ending.first == "-" && ending.count > 1 ? ending : nil
  }

  /// Returns whether a name in the package's own folder is that of a conflict copy of the metadata.
  package static func isCopyOfMetadata(_ name: FileName) -> Bool {
    // The first bytes rule out most names.
    guard name.bytes.starts(with: metadataStem) else { return false }
    return Self(name)?.original == PackageLayout.metadata
      || ending(ofMetadata: name) != nil
  }

  private static let metadataStem = PackageLayout.metadata.bytes.prefix { $0 != UInt8(ascii: ".") }

  private static func program(of ending: String) -> String { ending.first == " " ? "iCloud" : "OneDrive" }

  // MARK: Patterns

  private typealias Match = (base: String, tag: String, end: String)

  private static let patterns: [(program: String, match: @Sendable (String) -> Match?)] = [
    ("Syncthing", syncthing), ("Dropbox", dropbox), ("Nextcloud", nextcloud), ("a sync tool", others),
  ]

  private static func split(_ text: String) -> (base: String, end: String) {
    guard let dot = text.lastIndex(of: "."), dot != text.startIndex else { return (text, "") }
    return (String(text[..<dot]), String(text[dot...]))
  }

  /// Matches `.sync-conflict-<date>-<time>`, since 2016 with `-<first seven characters of the device that changed it>`.
  @Sendable private static func syncthing(_ text: String) -> Match? {
    guard let marker = text.range(ofText: ".sync-conflict-") else { return nil }
    let rest = text[marker.upperBound...]
    let stamp = rest.prefix { $0 != "." }
    let parts = stamp.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2 || parts.count == 3, isDigits(parts[0], 8), isDigits(parts[1], 6),
      parts.count == 2
        || parts[2].count == 7 && parts[2].allSatisfy({ $0.isASCII && ($0.isUppercase || $0.isNumber) })
    else { return nil }
    let base = String(text[..<marker.lowerBound])
    guard !base.isEmpty else { return nil }
    return (base, parts.count == 3 ? String(parts[2]) : String(stamp), String(rest[stamp.endIndex...]))
  }

  @Sendable private static func dropbox(_ text: String) -> Match? {
    guard let note = note(in: text, from: "(", to: ")") else { return nil }
    let words = note.tag.lowercased()
    return words.contains("s conflicted copy") || words.hasPrefix("case conflict") ? note : nil
  }

  @Sendable private static func nextcloud(_ text: String) -> Match? {
    if let note = note(in: text, from: "(", to: ")"), note.tag.lowercased().hasPrefix("conflicted copy") {
      return note
    }
    let (base, end) = split(text)
    guard let marker = base.range(ofText: "_conflict-") else { return nil }
    let stamp = base[marker.upperBound...]
    let parts = stamp.split(separator: "-", omittingEmptySubsequences: false)
    guard marker.lowerBound > base.startIndex, parts.count >= 2, isDigits(parts[0], 8), isDigits(parts[1], 6)
    else { return nil }
    return (String(base[..<marker.lowerBound]), String(stamp), end)
  }

  @Sendable private static func others(_ text: String) -> Match? {
    if let note = note(in: text, from: "[", to: "]"), note.tag.lowercased() == "conflicted" {
      return note
    }
    let (base, end) = split(text)
    guard base.hasSuffix(")"), let marker = base.range(ofText: "_conf("), marker.lowerBound > base.startIndex,
      base[marker.upperBound...].dropLast().allSatisfy(\.isNumber)
    else { return nil }
    return (String(base[..<marker.lowerBound]), String(base[marker.lowerBound...].dropFirst()), end)
  }

  /// Returns the text in brackets at the end of a name, before its extension: `Text (note).txt`.
  private static func note(in text: String, from open: Character, to close: Character) -> Match? {
    let (base, end) = split(text)
    guard base.last == close, let start = base.lastIndex(of: open) else { return nil }
    var stem = base[..<start]
    // Dropbox adds the number of a second copy of the day in brackets of its own.
    var note = String(base[base.index(after: start)...].dropLast())
    if stem.last == " ", note.allSatisfy(\.isNumber), let outer = stem.dropLast().lastIndex(of: open) {
      note = String(stem[stem.index(after: outer)...]) + note
      stem = stem[..<outer]
    }
    if stem.last == " " { stem = stem.dropLast() }
    guard !stem.isEmpty else { return nil }
    return (String(stem), note, end)
  }

  private static func isDigits(_ text: Substring, _ count: Int) -> Bool {
    text.count == count && text.allSatisfy { $0.isASCII && $0.isNumber }
  }
}

extension String {
  /// Returns the last range of a text.
  fileprivate func range(ofText text: String) -> Range<Index>? { ranges(of: text).last }
}
