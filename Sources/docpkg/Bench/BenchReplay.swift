import ArgumentParser
import Benchmarks
import SystemPackage

extension Bench {
  struct Replay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "replay",
      abstract: "Measure saving successive states of a real package.",
      discussion: """
        Each folder is a state of one package, in order; each is saved over the one before: by this library (journal, \
        published, staged), by writing all of it anew (full), and by rsync, git and cp as whole commands. The folders \
        are only read, and each step from state to state is done once. Metadata.plist and hidden entries are left to who saves.

        Example:
          docpkg bench replay Monday.rtfd Tuesday.rtfd Wednesday.rtfd --html replay.html

        Exit status: 0 done; 1 something became slower than in the report of --compare; 2 failed; 64 usage.
        """)

    @Argument(paths: "The states, two or more.")
    var folders: [String]

    @Option(
      name: .customLong("strategy"), help: ArgumentHelp("The ways, instead of all.", valueName: "name,…"))
    var strategies = List(ReplayBenchmark.strategies)

    @OptionGroup var ratios: BenchRatios
    @OptionGroup var options: BenchOptions

    func validate() throws {
      guard folders.count >= 2 else { throw ValidationError("There have to be two states or more.") }
      try strategies.check(ReplayBenchmark.strategies, "way")
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
