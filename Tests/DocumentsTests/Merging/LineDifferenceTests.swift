import Documents
import TestSupport
import Testing

@Suite("A difference of two sequences")
struct LineDifferenceTests {
  private static func random(_ generator: inout SeededGenerator, letters: Int) -> [Int] {
    (0..<Int.random(in: 0...14, using: &generator)).map { _ in .random(in: 0..<letters, using: &generator) }
  }

  private static func changed(_ left: [Int], _ right: [Int], _ changes: [LineDifference.Change]) -> [Int] {
    changes.reversed().reduce(into: left) { $0.replaceSubrange($1.left, with: right[$1.right]) }
  }

  @Test(arguments: [2, 3, 5, 20])
  func `makes the one into the other`(letters: Int) {
    var generator = SeededGenerator(seed: UInt64(letters))
    for _ in 0..<500 {
      let (left, right) = (
        Self.random(&generator, letters: letters), Self.random(&generator, letters: letters)
      )
      let changes = LineDifference.changes(from: left, to: right, effort: .max)
      #expect(Self.changed(left, right, changes) == right)
      // No two changes touch each other, and none is empty.
      for (change, next) in zip(changes, changes.dropFirst()) {
        #expect(
          change.left.upperBound < next.left.lowerBound && change.right.upperBound < next.right.lowerBound)
      }
      #expect(changes.allSatisfy { !$0.left.isEmpty || !$0.right.isEmpty })
    }
  }

  /// The standard library finds the fewest.
  @Test func `has the fewest changes if no element repeats`() {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<500 {
      let (left, right) = (
        Array((0..<20).shuffled(using: &generator).prefix(14)),
        Array((0..<20).shuffled(using: &generator).prefix(14))
      )
      let changes = LineDifference.changes(from: left, to: right, effort: .max)
      #expect(Self.changed(left, right, changes) == right)
      let size = changes.reduce(0) { $0 + $1.left.count + $1.right.count }
      #expect(size == right.difference(from: left).count, "\(left) \(right)")
    }
  }

  @Test func `finds single changes among equal elements`() {
    var right = [Int](repeating: 0, count: 900)
    for place in [100, 400, 800] { right.insert(1, at: place) }
    let changes = LineDifference.changes(from: [Int](repeating: 0, count: 900), to: right)
    #expect(changes.map(\.right.count) == [1, 1, 1])
  }

  @Test(arguments: [0, 10, 60])
  func `is a true one, too, when the effort is spent`(effort: Int) {
    var generator = SeededGenerator(seed: 7)
    for letters in [2, 5, 30] {
      for _ in 0..<200 {
        let (left, right) = (
          Self.random(&generator, letters: letters), Self.random(&generator, letters: letters)
        )
        let changes = LineDifference.changes(from: left, to: right, effort: effort)
        #expect(Self.changed(left, right, changes) == right)
      }
    }
  }

  @Test func `finds what occurs once, when the effort is spent`() {
    // A block of unique elements that moved among noise.
    let noise = { (seed: UInt64) -> [Int] in
      var generator = SeededGenerator(seed: seed)
      return (0..<300).map { _ in .random(in: 0..<10, using: &generator) }
    }
    let unique = Array(1_000..<1_200)
    let (left, right) = (noise(1) + unique + noise(2), noise(3) + unique + noise(4))
    let changes = LineDifference.changes(from: left, to: right, effort: 0)
    #expect(Self.changed(left, right, changes) == right)
    #expect(changes.allSatisfy { $0.left.upperBound <= 300 || $0.left.lowerBound >= 500 })
  }
}
