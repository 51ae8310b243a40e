import Benchmarks
import FilePackages

/// What `bench save` prints.
struct SaveBenchmarkReport: Encodable {
  var machine: Machine
  /// By how much each flush was slowed down, in seconds.
  var flushDelay: Double
  var results: [SaveResult] = []
  private let against: String

  private enum CodingKeys: CodingKey {
    case machine, flushDelay, results
  }

  init(machine: Machine, flushDelay: Double, against: String) {
    self.machine = machine
    self.flushDelay = flushDelay
    self.against = against
  }

  func with(_ results: [SaveResult]) -> Self {
    var report = self
    report.results = results
    return report
  }

  /// The machine, in two lines.
  var heading: String {
    let processor = machine.processor.map { ", \($0)" } ?? ""
    let load = machine.load.map { ", load \($0)" } ?? ""
    let delay = flushDelay > 0 ? ", each flush \(Self.time(flushDelay)) longer" : ""
    return """
      docpkg \(machine.version), \(machine.kernel), \(machine.processors) CPUs\(processor)\(load)
      \(machine.fileSystem) on \(display(machine.device)) (\(display(machine.mountOptions)))\(delay)

      """
  }

  /// The results for one package.
  func table(of results: [SaveResult]) -> String {
    guard let first = results.first else { return "" }
    var lines = [
      "",
      "\(first.children) children of \(SaveReport.bytes(UInt64(first.size))), \(first.changed) changed",
      Self.row([
        "strategy", "median", "p10", "p90", "/ \(against)", "flushes", "written", "operations", "rounds",
      ]),
    ]
    for result in results {
      if let reason = result.unavailable ?? result.problem {
        let word = result.problem == nil ? "not here" : "WRONG"
        lines.append("\(Self.padded(result.strategy, 10))  \(word): \(display(reason))")
        continue
      }
      let ratio = result.strategy == against ? 1 : result.ratios[against]
      lines.append(
        Self.row([
          result.strategy, Self.time(result.medianSeconds), Self.time(result.p10), Self.time(result.p90),
          ratio.map { Self.number($0) } ?? "-", result.flushes.map { "\($0)" } ?? "-",
          result.bytesWritten.map(SaveReport.bytes) ?? "-",
          result.operations.map { "\($0.values.reduce(0, +))" } ?? "-", "\(result.rounds)",
        ]))
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private static let widths = [10, 9, 9, 9, 11, 8, 9, 11, 7]

  private static func row(_ cells: [String]) -> String {
    zip(cells, widths).enumerated().map { column, cell in
      let space = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
      return column == 0 ? cell.0 + space : " " + space + cell.0
    }.joined()
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  private static func time(_ seconds: Double?) -> String {
    guard let seconds else { return "-" }
    if seconds < 0.001 { return "\(number(seconds * 1_000_000)) µs" }
    return seconds < 1 ? "\(number(seconds * 1000)) ms" : "\(number(seconds)) s"
  }

  /// Three digits that count.
  private static func number(_ value: Double) -> String {
    let digits = value < 10 ? 2 : value < 100 ? 1 : 0
    let scaled = Int((value * [1, 10, 100][digits]).rounded())
    if digits == 0 { return "\(scaled)" }
    let fraction = String(scaled % (digits == 1 ? 10 : 100))
    return "\(scaled / (digits == 1 ? 10 : 100))."
      + String(repeating: "0", count: digits - fraction.count) + fraction
  }
}
