/// The latest changes of a text, with their numbers.
struct TextLog: Sendable {
  private var entries: [[TextSplice]] = []
  private var units = 0
  /// The number of the last change; 0 for none.
  private(set) var last = 0
  /// The most units of text that it holds.
  private let limit = 4 << 20

  /// Adds a change.
  mutating func add(_ splices: [TextSplice]) {
    last += 1
    entries.append(splices)
    units += Self.units(splices)
    while entries.count > 1, units > limit || entries.count > 10_000 {
      units -= Self.units(entries.removeFirst())
    }
  }

  /// The changes after a number; nil if it holds them no more, or never did.
  func since(_ number: Int) -> ArraySlice<[TextSplice]>? {
    let first = last - entries.count
    guard number >= first, number <= last else { return nil }
    return entries[(number - first)...]
  }

  private static func units(_ splices: [TextSplice]) -> Int { splices.reduce(16) { $0 + $1.size } }
}
