import Benchmarks
import Testing

@Suite("The figures of a benchmark")
struct SaveResultTests {
  private func samples(_ seconds: [Int: Double]) -> [SaveSample] {
    seconds.sorted { $0.key < $1.key }.map { round, seconds in
      SaveSample(
        round: round, seconds: seconds, bytesWritten: 4096, systemBytes: 8192, flushes: 1,
        operations: ["write": 1])
    }
  }

  private var result: SaveResult {
    SaveResult(strategy: "ours", children: 10, changed: 1, size: 4096, durable: true, atomic: true)
  }

  @Test func `are ratios round by round, of the rounds that both took part in`() {
    var result = result
    // A machine that was ten times slower in the second round says nothing about either.
    result.summarize(
      samples([1: 1, 2: 10, 3: 1, 4: 1000]),
      others: [("other", samples([1: 2, 2: 20, 3: 2])), ("absent", [])])
    #expect(result.ratios == ["other": 0.5])
    #expect(result.rounds == 4)
  }

  @Test func `are the middle and the tenths of the times`() {
    var result = result
    result.summarize(
      samples(Dictionary(uniqueKeysWithValues: (0...10).map { ($0, Double($0)) })), others: [])
    #expect(result.medianSeconds == 5)
    #expect(result.p10 == 1 && result.p90 == 9)
    #expect(
      result.bytesWritten == 4096 && result.systemBytes == 8192 && result.flushes == 1
        && result.operations == ["write": 1])
  }

  @Test func `are missing where nothing was measured`() {
    var result = result
    result.summarize([], others: [])
    #expect(result.rounds == 0 && result.medianSeconds == nil && result.ratios.isEmpty)
  }
}
