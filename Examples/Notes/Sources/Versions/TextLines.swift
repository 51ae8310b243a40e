import Documents

/// The lines of a text as UTF-8, each with its end.
struct TextLines {
  let lines: [ArraySlice<UInt8>]

  init(_ text: String) {
    var lines: [ArraySlice<UInt8>] = []
    var rest = Array(text.utf8)[...]
    while let end = rest.firstIndex(of: 0x0A) {
      lines.append(rest[...end])
      rest = rest[(end + 1)...]
    }
    self.lines = rest.isEmpty ? lines : lines + [rest]
  }

  /// The parts in which another text differs, in order.
  func changes(to other: TextLines) -> [LineDifference.Change] {
    LineDifference.changes(from: lines, to: other.lines)
  }

  /// The lines that both texts have, in their order.
  func common(with other: TextLines) -> String {
    var (common, position): ([ArraySlice<UInt8>], Int) = ([], 0)
    for change in changes(to: other) {
      common += lines[position..<change.left.lowerBound]
      position = change.left.upperBound
    }
    return String(decoding: (common + lines[position...]).joined(), as: UTF8.self)
  }
}
