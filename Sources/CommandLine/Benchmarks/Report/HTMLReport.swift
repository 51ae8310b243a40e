/// A report as one page that needs no other file, light or dark by the reader's setting: a chart of the saves over
/// the number of children, and a table for each package.
package struct HTMLReport {
  private let report: BenchmarkReport

  package init(_ report: BenchmarkReport) { self.report = report }

  package var page: String {
    let machine = report.machine
    let facts = [
      "docpkg \(machine.version)", machine.kernel,
      "\(machine.processors) processors\(machine.processor.map { ", \($0)" } ?? "")",
      "\(machine.fileSystem) (\(machine.mountOptions))",
      machine.load.map { "load \(Figures.number($0))" } ?? "",
    ]
    return """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
      <title>What a save costs</title><style>
      :root{color-scheme:light dark;--ink:#1b1f24;--soft:#57606a;--line:#d6dbe1;--ours:#eef5fc;--ground:#fff}
      @media(prefers-color-scheme:dark){:root{--ink:#e8ecf0;--soft:#9aa5b1;--line:#333b45;--ours:#1c2836;--ground:#14181d}}
      body{margin:0 auto;max-width:900px;padding:16px;background:var(--ground);color:var(--ink);font:15px/1.45 system-ui,sans-serif}
      h1{font-size:26px}h2{font-size:17px;margin:32px 0 8px}p{color:var(--soft)}
      .scroll{overflow-x:auto}svg{display:block;min-width:560px;width:100%;height:auto}
      table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums;width:100%}
      th,td{padding:4px 8px;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
      th:first-child,.problem{text-align:left;white-space:normal}th{font-weight:400}thead th{color:var(--soft)}
      .ours{background:var(--ours)}.ours th{font-weight:700}
      </style></head><body>
      <h1>What a save costs</h1>
      <p>\(Self.escaped(facts.filter { !$0.isEmpty }.joined(separator: " · ")))</p>
      \(charts)
      \(report.groups.map(table).joined(separator: "\n"))
      <p>Every round ran all strategies, and ratios compare times of the same round. A range reaches from the tenth to \
      the ninetieth percentile of the rounds. After the last round every byte on disk was compared with the expected \
      one.</p>
      </body></html>

      """
  }

  /// A chart for each size of a change, in the order of the measurements.
  private var charts: String {
    var families: [[Measurement]] = []
    for result in report.results where result.seconds != nil {
      if let place = families.firstIndex(where: {
        ($0[0].changed, $0[0].size) == (result.changed, result.size)
      }) {
        families[place].append(result)
      } else {
        families.append([result])
      }
    }
    return families.map { "<div class=\"scroll\">\n\(GrowthChart($0).svg)</div>" }.joined(separator: "\n")
  }

  private func table(of results: [Measurement]) -> String {
    let rows = results.map { result in
      let cells = report.cells(of: result).map { $0.map { "<td>\($0)</td>" }.joined() }
      let problem =
        "<td class=\"problem\" colspan=\"\(report.columns.count)\">wrong: \(Self.escaped(result.problem ?? "not measured"))</td>"
      return
        "<tr\(result.isOurs ? " class=\"ours\"" : "")><th scope=\"row\">\(Self.escaped(result.strategy))</th>"
        + "\(cells ?? problem)</tr>"
    }
    return """
      <h2>\(results.first?.title ?? "")</h2>
      <div class="scroll"><table><thead><tr>\((["strategy"] + report.columns).map { "<th scope=\"col\">\($0)</th>" }.joined())\
      </tr></thead>
      <tbody>\(rows.joined(separator: "\n"))</tbody></table></div>
      """
  }

  static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }
}
