import Benchmarks
import FoundationEssentials
import SystemPackage
import Testing

@Suite("A benchmark's report")
struct ReportTests {
  private func measurement(
    _ strategy: String, children: Int = 10, _ seconds: Spread?, ratio: Spread? = nil
  ) -> Measurement {
    var result = Measurement(
      Work("save", children: children, changed: 1, size: 4096), strategy: strategy, durable: true,
      atomic: true)
    result.rounds = 9
    result.seconds = seconds
    if let ratio { result.ratios = ["naive": ratio] }
    result.operations = ["write": 2, "synchronize": 1]
    result.flushes = 1
    return result
  }

  private func report(_ results: [Measurement]) -> BenchmarkReport {
    BenchmarkReport(machine: Machine(folder: "/"), against: "naive", results: results)
  }

  private func spread(_ median: Double, _ part: Double = 0.1) -> Spread {
    Spread(median: median, p10: median * (1 - part), p90: median * (1 + part))
  }

  @Test func `is the same after it was written and read as JSON`() throws {
    var result = measurement("journal", spread(0.001), ratio: spread(0.5))
    result.work.flushDelay = 0.001
    result.figures = ["threads": 3]
    var broken = measurement("links", nil)
    broken.problem = "'a' differs from the last save"
    let before = report([result, broken])
    let after = try JSONDecoder().decode(BenchmarkReport.self, from: JSONEncoder().encode(before))
    for (one, other) in zip(before.results, after.results) {
      #expect(one.work == other.work && one.seconds == other.seconds && one.ratios == other.ratios)
      #expect(
        one.problem == other.problem && one.figures == other.figures && one.operations == other.operations)
    }
    #expect(after.results.count == 2 && after.problem?.strategy == "links")
  }

  /// Ratios do not change when the whole machine becomes slower; times do.
  @Test(
    arguments: [
      (0.5, 0.7, 0.05, Comparison.Verdict.slower), (0.5, 0.7, 0.3, .same), (0.5, 0.52, 0.001, .same),
      (0.7, 0.5, 0.05, .faster),
    ] as [(Double, Double, Double, Comparison.Verdict)])
  func `tells what became slower from what only varies`(
    before: Double, now: Double, part: Double, verdict: Comparison.Verdict
  ) {
    let old = report([measurement("journal", spread(1, 0.01), ratio: spread(before, part))])
    let new = report([measurement("journal", spread(9, 0.01), ratio: spread(now, part))])
    let comparison = Comparison(new, before: old)
    #expect(comparison.lines.map(\.verdict) == [verdict])
    #expect(comparison.isSlower == (verdict == .slower))
    // Without ratios the comparison has only the times.
    let times = Comparison(
      report([measurement("naive", spread(9, 0.01))]), before: report([measurement("naive", spread(1, 0.01))])
    )
    #expect(times.lines.map(\.verdict) == [.slower])
  }

  @Test func `tells of other counts, and of another machine`() {
    var one = measurement("journal", spread(1))
    one.operations = ["write": 3]
    var old = report([measurement("journal", spread(1)), measurement("gone", spread(1))])
    old.machine.processors = 64
    let comparison = Comparison(report([one]), before: old)
    #expect(comparison.lines.map(\.operations) == [["write": [2, 3], "synchronize": [1, 0]]])
    #expect(comparison.machines == ["processors"])
    let text = comparison.text(against: "naive")
    #expect(text.contains("write: 2 → 3") && text.contains("Not the same machine"))
  }

  @Test func `is a page that needs nothing else and says all of it`() {
    var wrong = measurement("<wrong>", children: 1000, nil)
    wrong.problem = "'a&b' differs from the last save"
    var absent = measurement("reflinks", nil)
    absent.unavailable = "there are none"
    let page = HTMLReport(
      report([
        measurement("journal", spread(0.001), ratio: spread(0.4)), measurement("naive", spread(0.0025)),
        absent,
        measurement("journal", children: 1000, spread(0.0011)), wrong,
      ])
    ).page
    // The page has two lines of growth at both widths, and a chart and a table for each work.
    #expect(page.ranges(of: "<polyline").count == 4)
    #expect(page.ranges(of: "class=\"ranges\"").count == 2 && page.ranges(of: "<table>").count == 2)
    #expect(page.contains("0.40 <small>[0.36–0.44]"))
    #expect(page.contains("&lt;wrong&gt;") && page.contains("a&amp;b") && !page.contains("<wrong>"))
    #expect(page.contains("not here: there are none"))
    for outside in ["http", "src=", "@import", "url("] { #expect(!page.contains(outside)) }
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

  @Test func `of goals says what is reached`() {
    var goal = Goal(row: 1, title: "committed / naive", bound: .atMost, goal: 0.4)
    #expect(!goal.isReached && Goal.table(of: [goal]).contains("not measured"))
    goal.measured = spread(0.4)
    #expect(
      goal.isReached && Goal.table(of: [goal]).contains("≤ 0.40")
        && Goal.table(of: [goal]).hasSuffix("reached\n"))
    goal.measured = spread(0.41)
    #expect(!goal.isReached && Goal.table(of: [goal]).hasSuffix("missed\n"))
    goal.bound = .atLeast
    #expect(goal.isReached)
  }
}
