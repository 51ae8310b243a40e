/// A stretch of three sequences, and its kind in the merge.
struct MergeRegion: Hashable {
  enum Kind: Hashable {
    /// Neither side changed it.
    case same
    /// One side changed it.
    case ours, theirs
    /// Both changed it in the same way.
    case both
    case conflict
  }

  var kind: Kind
  var base: Range<Int>
  var ours: Range<Int>
  var theirs: Range<Int>

  /// Returns regions that cover the three sequences in order. A region joins changes of the two sides that overlap or
  /// touch.
  static func regions(base: [Int], ours: [Int], theirs: [Int], effort: Int) -> [MergeRegion] {
    let sides = [ours, theirs].map { LineDifference.changes(from: base, to: $0, effort: effort) }
    var next = [0, 0]
    // The number of elements done in each sequence.
    var (done, sideDone) = (0, [0, 0])
    var regions: [MergeRegion] = []

    func append(_ kind: Kind, upTo end: Int, _ sideEnds: [Int]) {
      if (done, sideDone[0], sideDone[1]) == (end, sideEnds[0], sideEnds[1]) { return }
      regions.append(
        MergeRegion(
          kind: kind, base: done..<end, ours: sideDone[0]..<sideEnds[0], theirs: sideDone[1]..<sideEnds[1]))
      (done, sideDone) = (end, sideEnds)
    }

    while true {
      let starts = (0...1).compactMap { side in
        next[side] < sides[side].count ? sides[side][next[side]].left.lowerBound : nil
      }
      guard let start = starts.min() else { break }
      append(.same, upTo: start, sideDone.map { $0 + start - done })
      var end = start
      var sideEnds = sideDone
      var isChanged = [false, false]
      var grows = true
      while grows {
        grows = false
        for side in 0...1 {
          while next[side] < sides[side].count, sides[side][next[side]].left.lowerBound <= end {
            let change = sides[side][next[side]]
            next[side] += 1
            end = max(end, change.left.upperBound)
            // The end of this side's part if the region ends with the change.
            sideEnds[side] = change.right.upperBound - change.left.upperBound
            isChanged[side] = true
            grows = true
          }
        }
      }
      for side in 0...1 {
        sideEnds[side] = isChanged[side] ? sideEnds[side] + end : sideDone[side] + end - start
      }
      let kind: Kind
      if !isChanged[1] {
        kind = .ours
      } else if !isChanged[0] {
        kind = .theirs
      } else {
        let isSame = ours[sideDone[0]..<sideEnds[0]].elementsEqual(theirs[sideDone[1]..<sideEnds[1]])
        kind = isSame ? .both : .conflict
      }
      append(kind, upTo: end, sideEnds)
    }
    append(.same, upTo: base.count, [ours.count, theirs.count])
    return regions
  }
}
