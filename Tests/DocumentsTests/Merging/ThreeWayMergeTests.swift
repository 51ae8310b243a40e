import Documents
import TestSupport
import Testing

@Suite("A merge of texts")
struct ThreeWayMergeTests {
  struct Example: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var base, ours, theirs, merged: String
    var conflicts: [ThreeWayMerge.Conflict] = []
  }

  static let examples: [Example] = [
    Example(testDescription: "nothing", base: "", ours: "", theirs: "", merged: ""),
    Example(
      testDescription: "different lines", base: "a\nb\nc\n", ours: "A\nb\nc\n", theirs: "a\nb\nC\n",
      merged: "A\nb\nC\n"),
    Example(
      testDescription: "the same change", base: "a\nb\n", ours: "a\nx\n", theirs: "a\nx\n", merged: "a\nx\n"),
    Example(
      testDescription: "the same line", base: "a\nb\nc\n", ours: "a\nx\nc\n", theirs: "a\ny\nc\n",
      merged: "a\nx\nc\n",
      conflicts: [.init(base: "b\n", ours: "x\n", theirs: "y\n", baseLine: 1)]),
    Example(
      testDescription: "adjacent lines", base: "a\nb\n", ours: "A\nb\n", theirs: "a\nB\n", merged: "A\nb\n",
      conflicts: [.init(base: "a\nb\n", ours: "A\nb\n", theirs: "a\nB\n", baseLine: 0)]),
    Example(
      testDescription: "a removed and a changed line", base: "a\nb\nc\n", ours: "a\nc\n", theirs: "a\nB\nc\n",
      merged: "a\nc\n", conflicts: [.init(base: "b\n", ours: "", theirs: "B\n", baseLine: 1)]),
    Example(
      testDescription: "two texts from none", base: "", ours: "x\n", theirs: "y\n", merged: "x\n",
      conflicts: [.init(base: "", ours: "x\n", theirs: "y\n", baseLine: 0)]),
    Example(
      testDescription: "line ends of three kinds", base: "a\r\nb\rc\nd\n", ours: "a\r\nb\rc\nD\n",
      theirs: "A\r\nb\rc\nd\n", merged: "A\r\nb\rc\nD\n"),
    Example(
      testDescription: "line ends that one side changed", base: "a\nb\nc\n", ours: "a\r\nb\r\nc\r\n",
      theirs: "a\nb\nc\n", merged: "a\r\nb\r\nc\r\n"),
    Example(
      testDescription: "no end of the last line", base: "a\nb\nc", ours: "a\nb\nc\nd", theirs: "A\nb\nc",
      merged: "A\nb\nc\nd"),
    Example(
      testDescription: "a last line that got an end and one that was changed", base: "a\nb", ours: "a\nb\n",
      theirs: "a\nB", merged: "a\nb\n", conflicts: [.init(base: "b", ours: "b\n", theirs: "B", baseLine: 1)]),
    Example(
      testDescription: "characters of several scalars", base: "e\u{301}\n👩‍👩‍👧\nx\n", ours: "é\n👩‍👩‍👧\nx\n",
      theirs: "e\u{301}\n👩‍👩‍👧\n🇩🇪\n", merged: "é\n👩‍👩‍👧\n🇩🇪\n"),
  ]

  @Test(arguments: examples)
  func `of`(_ example: Example) {
    let merge = ThreeWayMerge(base: example.base, ours: example.ours, theirs: example.theirs)
    #expect(Array(merge.text().utf8) == Array(example.merged.utf8))
    #expect(merge.conflicts == example.conflicts)
    // With the sides exchanged, the merge is the same but for the sides.
    let turned = ThreeWayMerge(base: example.base, ours: example.theirs, theirs: example.ours)
    #expect(turned.conflicts == example.conflicts.map(\.turned))
    #expect(Array(turned.text(.theirs).utf8) == Array(example.merged.utf8))
  }

  @Test func `has every choice for what is to be decided`() {
    let merge = ThreeWayMerge(base: "a\nb\nc", ours: "a\nx\nc\nmine", theirs: "a\ny\nc\nyours")
    #expect(merge.text(.ours) == "a\nx\nc\nmine")
    #expect(merge.text(.theirs) == "a\ny\nc\nyours")
    #expect(ThreeWayMerge(base: "a\nb", ours: "a\nx", theirs: "a\ny").text(.both) == "a\nx\ny")
    #expect(
      ThreeWayMerge(base: "a\nb\n", ours: "a\nx\n", theirs: "a\n")
        .text(.marked(ours: "mine", base: "old", theirs: "")) == """
          a
          <<<<<<< mine
          x
          ||||||| old
          b
          =======
          >>>>>>>

          """)
  }

  // MARK: Properties

  /// Lines, no two of them equal, and the edits of each side.
  struct Edited {
    var base: [String] = []
    /// The edits by side and by place in `base`: the lines before it, and the lines in its stead.
    var inserted: [[Int: [String]]] = [[:], [:]]
    var replaced: [[Int: [String]]] = [[:], [:]]

    /// - Parameter shared: how many of 16 edits both sides make.
    init(seed: UInt64, lines: Int, edits: Int, shared: Int = 4) {
      var generator = SeededGenerator(seed: seed)
      let ends = ["\n", "\n", "\n", "\r\n"]
      base = (0..<lines).map { "line \($0)" + (ends.randomElement(using: &generator) ?? "\n") }
      for number in 0..<Int.random(in: 0...edits, using: &generator) {
        let place = Int.random(in: 0...lines, using: &generator)
        let new = ["new \(number)\n", "more \(number)\n"].prefix(Int.random(in: 0...2, using: &generator))
        let isBoth = Int.random(in: 0..<16, using: &generator) < shared
        let sides = isBoth ? [0, 1] : [Int.random(in: 0...1, using: &generator)]
        let inserts = Bool.random(using: &generator) || place == lines
        for side in sides {
          if inserts {
            if !new.isEmpty { inserted[side][place] = Array(new) }
          } else {
            replaced[side][place] = Array(new)
          }
        }
      }
    }

    func lines(_ side: Int, _ range: Range<Int>, withLast: Bool = true) -> [String] {
      var lines: [String] = []
      for place in range {
        lines += inserted[side][place] ?? []
        lines += replaced[side][place] ?? [base[place]]
      }
      return lines + (withLast ? inserted[side][range.upperBound] ?? [] : [])
    }

    func text(_ side: Int) -> String { lines(side, 0..<base.count).joined() }

    /// The expected merge: stretches without an untouched line between them belong together.
    var expected: (text: String, conflicts: Int) {
      var (text, conflicts, start) = ("", 0, 0)
      func isTouched(_ side: Int, _ range: ClosedRange<Int>) -> Bool {
        range.contains { inserted[side][$0] != nil }
          || (range.lowerBound..<range.upperBound).contains { replaced[side][$0] != nil }
      }
      for end in 0...base.count {
        // A line that neither side touched ends a stretch.
        guard end == base.count || (replaced[0][end] == nil && replaced[1][end] == nil) else { continue }
        let sides = [0, 1].map { lines($0, start..<end) }
        let touched = [0, 1].map { isTouched($0, start...end) }
        if touched[0] && touched[1] && sides[0] != sides[1] { conflicts += 1 }
        text += (touched[0] ? sides[0] : touched[1] ? sides[1] : Array(base[start..<end])).joined()
        if end < base.count { text += base[end] }
        start = end + 1
      }
      return (text, conflicts)
    }
  }

  @Test(arguments: [3, 8, 40])
  func `is what a model says of random edits`(lines: Int) {
    var conflicts = 0
    for seed in 0..<300 as Range<UInt64> {
      let edited = Edited(seed: seed, lines: lines, edits: 8)
      let (base, ours, theirs) = (edited.base.joined(), edited.text(0), edited.text(1))
      let merge = ThreeWayMerge(base: base, ours: ours, theirs: theirs)
      let expected = edited.expected
      #expect(merge.conflicts.count == expected.conflicts, "seed \(seed)")
      #expect(merge.text() == expected.text, "seed \(seed)")
      conflicts += expected.conflicts
      Self.expectLaws(base, ours, theirs, merge)
    }
    #expect(conflicts > 30)
  }

  @Test(arguments: [0, 30, ThreeWayMerge.usualEffort])
  func `keeps its laws where many lines are equal`(effort: Int) {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<300 {
      let texts = (0..<3).map { _ in
        (0..<Int.random(in: 0...10, using: &generator)).map { _ in
          ["a\n", "b\n", "\n", "a\r\n", "a"].randomElement(using: &generator) ?? ""
        }.joined()
      }
      let merge = ThreeWayMerge(base: texts[0], ours: texts[1], theirs: texts[2], effort: effort)
      Self.expectLaws(texts[0], texts[1], texts[2], merge, effort: effort)
    }
  }

  private static func expectLaws(
    _ base: String, _ ours: String, _ theirs: String, _ merge: ThreeWayMerge,
    effort: Int = ThreeWayMerge.usualEffort
  ) {
    func merged(_ base: String, _ ours: String, _ theirs: String) -> ThreeWayMerge {
      ThreeWayMerge(base: base, ours: ours, theirs: theirs, effort: effort)
    }
    for side in [ours, theirs] {
      #expect(merged(base, side, base).result == side)
      #expect(merged(base, base, side).result == side)
      #expect(merged(base, side, side).result == side)
    }
    let turned = merged(base, theirs, ours)
    #expect(turned.conflicts == merge.conflicts.map(\.turned))
    #expect(turned.text(.theirs) == merge.text(.ours) && turned.text(.ours) == merge.text(.theirs))
    // No decision loses a line that only one side has.
    func lines(_ text: String) -> Set<Substring> { Set(text.split(whereSeparator: \.isNewline)) }
    #expect(lines(ours).subtracting(lines(base)).isSubset(of: lines(merge.text(.ours))))
    #expect(lines(theirs).subtracting(lines(base)).isSubset(of: lines(merge.text(.theirs))))
  }

  @Test func `takes little time for large texts, whatever was changed`() {
    let base = (0..<40_000).map { "line \($0)\n" }
    var (ours, theirs) = (base, base)
    for place in stride(from: 0, to: base.count, by: 10) {
      ours[place] = "ours \(place)\n"
      theirs[place + 5] = "theirs \(place)\n"
    }
    let merge = ThreeWayMerge(
      base: base.joined(), ours: ours.joined(), theirs: theirs.joined(), effort: 50_000)
    #expect(merge.conflicts.isEmpty)
    let merged = merge.text().split(separator: "\n")
    #expect(merged.count == base.count && merged[10] == "ours 10" && merged[15] == "theirs 10")
    // Texts without a common line are one conflict.
    let others = { (name: String) in (0..<5_000).map { "\(name) \($0)\n" }.joined() }
    let apart = ThreeWayMerge(base: others("a"), ours: others("b"), theirs: others("c"), effort: 50_000)
    #expect(apart.conflicts.count == 1)
  }
}

extension ThreeWayMerge {
  /// The merged text, if there is no conflict.
  fileprivate var result: String? { conflicts.isEmpty ? text() : nil }
}

extension ThreeWayMerge.Conflict {
  fileprivate var turned: ThreeWayMerge.Conflict {
    ThreeWayMerge.Conflict(base: base, ours: theirs, theirs: ours, baseLine: baseLine)
  }
}
