/// What became slower or faster since an earlier report.
///
/// Ratios to the strategy that both have as their reference are compared where there are any, since they do not change when
/// the whole machine becomes slower; times otherwise. A difference counts when it is more than a tenth, and when the ranges
/// in which four fifths of the values lie do not overlap. Counts of operations are compared as they are.
package struct Comparison: Sendable, Encodable {
  package enum Verdict: String, Sendable, Encodable {
    case slower, faster, same
  }

  package struct Line: Sendable, Encodable {
    package var work: Work
    package var strategy: String
    /// Whether ratios are compared; otherwise times.
    package var isRatio: Bool
    package var before: Spread
    package var now: Spread
    package var verdict: Verdict
    /// Operations whose counts changed: before, now.
    package var operations: [String: [Int]]
  }

  package private(set) var lines: [Line] = []
  /// What is different of the machines: names of facts.
  package private(set) var machines: [String] = []

  package init(_ report: BenchmarkReport, before: BenchmarkReport) {
    let (new, old) = (report.machine, before.machine)
    if new.processor != old.processor || new.processors != old.processors { machines.append("processors") }
    if new.kernel != old.kernel { machines.append("kernel") }
    if new.fileSystem != old.fileSystem || new.mountOptions != old.mountOptions {
      machines.append("file system")
    }
    for result in report.results {
      guard
        let earlier = before.results.first(where: {
          $0.work == result.work && $0.strategy == result.strategy
        })
      else { continue }
      let reference = report.against == before.against && result.strategy != report.against
      let ratios = reference ? (earlier.ratios[report.against], result.ratios[report.against]) : (nil, nil)
      if let then = ratios.0, let now = ratios.1 {
        lines.append(Line(result, earlier, isRatio: true, then, now))
      } else if let then = earlier.seconds, let now = result.seconds {
        lines.append(Line(result, earlier, isRatio: false, then, now))
      }
    }
  }

  package var isSlower: Bool { lines.contains { $0.verdict == .slower } }
}

extension Comparison.Line {
  fileprivate init(
    _ result: Measurement, _ earlier: Measurement, isRatio: Bool, _ before: Spread, _ now: Spread
  ) {
    work = result.work
    strategy = result.strategy
    self.isRatio = isRatio
    self.before = before
    self.now = now
    if now.p10 > before.p90, now.median > before.median * 1.1 {
      verdict = .slower
    } else if now.p90 < before.p10, now.median * 1.1 < before.median {
      verdict = .faster
    } else {
      verdict = .same
    }
    operations = [:]
    let (then, made) = (earlier.operations ?? [:], result.operations ?? [:])
    for name in Set(then.keys).union(made.keys) where then[name] != made[name] {
      operations[name] = [then[name] ?? 0, made[name] ?? 0]
    }
  }
}

extension Comparison {
  /// The comparison for a terminal.
  package func text(against: String) -> String {
    var text = machines.isEmpty ? "" : "\nNot the same machine: other \(machines.joined(separator: ", ")).\n"
    var last: Work?
    for line in lines {
      if line.work != last { text += "\n\(line.work.title), beside the earlier report\n" }
      last = line.work
      let unit = line.isRatio ? " / \(against)" : ""
      let figures: (Double) -> String = { line.isRatio ? Figures.number($0) : Figures.time($0) }
      text += "\(line.strategy): \(figures(line.before.median)) → \(figures(line.now.median))\(unit)"
      text += ", \(line.verdict == .same ? "no difference beyond the spread" : line.verdict.rawValue)\n"
      for (name, counts) in line.operations.sorted(by: { $0.key < $1.key }) {
        text += "  \(name): \(counts[0]) → \(counts[1])\n"
      }
    }
    return lines.isEmpty ? text + "\nNothing of the earlier report was measured again.\n" : text
  }
}
