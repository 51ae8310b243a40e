import Documents

/// The difference of two texts as splices: by lines, and within the lines that differ without their equal ends.
///
/// So a caret in a part that stays keeps its place.
///
/// **Cost.** One comparison of the equal ends; `LineDifference` for the lines between them.
struct TextDifference {
  /// The splices that make the second text of the first, from the last to the first.
  private(set) var splices: [TextSplice] = []

  init(from old: String, to new: String) {
    if old.utf8.elementsEqual(new.utf8) { return }
    let (left, right) = (Array(old.utf16), Array(new.utf16))
    let middle = Self.middle(left[...], right[...])
    let (leftLines, rightLines) = (Self.lines(left[middle.left]), Self.lines(right[middle.right]))
    let changes = LineDifference.changes(from: leftLines.map { left[$0] }, to: rightLines.map { right[$0] })
    for change in changes.reversed() {
      let old = Self.range(change.left, in: leftLines, end: middle.left.upperBound)
      let new = Self.range(change.right, in: rightLines, end: middle.right.upperBound)
      let part = Self.middle(left[old], right[new])
      splices.append(
        TextSplice(part.left.lowerBound, part.left.count, String(decoding: right[part.right], as: UTF16.self))
      )
    }
  }

  /// The parts between the equal ends, which cut no character of two units.
  private static func middle(
    _ left: ArraySlice<UInt16>, _ right: ArraySlice<UInt16>
  ) -> (left: Range<Int>, right: Range<Int>) {
    var (start, other) = (left.startIndex, right.startIndex)
    while start < left.endIndex, other < right.endIndex, left[start] == right[other] {
      (start, other) = (start + 1, other + 1)
    }
    if start > left.startIndex, UTF16.isLeadSurrogate(left[start - 1]) {
      (start, other) = (start - 1, other - 1)
    }
    var (end, otherEnd) = (left.endIndex, right.endIndex)
    while end > start, otherEnd > other, left[end - 1] == right[otherEnd - 1] {
      (end, otherEnd) = (end - 1, otherEnd - 1)
    }
    if end < left.endIndex, UTF16.isTrailSurrogate(left[end]) { (end, otherEnd) = (end + 1, otherEnd + 1) }
    return (start..<end, other..<otherEnd)
  }

  /// The ranges of the lines, each with its end.
  private static func lines(_ text: ArraySlice<UInt16>) -> [Range<Int>] {
    var lines: [Range<Int>] = []
    var start = text.startIndex
    for index in text.indices where text[index] == 0x0A {
      lines.append(start..<(index + 1))
      start = index + 1
    }
    if start < text.endIndex { lines.append(start..<text.endIndex) }
    return lines
  }

  private static func range(_ numbers: Range<Int>, in lines: [Range<Int>], end: Int) -> Range<Int> {
    let start = numbers.lowerBound < lines.count ? lines[numbers.lowerBound].lowerBound : end
    return start..<(numbers.isEmpty ? start : lines[numbers.upperBound - 1].upperBound)
  }
}
