import ArgumentParser
import Benchmarks
import CommandSupport
import SystemPackage

extension Bench {
  struct Open: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "open",
      abstract: "Measure opening a package and listing its children.",
      discussion: """
        Strategies:
          tree      a FileWrapper of the folder, and the number of its children
          store     a PackageStore, as a document opens it, and the same
          getdents  the bare loop over the folder's entries that both contain
          ls        the process 'ls -U'
          find      the process 'find'

        All files are in the page cache, unless --cold empties it before each measurement. Only root can do that.

        Examples:
          docpkg bench open --children 1000,100000
          sudo docpkg bench open --children 10000 --cold

        Exit status: 0 done; 1 something became slower than in the report of --compare; 2 failed; 64 usage.
        """)

    @Option(help: ArgumentHelp("The number of children.", valueName: "n,…"))
    var children = List([1_000, 10_000, 100_000])

    @Option(help: ArgumentHelp("Bytes of each child.", valueName: "bytes"))
    var size = ByteCount(16)

    @Option(
      name: .customLong("strategy"),
      help: ArgumentHelp("The strategies, instead of all.", valueName: "name,…"))
    var strategies = List(OpenBenchmark.strategies)

    @Flag(help: "Empty the page cache before each measurement. Only root can do that.")
    var cold = false

    @OptionGroup var repeats: BenchRounds
    @OptionGroup var ratios: BenchRatios
    @OptionGroup var options: BenchOptions

    func validate() throws {
      try strategies.check(OpenBenchmark.strategies, "strategy")
      try ratios.check(strategies.values)
      guard (0...1_000_000).contains(size.bytes), children.values.allSatisfy({ (1...1_000_000).contains($0) })
      else {
        throw ValidationError("--children have to be 1 to 1,000,000, and --size 0 to 1,000,000.")
      }
    }

    func run() async throws {
      let against =
        ratios.against ?? (strategies.values.contains("getdents") ? "getdents" : strategies.values[0])
      let output = try BenchOutput(options, against: against)
      var benchmark = OpenBenchmark()
      benchmark.schedule = repeats.schedule(options, normally: 20)
      benchmark.schedule.isCold = cold
      for count in children.values {
        output.add(
          try await benchmark.run(
            children: count, size: Int(size.bytes), strategies: strategies.values,
            in: FilePath(options.folder),
            progress: output.show))
      }
      try output.finish()
    }
  }
}
