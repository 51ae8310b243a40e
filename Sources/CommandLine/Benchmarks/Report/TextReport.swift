/// A report for a terminal.
package struct TextReport {
  private let report: BenchmarkReport
  /// Returns a text from outside in a form that a terminal can show.
  private let display: (String) -> String

  package init(_ report: BenchmarkReport, display: @escaping (String) -> String) {
    self.report = report
    self.display = display
  }

  /// The machine, in two lines.
  package var heading: String {
    let machine = report.machine
    let processor = machine.processor.map { ", \($0)" } ?? ""
    let load = machine.load.map { ", load \($0)" } ?? ""
    return """
      docpkg \(machine.version), \(machine.kernel), \(machine.processors) CPUs\(processor)\(load)
      \(machine.fileSystem) on \(display(machine.device)) (\(display(machine.mountOptions)))

      """
  }

  /// Returns the table of one work.
  package func table(of results: [Measurement]) -> String {
    guard let first = results.first else { return "" }
    let against = report.reference(among: results)
    let isCounted = results.contains { $0.operations != nil }
    let isRemote = results.contains { $0.figures[Self.traffic[0]] != nil }
    let counts =
      isRemote
      ? ["requests", "sent", "received"]
      : (isCounted ? ["flushes"] : []) + ["written"] + (isCounted ? ["operations"] : [])
    var rows = [
      ["strategy", "median", "p10", "p90", "/ \(against)", "p10–p90"] + counts + ["CPU", "memory", "rounds"]
    ]
    var notes: [Int: String] = [:]
    for result in results {
      if let reason = result.unavailable ?? result.problem {
        notes[rows.count] = "\(result.problem == nil ? "not here" : "WRONG"): \(display(reason))"
        rows.append([result.strategy])
        continue
      }
      let ratio = result.ratio(to: against)
      var row = [
        result.strategy, Figures.time(result.seconds?.median), Figures.time(result.seconds?.p10),
        Figures.time(result.seconds?.p90), ratio.map { Figures.number($0.median) } ?? "-",
        ratio.map { "\(Figures.number($0.p10))–\(Figures.number($0.p90))" } ?? "-",
      ]
      if isRemote {
        row += Self.traffic.map { name in result.figures[name].map { Figures.grouped(Int($0)) } ?? "-" }
      } else {
        if isCounted { row.append(result.flushes.map { "\($0)" } ?? "-") }
        row.append(Figures.bytes(result.bytesWritten))
        if isCounted { row.append(result.operations.map { "\($0.values.reduce(0, +))" } ?? "-") }
      }
      row += [Figures.time(result.cpuSeconds), Figures.bytes(result.peakBytes), "\(result.rounds)"]
      rows.append(row)
    }
    let widths = rows[0].indices.map { column in
      rows.map { $0.indices.contains(column) ? $0[column].count : 0 }.max() ?? 0
    }
    let lines = rows.enumerated().map { number, row in
      let name = row[0] + String(repeating: " ", count: widths[0] - row[0].count)
      if let note = notes[number] { return "\(name)  \(note)" }
      return name
        + zip(row, widths).dropFirst().map { cell, width in
          "  " + String(repeating: " ", count: width - cell.count) + cell
        }.joined()
    }
    return (["", first.work.title] + lines + figures(of: results)).map { $0 + "\n" }.joined()
  }

  /// The figures that have columns of their own.
  private static let traffic = ["requests", "bytesSent", "bytesReceived"]

  /// Returns the further figures.
  private func figures(of results: [Measurement]) -> [String] {
    results.flatMap { result in
      result.figures.filter { !Self.traffic.contains($0.key) }.sorted { $0.key < $1.key }.map { name, value in
        "  \(result.strategy): \(Self.phrase(name, value))"
      }
    }
  }

  private static func phrase(_ name: String, _ value: Double) -> String {
    switch name {
    case "bytesPerChild": return "\(Figures.number(value)) bytes of memory a child"
    case "bytesPerDocument": return "\(Figures.bytes(UInt64(value))) of memory a document"
    case "bytesSentPerNewByte":
      let thousandths = Int((value * 1_000).rounded())
      let digits = String(thousandths % 1_000 + 1_000).dropFirst()
      return "\(thousandths / 1_000).\(digits) bytes sent for each byte that is new"
    case "openSecondsPerDocument": return "\(Figures.time(value)) to open a document"
    case "threads": return "\(Int(value)) threads in the process"
    default: return "\(name) \(Figures.number(value))"
    }
  }
}
