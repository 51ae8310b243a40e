// `difference(from:)` of the standard library has the same algorithm and no limit: two texts without a common line take
// it the product of their lengths. With a limit it could take the place of this file.

/// The common parts of two sequences, by Myers ("An O(ND) Difference Algorithm and Its Variations", 1986, in linear
/// space): the fewest insertions and removals.
///
/// **Cost.** O((n + m) d) steps for n and m elements and d differences, O(n + m) memory. After `effort` steps it
/// matches the rest in O(n log n) by patience differencing. This matches the elements that occur once in both
/// sequences, in their longest common order. The elements between them count as replaced. The result is still a true
/// difference, perhaps not the smallest.
public struct LineDifference {
  /// Equal elements at two places.
  private struct Match: Hashable {
    var left: Int
    var right: Int
    var count: Int
  }

  /// Elements of the left that the right replaces; never both empty.
  public struct Change: Hashable, Sendable {
    /// The range in the left sequence.
    public var left: Range<Int>
    /// The range in the right sequence.
    public var right: Range<Int>
  }

  private let left: [Int]
  private let right: [Int]
  private var effort: Int
  private var matches: [Match] = []
  // The furthest reaching paths from the two ends, by diagonal.
  private var forward: [Int]
  private var backward: [Int]

  private init(_ left: [Int], _ right: [Int], effort: Int) {
    (self.left, self.right, self.effort) = (left, right, effort)
    let size = left.count + right.count + 3
    forward = [Int](repeating: 0, count: size)
    backward = forward
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
    difference.compare(0..<left.count, 0..<right.count)
    var changes: [Change] = []
    var (end, otherEnd) = (0, 0)
    for match in difference.matches + [Match(left: left.count, right: right.count, count: 0)] {
      if match.left > end || match.right > otherEnd {
        changes.append(Change(left: end..<match.left, right: otherEnd..<match.right))
      }
      (end, otherEnd) = (match.left + match.count, match.right + match.count)
    }
    return changes
  }

  private mutating func note(_ match: Match) {
    if match.count == 0 { return }
    if let last = matches.last, last.left + last.count == match.left, last.right + last.count == match.right {
      matches[matches.count - 1].count += match.count
    } else {
      matches.append(match)
    }
  }

  /// Finds the matches of a part of both. Each call halves the remaining differences, so the depth is small.
  private mutating func compare(_ a: Range<Int>, _ b: Range<Int>) {
    var (a, b) = (a, b)
    var prefix = 0
    while prefix < a.count, prefix < b.count, left[a.lowerBound + prefix] == right[b.lowerBound + prefix] {
      prefix += 1
    }
    note(Match(left: a.lowerBound, right: b.lowerBound, count: prefix))
    (a, b) = (a.dropFirst(prefix), b.dropFirst(prefix))
    var suffix = 0
    while suffix < a.count, suffix < b.count,
      left[a.upperBound - 1 - suffix] == right[b.upperBound - 1 - suffix]
    {
      suffix += 1
    }
    let end = Match(left: a.upperBound - suffix, right: b.upperBound - suffix, count: suffix)
    (a, b) = (a.dropLast(suffix), b.dropLast(suffix))
    if !a.isEmpty && !b.isEmpty {
      if let split = middle(a, b) {
        compare(a.lowerBound..<split.left, b.lowerBound..<split.right)
        compare(split.left..<a.upperBound, split.right..<b.upperBound)
      } else {
        matchUnique(a, b)
      }
    }
    note(end)
  }

  /// Returns a place in the middle of a shortest path through both parts; nil if the path takes more than `effort`
  /// steps. The parts begin and end differently.
  ///
  /// It advances from both corners at once, one change at a time, and records the furthest place on each diagonal. A
  /// diagonal is the number of passed elements of `a` less that of `b`.
  private mutating func middle(_ a: Range<Int>, _ b: Range<Int>) -> (left: Int, right: Int)? {
    let (n, m) = (a.count, b.count)
    let zero = m + 1
    let meetsForward = (n - m) & 1 != 0
    var (low, high) = (0, 0)
    var (backLow, backHigh) = (n - m, n - m)
    forward[zero] = 0
    backward[zero + n - m] = n
    while effort > 0 {
      // The next diagonals: one more at each end, which no path has reached yet, or one less at the edge.
      if low > -m {
        low -= 1
        forward[zero + low - 1] = -1
      } else {
        low += 1
      }
      if high < n {
        high += 1
        forward[zero + high + 1] = -1
      } else {
        high -= 1
      }
      for diagonal in stride(from: high, through: low, by: -2) {
        let k = zero + diagonal
        var x = max(forward[k - 1] + 1, forward[k + 1])
        let start = x
        while x < n, x - diagonal < m, left[a.lowerBound + x] == right[b.lowerBound + x - diagonal] { x += 1 }
        forward[k] = x
        effort -= x - start + 1
        if meetsForward, backLow...backHigh ~= diagonal, backward[k] <= x {
          return (a.lowerBound + x, b.lowerBound + x - diagonal)
        }
      }
      if backLow > -m {
        backLow -= 1
        backward[zero + backLow - 1] = Int.max
      } else {
        backLow += 1
      }
      if backHigh < n {
        backHigh += 1
        backward[zero + backHigh + 1] = Int.max
      } else {
        backHigh -= 1
      }
      for diagonal in stride(from: backHigh, through: backLow, by: -2) {
        let k = zero + diagonal
        var x = min(backward[k - 1], backward[k + 1] - 1)
        let start = x
        while x > 0, x - diagonal > 0,
          left[a.lowerBound + x - 1] == right[b.lowerBound + x - diagonal - 1]
        {
          x -= 1
        }
        backward[k] = x
        effort -= start - x + 1
        if !meetsForward, low...high ~= diagonal, x <= forward[k] {
          return (a.lowerBound + x, b.lowerBound + x - diagonal)
        }
      }
    }
    return nil
  }

  /// Matches the elements that occur once in each part.
  private mutating func matchUnique(_ a: Range<Int>, _ b: Range<Int>) {
    let (leftPlaces, rightPlaces) = (Self.uniquePlaces(of: left, in: a), Self.uniquePlaces(of: right, in: b))
    let unique = leftPlaces.compactMap { element, place in
      rightPlaces[element].map { (left: place, right: $0) }
    }.sorted { $0.left < $1.left }
    var (leftEnd, rightEnd) = (a.lowerBound, b.lowerBound)
    for pair in Self.longestRising(unique) {
      // The elements before and behind it may be equal, too.
      if pair.left < leftEnd || pair.right < rightEnd { continue }
      var back = 0
      while pair.left - back > leftEnd, pair.right - back > rightEnd,
        left[pair.left - back - 1] == right[pair.right - back - 1]
      {
        back += 1
      }
      var count = 1
      while pair.left + count < a.upperBound, pair.right + count < b.upperBound,
        left[pair.left + count] == right[pair.right + count]
      {
        count += 1
      }
      note(Match(left: pair.left - back, right: pair.right - back, count: count + back))
      (leftEnd, rightEnd) = (pair.left + count, pair.right + count)
    }
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
