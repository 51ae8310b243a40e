import ArgumentParser
import Benchmarks
import CommandSupport
import SystemPackage

extension Bench {
  struct Documents: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "documents",
      abstract: "Measure many documents that are open at once.",
      discussion: """
        Opens ImageNotes documents, adds a line to each, and saves them: all at once (documents) or one after the \
        other (one-by-one). For comparison, naive writes a temporary file for each text, with fsync, rename and \
        fsync of its folder. The report also has the time of opening, the memory of each document, and the number of \
        threads.

        Example:
          docpkg bench documents --count 10,1000

        Exit status: 0 done; 1 something became slower than in the report of --compare; 2 failed; 64 usage.
        """)

    @Option(help: ArgumentHelp("The number of documents.", valueName: "n,…"))
    var count = List([10, 100, 1_000])

    @OptionGroup var repeats: BenchRounds
    @OptionGroup var ratios: BenchRatios
    @OptionGroup var options: BenchOptions

    func validate() throws {
      guard count.values.allSatisfy({ (1...20_000).contains($0) }) else {
        throw ValidationError("--count has to be 1 to 20,000.")
      }
      try ratios.check(DocumentsBenchmark.strategies)
    }

    func run() async throws {
      let output = try BenchOutput(options, against: ratios.against ?? "naive")
      var benchmark = DocumentsBenchmark()
      benchmark.schedule = repeats.schedule(options, normally: 10)
      for count in count.values {
        output.add(
          try await benchmark.run(count: count, in: FilePath(options.folder), progress: output.show))
      }
      try output.finish()
    }
  }
}
