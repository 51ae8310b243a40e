/// A figure that this library should reach.
package struct Goal: Sendable, Codable {
  package enum Bound: String, Sendable, Codable {
    case atMost = "≤"
    case atLeast = "≥"
    case exactly = "="
  }

  /// The row of the table of goals.
  package var row: Int
  package var title: String
  package var bound: Bound
  package var goal: Double
  /// The measured figure; nil if the measurement was impossible, for `reason`.
  package var measured: Spread?
  package var reason: String?

  package init(row: Int, title: String, bound: Bound, goal: Double) {
    self.row = row
    self.title = title
    self.bound = bound
    self.goal = goal
  }

  /// Whether the median reaches the goal.
  package var isReached: Bool {
    guard let median = measured?.median else { return false }
    return switch bound {
    case .atMost: median <= goal
    case .atLeast: median >= goal
    case .exactly: median == goal
    }
  }
}

extension Goal {
  /// Returns the table for a terminal.
  package static func table(of goals: [Goal]) -> String {
    let width = goals.map(\.title.count).max() ?? 0
    return goals.map { goal in
      let space = String(repeating: " ", count: width - goal.title.count)
      let row = goal.row < 10 ? " \(goal.row)" : "\(goal.row)"
      let bound = padded("\(goal.bound.rawValue) \(Figures.number(goal.goal))", 8)
      guard let measured = goal.measured else {
        return "\(row)  \(goal.title)\(space)  \(bound)  not measured: \(goal.reason ?? "")\n"
      }
      let value = padded(Figures.number(measured.median), 7)
      let range = "\(Figures.number(measured.p10))–\(Figures.number(measured.p90))"
      return "\(row)  \(goal.title)\(space)  \(bound)  \(value)  \(padded(range, 13))  "
        + (goal.isReached ? "reached\n" : "missed\n")
    }.joined()
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
