/// What was measured, and where: what `--json` prints.
package struct BenchmarkReport: Sendable, Codable {
  package var machine: Machine
  /// The strategy that tables have ratios to.
  package var against: String
  package var results: [Measurement]
  /// What was to be reached, where that was measured.
  package var goals: [Goal]?

  package init(machine: Machine, against: String, results: [Measurement] = []) {
    self.machine = machine
    self.against = against
    self.results = results
  }

  /// The results by what was done, in their order.
  package var groups: [(work: Work, results: [Measurement])] {
    var groups: [(work: Work, results: [Measurement])] = []
    for result in results {
      if let place = groups.firstIndex(where: { $0.work == result.work }) {
        groups[place].results.append(result)
      } else {
        groups.append((result.work, [result]))
      }
    }
    return groups
  }

  /// The one that ratios are to among these: that of the report where it took part.
  package func reference(among results: [Measurement]) -> String {
    let names = results.filter { $0.seconds != nil }.map(\.strategy)
    return names.contains(against) ? against : names.first ?? against
  }

  /// The first thing that went wrong.
  package var problem: Measurement? { results.first { $0.problem != nil } }
}

extension Measurement {
  /// How much longer it took than another one in the same rounds; 1 of itself.
  package func ratio(to other: String) -> Spread? {
    strategy == other && seconds != nil ? Spread(median: 1, p10: 1, p90: 1) : ratios[other]
  }

  /// Whether it is this library's way.
  var isOurs: Bool {
    [
      "journal", "published", "staged", "command", "tree", "store", "documents", "one-by-one", "docpkg",
      "update",
    ]
    .contains(strategy)
  }
}
