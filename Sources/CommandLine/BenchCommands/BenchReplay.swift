import ArgumentParser
import Benchmarks
import CommandSupport
import SystemPackage

extension Bench {
  struct Replay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "replay",
      abstract: "Measure saving successive states of a real package.",
      discussion: """
        Each folder is a state of one package, in order. Each strategy saves a state over the one before: this \
        library (journal, published, staged), a full rewrite (full), or the commands rsync, git and cp. The folders \
        are only read, and each step from state to state happens once. Metadata.plist and hidden entries are not \
        copied from the folders; each strategy writes its own.

        Example:
          docpkg bench replay Monday.rtfd Tuesday.rtfd --html replay.html

        Exit status: 0 done; 1 something became slower than in the report of --compare; 2 failed; 64 usage.
        """)

    @Argument(paths: "The states, two or more.")
    var folders: [String]

    @Option(
      name: .customLong("strategy"),
      help: ArgumentHelp("The strategies, instead of all.", valueName: "name,…"))
    var strategies = List(ReplayBenchmark.strategies)

    @OptionGroup var ratios: BenchRatios
    @OptionGroup var options: BenchOptions

    func validate() throws {
      guard folders.count >= 2 else { throw ValidationError("Give two states or more.") }
      try strategies.check(ReplayBenchmark.strategies, "strategy")
      try ratios.check(strategies.values)
    }

    func run() async throws {
      let names = strategies.values
      let output = try BenchOutput(
        options, against: ratios.against ?? names.first { $0 == "full" } ?? names[0])
      var benchmark = ReplayBenchmark()
      benchmark.budget = .seconds(max(options.budget, 60))
      output.add(
        try await benchmark.run(
          folders.map { FilePath($0) }, strategies: names, in: FilePath(options.folder), progress: output.show
        ))
      try output.finish()
    }
  }
}
