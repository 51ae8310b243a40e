import FoundationEssentials
import Glibc

/// Patterns for names of documents, in the form of a `.gitignore` file. The last pattern that matches a name decides.
///
/// - An empty line, and a line that begins with `#`, is no pattern. `\#` and `\!` begin a pattern with that character.
/// - `!` before a pattern takes names out again, except in a folder that a pattern matches.
/// - A `/` at the beginning or within a pattern binds it to the top folder. Otherwise it matches at any depth.
/// - A `/` at the end matches folders and packages alone.
/// - `*`, `?` and `[ ]` match within one part of a name, and each part as fnmatch(3) has it: `?` is one byte.
/// - `**` as a part of its own matches any number of parts: all items in a folder at the end of a pattern.
/// - Spaces at the end of a line do not count, unless a `\` is before them.
package struct PathPatterns: Sendable, Hashable {
  private struct Pattern: Hashable {
    var parts: [String]
    var takesOut: Bool
    var isForFolders: Bool
  }

  private var patterns: [Pattern] = []

  /// Reads patterns, one a line. No text is an error: a line that can match no name has no effect.
  package init(_ text: String = "") {
    // A mark such as an accent may follow any of these characters, and is a character of the name.
    let lines = text.unicodeScalars.split { Character($0).isNewline }
    for (index, line) in lines.enumerated() {
      let isMarked = index == 0 && line.first == "\u{FEFF}"
      if let pattern = Self.pattern(isMarked ? line.dropFirst() : line) { patterns.append(pattern) }
    }
  }

  /// Whether there is no pattern.
  package var isEmpty: Bool { patterns.isEmpty }

  private static func pattern(_ line: Substring.UnicodeScalarView) -> Pattern? {
    guard line.first != "#" else { return nil }
    var rest = line
    while rest.last == " ", rest.dropLast().last != "\\" { rest.removeLast() }
    var pattern = Pattern(parts: [], takesOut: false, isForFolders: false)
    if rest.first == "!" {
      pattern.takesOut = true
      rest.removeFirst()
    }
    if rest.last == "/" {
      pattern.isForFolders = true
      rest.removeLast()
    }
    let isBound = rest.contains("/")
    if rest.first == "/" { rest.removeFirst() }
    guard !rest.isEmpty else { return nil }
    pattern.parts = rest.split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
    if !isBound { pattern.parts.insert("**", at: 0) }
    return pattern
  }

  /// Returns whether the patterns match a name, or a folder around it.
  package func matchesAnyPart(of name: String, isDirectory: Bool) -> Bool {
    for index in name.utf8.indices where name.utf8[index] == UInt8(ascii: "/") {
      if matches(String(name[..<index]), isDirectory: true) { return true }
    }
    return matches(name, isDirectory: isDirectory)
  }

  /// Returns whether the patterns match a name, whose folders they do not match.
  package func matches(_ name: String, isDirectory: Bool) -> Bool {
    if patterns.isEmpty { return false }
    let parts = name.unicodeScalars.split(separator: "/").map { String($0) }
    let last = patterns.last {
      (isDirectory || !$0.isForFolders) && Self.matches($0.parts, parts)
    }
    return last.map { !$0.takesOut } ?? false
  }

  /// Returns whether the parts of a pattern match those of a name.
  ///
  /// After a part that does not match, only the last `**` takes one more part: an earlier one could not match more. Cost:
  /// the product of both counts.
  private static func matches(_ pattern: [String], _ name: [String]) -> Bool {
    var (part, place) = (0, 0)
    var last: (part: Int, place: Int)?
    while place < name.count {
      if part < pattern.count, pattern[part] == "**" {
        // At the end it matches what is in a folder, and not the folder.
        if part == pattern.count - 1 { return true }
        last = (part, place)
        part += 1
      } else if part < pattern.count, fnmatch(pattern[part], name[place], 0) == 0 {
        (part, place) = (part + 1, place + 1)
      } else if let star = last {
        last = (star.part, star.place + 1)
        (part, place) = (star.part + 1, star.place + 1)
      } else {
        return false
      }
    }
    return part == pattern.count
  }
}
