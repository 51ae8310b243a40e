/// A report as one self-contained page, light or dark by the reader's setting.
package struct HTMLReport {
  private let report: BenchmarkReport
  /// The mark of each strategy, the same everywhere.
  private let marks: [String: Mark]

  package init(_ report: BenchmarkReport) {
    self.report = report
    var marks: [String: Mark] = [:]
    for result in report.results where marks[result.strategy] == nil {
      marks[result.strategy] = Mark(marks.count)
    }
    self.marks = marks
  }

  package var page: String {
    """
    <!doctype html>
    <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
    <title>docpkg bench</title><style>\(HTMLStyle.text)</style></head><body><main>
    <h1>The cost of a document</h1>
    \(machine)
    \(goals)
    \(growthCharts)
    \(report.groups.map(section).joined(separator: "\n"))
    <footer>After its last round, the result of every strategy was compared with the expected one, byte by byte. Every round \
    ran all strategies. Ratios compare times of the same round, so that they are valid also on a busy machine. Bars and \
    bracketed figures reach from the 10th to the 90th percentile of the rounds.</footer>
    </main></body></html>

    """
  }

  private var machine: String {
    let machine = report.machine
    var facts = [
      ("docpkg", machine.version), ("system", machine.kernel),
      ("processors", "\(machine.processors)" + (machine.processor.map { " × \($0)" } ?? "")),
      ("file system", "\(machine.fileSystem) on \(machine.device)"), ("mounted", machine.mountOptions),
    ]
    if let load = machine.load { facts.append(("load before", Figures.number(load))) }
    return "<dl>"
      + facts.map { "<div><dt>\($0.0)</dt><dd>\(Self.escaped($0.1))</dd></div>" }.joined() + "</dl>"
  }

  private var goals: String {
    guard let goals = report.goals else { return "" }
    let rows = goals.map { goal in
      let figures = goal.measured.map {
        "<td>\(Self.ratio($0))</td><td>\(goal.isReached ? "reached" : "missed")</td>"
      }
      return "<tr><th scope=\"row\">\(goal.row)</th><td class=\"note\">\(Self.escaped(goal.title))</td>"
        + "<td>\(goal.bound.rawValue) \(Figures.number(goal.goal))</td>"
        + (figures ?? "<td colspan=\"2\" class=\"note\">\(Self.escaped(goal.reason ?? ""))</td>") + "</tr>"
    }
    return """
      <section><h2>Goals</h2><div class="scroll"><table><thead><tr><th>row</th><th>ratio</th><th>goal</th>\
      <th>measured</th><th></th></tr></thead><tbody>\(rows.joined(separator: "\n"))</tbody></table></div></section>
      """
  }

  // MARK: Growth

  /// A chart for each work with several numbers of children.
  private var growthCharts: String {
    var families: [(work: Work, results: [Measurement])] = []
    for result in report.results where result.seconds != nil {
      var family = result.work
      family.children = nil
      if let place = families.firstIndex(where: { $0.work == family }) {
        families[place].results.append(result)
      } else {
        families.append((family, [result]))
      }
    }
    return families.compactMap { family in
      guard Set(family.results.map(\.work.children)).count > 1 else { return nil }
      var names: [String] = []
      for result in family.results where !names.contains(result.strategy) { names.append(result.strategy) }
      let lines = names.map { name in
        let own = family.results.filter { $0.strategy == name }
        return GrowthChart.Line(
          name: name, isOurs: own[0].isOurs, mark: marks[name] ?? Mark(0),
          points: own.compactMap { result in
            result.seconds.map { (Double(result.work.children ?? 0), $0) }
          }.sorted { $0.children < $1.children })
      }
      let chart = GrowthChart(lines: lines)
      return """
        <section><h2>\(Self.escaped(growthTitle(family.work)))</h2>
        <div class="wide">\(chart.svg(width: 760, height: 440))</div>
        <div class="narrow">\(chart.svg(width: 348, height: 420))</div></section>
        """
    }.joined(separator: "\n")
  }

  private func growthTitle(_ work: Work) -> String {
    switch work.benchmark {
    case "save":
      "How a save of \(Figures.grouped(work.changed ?? 0)) changed \(work.changed == 1 ? "child" : "children") grows"
        + (work.flushDelay > 0 ? ", each flush \(Figures.time(work.flushDelay)) longer" : "")
        + (work.flushes ? "" : ", nothing flushed")
    case "open": "How opening and listing grows" + (work.cold ? ", cold" : "")
    case "documents": "How saving many open documents grows"
    default: "How it grows"
    }
  }

  // MARK: Each work

  private func section(_ work: Work, _ results: [Measurement]) -> String {
    let isCounted = results.contains { $0.operations != nil }
    let against = report.reference(among: results)
    let head =
      ["strategy", "median", "/ \(against)"] + (isCounted ? ["flushes", "operations"] : [])
      + ["written", "CPU", "memory", "rounds"]
    let rows = results.map { result -> String in
      let name = "<th scope=\"row\">\(Self.escaped(result.strategy))</th>"
      if let reason = result.problem ?? result.unavailable {
        let word = result.problem == nil ? "not here" : "<strong>wrong</strong>"
        return
          "<tr>\(name)<td colspan=\"\(head.count - 1)\" class=\"note\">\(word): \(Self.escaped(reason))</td></tr>"
      }
      var cells = [
        result.seconds.map(Self.time) ?? "-", result.ratio(to: against).map(Self.ratio) ?? "-",
      ]
      if isCounted {
        cells.append(result.flushes.map { "\($0)" } ?? "-")
        cells.append(result.operations.map { "\($0.values.reduce(0, +))" } ?? "-")
      }
      cells += [
        Figures.bytes(result.bytesWritten), Figures.time(result.cpuSeconds), Figures.bytes(result.peakBytes),
        "\(result.rounds)",
      ]
      return "<tr\(result.isOurs ? " class=\"ours\"" : "")>\(name)"
        + cells.map { "<td>\($0)</td>" }.joined() + "</tr>"
    }
    return """
      <section><h2>\(Self.escaped(work.title.capitalizedFirst))</h2>
      \(RangeChart(results: results, marks: marks).html)
      <div class="scroll"><table><thead><tr>\(head.map { "<th scope=\"col\">\($0)</th>" }.joined())</tr></thead>
      <tbody>\(rows.joined(separator: "\n"))</tbody></table></div></section>
      """
  }

  private static func time(_ spread: Spread) -> String {
    "\(Figures.time(spread.median)) <small>[\(Figures.time(spread.p10)) – \(Figures.time(spread.p90))]</small>"
  }

  private static func ratio(_ spread: Spread) -> String {
    "\(Figures.number(spread.median)) <small>[\(Figures.number(spread.p10))–\(Figures.number(spread.p90))]</small>"
  }

  static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
