/// The difference of two texts by line, in the unified form that `patch` reads.
package struct UnifiedDifference: Sendable, Hashable {
  /// The hunks, each line with its mark and its own end.
  package private(set) var lines: [String] = []
  /// The number of lines that only the second text has.
  package private(set) var added = 0
  /// The number of lines that only the first text has.
  package private(set) var removed = 0

  /// Compares two texts.
  ///
  /// - Parameter context: the number of equal lines around the lines that differ.
  /// - Returns: nil if one of them is not a text: not UTF-8, or with NUL characters.
  package init?(from old: [UInt8], to new: [UInt8], context: Int = 3) {
    for bytes in [old, new] {
      guard !bytes.contains(0), String(validating: bytes, as: UTF8.self) != nil else { return nil }
    }
    let (left, right) = (TextLines(old), TextLines(new))
    var known: [ArraySlice<UInt8>: Int] = [:]
    let changes = LineDifference.changes(
      from: left.numbers(&known), to: right.numbers(&known), effort: 1 << 22)
    var hunk: [LineDifference.Change] = []
    for change in changes {
      if let last = hunk.last, change.left.lowerBound - last.left.upperBound > 2 * context {
        add(hunk, left, right, context)
        hunk = []
      }
      hunk.append(change)
    }
    if !hunk.isEmpty { add(hunk, left, right, context) }
  }

  private mutating func add(
    _ hunk: [LineDifference.Change], _ left: TextLines, _ right: TextLines, _ context: Int
  ) {
    guard let first = hunk.first, let last = hunk.last else { return }
    let before = min(context, first.left.lowerBound)
    let after = min(context, left.count - last.left.upperBound)
    let old = (first.left.lowerBound - before)..<(last.left.upperBound + after)
    let new = (first.right.lowerBound - before)..<(last.right.upperBound + after)
    lines.append("@@ -\(Self.range(old)) +\(Self.range(new)) @@\n")
    var position = old.lowerBound
    for change in hunk {
      add(" ", position..<change.left.lowerBound, of: left)
      add("-", change.left, of: left)
      add("+", change.right, of: right)
      removed += change.left.count
      added += change.right.count
      position = change.left.upperBound
    }
    add(" ", position..<old.upperBound, of: left)
  }

  private mutating func add(_ mark: String, _ range: Range<Int>, of text: TextLines) {
    for line in range {
      let words = String(decoding: text.bytes(of: line..<(line + 1)), as: UTF8.self)
      lines.append(
        words.hasSuffix("\n") || words.hasSuffix("\r\n")
          ? mark + words : "\(mark)\(words)\n\\ No newline at end of file\n")
    }
  }

  private static func range(_ lines: Range<Int>) -> String {
    // The line before it names an empty range.
    lines.count == 1
      ? "\(lines.lowerBound + 1)"
      : "\(lines.isEmpty ? lines.lowerBound : lines.lowerBound + 1),\(lines.count)"
  }
}
