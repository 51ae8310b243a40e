package import DurableIO

/// The name of a conflict copy, which a synchronising program made because two computers had changed a file.
///
/// | Program | Its name for a copy of `Text.txt` |
/// | --- | --- |
/// | Syncthing | `Text.sync-conflict-20261121-101112-ABCDEFG.txt` |
/// | Dropbox | `Text (Ana's conflicted copy 2026-11-21).txt`, `Text (Case Conflict).txt` |
/// | Nextcloud, ownCloud | `Text (conflicted copy 2026-11-21 101112).txt`, `Text_conflict-20261121-101112.txt` |
/// | Google Drive, pCloud, other programs | `Text_conf(1).txt`, `Text [conflicted].txt` |
///
/// Any other name counts only with evidence: a copy of `Metadata.plist` has the same `CopyMark`.
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

  /// Reads a name with the mark of a copy of the metadata; nil for any other.
  package init?(_ name: FileName, _ mark: CopyMark) {
    guard let original = mark.original(of: name) else { return nil }
    self.original = original
    (program, tag) = (mark.program, mark.text)
  }

  /// Returns whether a name in the package's own folder may be that of a conflict copy of the metadata.
  package static func mayCopyMetadata(_ name: FileName) -> Bool {
    CopyMark(ofMetadata: name) != nil
  }

  /// Returns whether a name in the package's own folder may be that of a conflict copy, of the metadata or of a child.
  package static func mayBeCopy(_ name: FileName) -> Bool {
    let bytes = name.bytes
    // "conflict" and "conf" have these letters, and most names lack them.
    let letters = (UInt8(ascii: "o"), UInt8(ascii: "n"), UInt8(ascii: "f"))
    return mayCopyMetadata(name)
      || bytes.indices.dropLast(2).contains { (bytes[$0], bytes[$0 + 1], bytes[$0 + 2]) == letters }
        && ConflictName(name) != nil
  }

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
