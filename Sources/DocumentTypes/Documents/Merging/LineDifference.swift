/// The common parts of two sequences, by patience differencing, and by `difference(from:)` in the gaps that it leaves.
///
/// Elements that occur once in both sequences match in their longest common order. The same holds again for the
/// elements between two matches. A gap without such elements is compared as a whole, with the fewest insertions and
/// removals. If a gap is too large for that, its elements count as replaced. The result is always a true difference.
///
/// **Cost.** O(n log n) for n elements in most texts. After `effort` steps, only equal ends of the remaining gaps match.
public struct LineDifference {
  /// Elements of the left that the right replaces; never both empty.
  public struct Change: Hashable, Sendable {
    /// The range in the left sequence.
    public var left: Range<Int>
    /// The range in the right sequence.
    public var right: Range<Int>
  }

  /// Parts of both sequences that are compared with each other.
  private struct Gap {
    var left: Range<Int>
    var right: Range<Int>
  }

  private let left: [Int]
  private let right: [Int]
  private var effort: Int
  /// For each element of the left, its match in the right.
  private var matches: [Int?]
  private var gaps: [Gap]
  /// The largest product of the lengths of a gap that is compared as a whole.
  private static let largestGap = 1 << 22

  private init(_ left: [Int], _ right: [Int], effort: Int) {
    (self.left, self.right, self.effort) = (left, right, effort)
    matches = [Int?](repeating: nil, count: left.count)
    gaps = [Gap(left: 0..<left.count, right: 0..<right.count)]
  }

  /// Returns the replacements that make the right of the left, in order; no two of them touch.
  public static func changes<Line: Hashable>(from left: [Line], to right: [Line]) -> [Change] {
    var known: [Line: Int] = [:]
    func number(_ line: Line) -> Int {
      if let number = known[line] { return number }
      known[line] = known.count
      return known.count - 1
    }
    return changes(from: left.map(number), to: right.map(number), effort: 1 << 20)
  }

  /// Returns the replacements that make the right of the left, in order; no two of them touch.
  package static func changes(from left: [Int], to right: [Int], effort: Int) -> [Change] {
    var difference = LineDifference(left, right, effort: effort)
    while let gap = difference.gaps.popLast() { difference.compare(gap) }
    var changes: [Change] = []
    var (end, otherEnd) = (0, 0)
    func note(_ match: (left: Int, right: Int)) {
      if match.left > end || match.right > otherEnd {
        changes.append(Change(left: end..<match.left, right: otherEnd..<match.right))
      }
      (end, otherEnd) = (match.left + 1, match.right + 1)
    }
    for (place, match) in difference.matches.enumerated() {
      if let match { note((place, match)) }
    }
    note((left.count, right.count))
    return changes
  }

  private mutating func compare(_ gap: Gap) {
    var (a, b) = (gap.left, gap.right)
    while let first = a.first, let other = b.first, left[first] == right[other] {
      matches[first] = other
      (a, b) = (a.dropFirst(), b.dropFirst())
    }
    while let last = a.last, let other = b.last, left[last] == right[other] {
      matches[last] = other
      (a, b) = (a.dropLast(), b.dropLast())
    }
    if a.isEmpty || b.isEmpty || effort < 0 { return }
    effort -= a.count + b.count
    var (leftEnd, rightEnd) = (a.lowerBound, b.lowerBound)
    let anchors = Self.longestRising(unique(in: a, b))
    for anchor in anchors {
      matches[anchor.left] = anchor.right
      gaps.append(Gap(left: leftEnd..<anchor.left, right: rightEnd..<anchor.right))
      (leftEnd, rightEnd) = (anchor.left + 1, anchor.right + 1)
    }
    let rest = Gap(left: leftEnd..<a.upperBound, right: rightEnd..<b.upperBound)
    if anchors.isEmpty { compareWhole(rest) } else { gaps.append(rest) }
  }

  /// Matches the elements of a gap in which no element occurs once on both sides.
  private mutating func compareWhole(_ gap: Gap) {
    let steps = gap.left.count * gap.right.count
    if steps > min(effort, Self.largestGap) { return }
    effort -= steps
    let difference = right[gap.right].difference(from: left[gap.left])
    var (removed, inserted): (Set<Int>, Set<Int>) = ([], [])
    for change in difference {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): inserted.insert(offset)
      }
    }
    let rights = gap.right.enumerated().lazy.filter { !inserted.contains($0.offset) }.map(\.element)
    let lefts = gap.left.enumerated().lazy.filter { !removed.contains($0.offset) }.map(\.element)
    for (place, match) in zip(lefts, rights) { matches[place] = match }
  }

  /// Returns the places of the elements that occur once in each part, in order of the left.
  private func unique(in a: Range<Int>, _ b: Range<Int>) -> [(left: Int, right: Int)] {
    let (lefts, rights) = (Self.uniquePlaces(of: left, in: a), Self.uniquePlaces(of: right, in: b))
    return lefts.compactMap { element, place in rights[element].map { (left: place, right: $0) } }
      .sorted { $0.left < $1.left }
  }

  private static func uniquePlaces(of elements: [Int], in part: Range<Int>) -> [Int: Int] {
    var places: [Int: Int] = [:]
    var repeated: Set<Int> = []
    for place in part where places.updateValue(place, forKey: elements[place]) != nil {
      repeated.insert(elements[place])
    }
    return places.filter { !repeated.contains($0.key) }
  }

  /// Returns the longest series of pairs with rising right places.
  private static func longestRising(_ pairs: [(left: Int, right: Int)]) -> [(left: Int, right: Int)] {
    // For each length, the pair with the smallest right place at the end of a row of that length.
    var ends: [Int] = []
    var before = [Int](repeating: -1, count: pairs.count)
    for (index, pair) in pairs.enumerated() {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if pairs[ends[middle]].right < pair.right { low = middle + 1 } else { high = middle }
      }
      before[index] = low == 0 ? -1 : ends[low - 1]
      if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var row: [(left: Int, right: Int)] = []
    var index = ends.last ?? -1
    while index >= 0 {
      row.append(pairs[index])
      index = before[index]
    }
    return row.reversed()
  }
}
