import Benchmarks
import SystemPackage
import Testing

@Suite("A benchmark's report")
struct ReportTests {
  private func measurement(
    _ strategy: String, children: Int = 10, _ seconds: [Double], problem: String? = nil
  )
    -> Measurement
  {
    let model = ModelPackage(childCount: children, changedCount: 1, size: 4096)
    var result = Measurement(model, strategy: strategy, atomic: true)
    func samples(_ seconds: [Double]) -> [Sample] {
      seconds.enumerated().map { Sample(round: $0, seconds: $1, flushes: 1, operations: ["write": 2]) }
    }
    result.summarize(samples(seconds), others: [("naive", samples([0.0025, 0.0025, 0.0025]))])
    result.problem = problem
    return result
  }

  private func report(_ results: [Measurement]) -> BenchmarkReport {
    BenchmarkReport(machine: Machine(folder: "/"), against: "naive", results: results)
  }

  @Test func `is a page that needs nothing else and says all of it`() {
    let page = HTMLReport(
      report([
        measurement("published", [0.001, 0.001, 0.001]), measurement("naive", [0.0025, 0.0025, 0.0025]),
        measurement("published", children: 1000, [0.0011, 0.0011, 0.0011]),
        measurement("<wrong>", children: 1000, [], problem: "'a&b' differs from the last save"),
      ])
    ).page
    // One chart has the line of each strategy, and each package has a table.
    #expect(page.ranges(of: "<svg").count == 1 && page.ranges(of: "<polyline").count == 2)
    #expect(page.ranges(of: "<table>").count == 2 && page.contains("<td>0.40</td><td>0.40–0.40</td>"))
    #expect(page.contains("&lt;wrong&gt;") && page.contains("a&amp;b") && !page.contains("<wrong>"))
    for outside in ["src=", "href=", "@import", "url("] { #expect(!page.contains(outside)) }
  }

  @Test func `is a table with the words of a failure in the row of its strategy`() {
    let results = [measurement("naive", [0.0025]), measurement("links", [], problem: "'a' differs")]
    let lines = TextReport(report(results)).table(of: results).split(separator: "\n")
    #expect(lines.count == 4 && lines[0] == "10 children of 4.0 KB, 1 changed")
    #expect(lines[1].hasPrefix("strategy   median") && lines[2].hasPrefix("naive     2.50 ms"))
    #expect(lines[3] == "links     WRONG: 'a' differs")
  }

  @Test(
    arguments: [(0.001234, "0.00"), (0.5, "0.50"), (12.34, "12.3"), (123.4, "123"), (123_456, "123,456")]
      as [(Double, String)])
  func `has numbers with three digits that count`(value: Double, text: String) {
    #expect(Figures.number(value) == text)
  }

  @Test(
    arguments: [
      (0.000_000_5, "0.50 µs"), (0.000_99, "990 µs"), (0.000_999_9, "1.00 ms"), (0.5, "500 ms"),
      (0.9999, "1.00 s"),
      (61, "61.0 s"),
    ] as [(Double, String)])
  func `has times in the unit that fits`(seconds: Double, text: String) {
    #expect(Figures.time(seconds) == text)
  }
}
