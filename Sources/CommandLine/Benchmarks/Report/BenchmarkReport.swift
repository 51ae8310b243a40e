/// The results of a benchmark and the machine, which `--json` prints.
package struct BenchmarkReport: Sendable, Codable {
  package var machine: Machine
  /// The strategy that ratios in tables compare to.
  package var against: String
  package var results: [Measurement]
  /// The goals, if the benchmark measures them.
  package var goals: [Goal]?

  package init(machine: Machine, against: String, results: [Measurement] = []) {
    self.machine = machine
    self.against = against
    self.results = results
  }

  /// The results by work, in their order.
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

  /// Returns the strategy that ratios among these results compare to: the report's own if it took part.
  package func reference(among results: [Measurement]) -> String {
    let names = results.filter { $0.seconds != nil }.map(\.strategy)
    return names.contains(against) ? against : names.first ?? against
  }

  /// The first failure.
  package var problem: Measurement? { results.first { $0.problem != nil } }
}

extension Measurement {
  /// Returns the ratio to another strategy in the same rounds; 1 for the strategy itself.
  package func ratio(to other: String) -> Spread? {
    strategy == other && seconds != nil ? Spread(median: 1, p10: 1, p90: 1) : ratios[other]
  }

  /// Whether the strategy is one of this library.
  var isOurs: Bool {
    [
      "journal", "published", "rebuilt", "staged", "command", "tree", "store", "documents", "one-by-one",
      "docpkg",
      "update",
    ]
    .contains(strategy)
  }
}
