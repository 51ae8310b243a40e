/// The differences to an earlier report.
///
/// The comparison uses ratios to the reference of both reports if there are any, because the speed of the whole
/// machine does not change them. Otherwise it uses times. A difference counts if it exceeds a tenth, and if the
/// ranges of four fifths of the values do not overlap. Counts of operations are compared exactly.
package struct Comparison: Sendable, Encodable {
  package enum Verdict: String, Sendable, Encodable {
    case slower, faster, same
  }

  package struct Line: Sendable, Encodable {
    package var work: Work
    package var strategy: String
    /// Whether the line compares ratios; otherwise it compares times.
    package var isRatio: Bool
    package var before: Spread
    package var now: Spread
    package var verdict: Verdict
    /// Operations with changed counts: before, now.
    package var operations: [String: [Int]]
  }

  package private(set) var lines: [Line] = []
  /// The names of facts in which the machines differ.
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
  /// Returns the comparison for a terminal.
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
