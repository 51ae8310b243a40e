import ArgumentParser
import Benchmarks
import CommandSupport
import SystemPackage

extension Bench {
  struct Goals: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "goals",
      abstract: "Measure everything that has a goal.",
      discussion: """
        The command takes a quarter of an hour, and needs sqlite3's library, git, zip, tar, zstd and bsdtar. A row \
        is the ratio of two strategies that ran in the same rounds, with the range of four fifths of the rounds.

        Example:
          docpkg bench goals --html goals.html

        Exit status: 0 done, also if a goal was missed; 1 something became slower than in the report of --compare; 2 failed; \
        64 usage.
        """)

    @OptionGroup var repeats: BenchRounds
    @OptionGroup var options: BenchOptions

    func run() async throws {
      guard let command = BenchOptions.command else {
        throw InputError(description: "'docpkg' is not beside 'docpkg-bench'.")
      }
      let output = try BenchOutput(options, against: "naive")
      var benchmark = GoalsBenchmark(command: command, in: FilePath(options.folder), progress: output.show)
      benchmark.rounds = repeats.rounds ?? 100
      benchmark.budget = .seconds(options.budget)
      let goals = try await benchmark.run()
      output.add(benchmark.results)
      if !options.json {
        var text = StandardOutput()
        text.write("\n" + Goal.table(of: goals))
      }
      output.goals = goals
      try output.finish()
    }
  }
}
