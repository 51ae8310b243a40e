/// The results of a benchmark and the machine, which `--json` prints.
package struct BenchmarkReport: Sendable, Encodable {
  package var machine: Machine
  /// The strategy that ratios in tables compare to.
  package var against: String
  package var results: [Measurement]

  package init(machine: Machine, against: String, results: [Measurement] = []) {
    self.machine = machine
    self.against = against
    self.results = results
  }

  /// The results of packages of one kind, in the order of the measurements.
  package var groups: [[Measurement]] {
    results.reduce(into: []) { groups, result in
      if let last = groups.last?.last, last.title == result.title {
        groups[groups.count - 1].append(result)
      } else {
        groups.append([result])
      }
    }
  }

  /// The heads of the columns after the first one.
  package var columns: [String] {
    [
      "median", "p10–p90", "/ \(against)", "p10–p90", "flushes", "operations", "written", "CPU", "memory",
      "rounds",
    ]
  }

  /// Returns the cells after the first one; nil for a strategy that failed.
  package func cells(of result: Measurement) -> [String]? {
    guard result.problem == nil, let seconds = result.seconds else { return nil }
    let ratio = result.ratio(to: against)
    return [
      Figures.time(seconds.median), "\(Figures.time(seconds.p10))–\(Figures.time(seconds.p90))",
      ratio.map { Figures.number($0.median) } ?? "-",
      ratio.map { "\(Figures.number($0.p10))–\(Figures.number($0.p90))" } ?? "-",
      result.synchronizations.map { "\($0)" } ?? "-",
      result.operations.map { "\($0.values.reduce(0, +))" } ?? "-",
      Figures.bytes(result.bytesWritten), Figures.time(result.cpuSeconds), Figures.bytes(result.peakBytes),
      "\(result.rounds)",
    ]
  }

  /// The first failure.
  package var problem: Measurement? { results.first { $0.problem != nil } }
}

extension Measurement {
  /// The packages and the change, in one line.
  package var title: String {
    let children = "\(Figures.grouped(children)) \(children == 1 ? "child" : "children")"
    return "\(children) of \(Figures.bytes(UInt64(size))), \(Figures.grouped(changed)) changed"
  }

  /// Whether the strategy is this library's.
  var isOurs: Bool { ["journal", "published"].contains(strategy) }
}
