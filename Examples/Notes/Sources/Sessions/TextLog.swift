/// The latest changes of a text, with their numbers.
struct TextLog: Sendable {
  private var entries: [TextEvent] = []
  private var units = 0
  /// The number of the last change; 0 for none.
  private(set) var last = 0
  /// The most units of text that it holds.
  private let limit = 4 << 20

  /// Adds a change, and gives it its number.
  mutating func add(
    _ splices: [TextSplice], why: TextEvent.Why, tab: String? = nil, op: String? = nil
  ) -> TextEvent {
    last += 1
    let event = TextEvent(seq: last, tab: tab, op: op, splices: splices, why: why)
    entries.append(event)
    units += Self.units(splices)
    while entries.count > 1, units > limit || entries.count > 10_000 {
      units -= Self.units(entries.removeFirst().splices)
    }
    return event
  }

  /// The changes after a number; nil if it holds them no more, or never did.
  func since(_ number: Int) -> ArraySlice<TextEvent>? {
    let first = last - entries.count
    guard number >= first, number <= last else { return nil }
    return entries[(number - first)...]
  }

  private static func units(_ splices: [TextSplice]) -> Int { splices.reduce(16) { $0 + $1.size } }
}
