import FilePackages

/// A report for a terminal.
package struct TextReport {
  private let report: BenchmarkReport

  package init(_ report: BenchmarkReport) { self.report = report }

  /// The machine, in two lines.
  package var heading: String {
    let machine = report.machine
    let processor = machine.processor.map { ", \($0)" } ?? ""
    let load = machine.load.map { ", load \($0)" } ?? ""
    return """
      docpkg \(machine.version), \(machine.kernel), \(machine.processors) CPUs\(processor)\(load)
      \(machine.fileSystem) (\(displayString(machine.mountOptions)))

      """
  }

  /// Returns the table of packages of one kind.
  package func table(of results: [Measurement]) -> String {
    let rows =
      [["strategy"] + report.columns]
      + results.map {
        [$0.strategy] + (report.cells(of: $0) ?? ["WRONG: \(displayString($0.problem ?? "not measured"))"])
      }
    // The text of a failure is a row of its own width.
    let whole = rows.filter { $0.count == rows[0].count }
    let widths = rows[0].indices.map { column in
      (column == 0 ? rows : whole).map { $0[column].count }.max() ?? 0
    }
    let lines = rows.map { row in
      let name = row[0] + String(repeating: " ", count: widths[0] - row[0].count)
      return name
        + zip(row, widths).dropFirst().map { cell, width in
          "  " + String(repeating: " ", count: row.count == rows[0].count ? width - cell.count : 0) + cell
        }.joined()
    }
    return (["", results.first?.title ?? ""] + lines).map { $0 + "\n" }.joined()
  }
}
