import Benchmarks
import Testing

@Suite("The figures of a benchmark")
struct MeasurementTests {
  private func samples(_ seconds: [Int: Double]) -> [Sample] {
    seconds.sorted { $0.key < $1.key }.map { round, seconds in
      Sample(
        round: round, seconds: seconds, bytesWritten: 4096, systemBytes: 8192, flushes: 1,
        operations: ["write": 1])
    }
  }

  private var result: Measurement {
    Measurement(ModelPackage(childCount: 10, changedCount: 1, size: 4096), strategy: "ours", atomic: true)
  }

  @Test func `are ratios round by round, of the rounds that both took part in`() {
    var result = result
    // A machine that is ten times slower in the second round changes neither ratio.
    result.summarize(
      samples([1: 1, 2: 10, 3: 1, 4: 1000]),
      others: [("other", samples([1: 2, 2: 20, 3: 2])), ("absent", [])])
    #expect(result.ratios == ["other": Spread(median: 0.5, p10: 0.5, p90: 0.5)])
    #expect(result.rounds == 4)
  }

  @Test func `are the middle and the tenths of the times`() {
    var result = result
    result.summarize(samples(Dictionary(uniqueKeysWithValues: (0...10).map { ($0, Double($0)) })), others: [])
    #expect(result.seconds == Spread(median: 5, p10: 1, p90: 9))
    #expect(result.bytesWritten == 4096 && result.synchronizations == 1 && result.operations == ["write": 1])
  }

  @Test func `are missing where nothing was measured`() {
    var result = result
    result.summarize([], others: [])
    #expect(result.rounds == 0 && result.seconds == nil && result.ratios.isEmpty)
  }
}
