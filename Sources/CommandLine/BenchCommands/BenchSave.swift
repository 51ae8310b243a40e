import ArgumentParser
import Benchmarks
import CommandSupport
import SystemPackage

extension Bench {
  struct Save: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "save",
      abstract: "Measure saves of a package, by this library and in other ways.",
      discussion: """
        The command makes a package of random bytes for each strategy, in a temporary directory that it removes at \
        the end. In each round every strategy saves the same changed children once, and the metadata. The first \
        round, which warms up, is not counted.

        Strategies:
          floor          one overwrite of bytes on the disk, and one flush
          journal        this library's save in place, until it is durable
          published      the same, until other programs see all of it
          rebuilt        the same for a model that makes its whole tree anew each time
          staged         this library's staged save
          sqlite         a row for each child in SQLite (WAL, FULL), one transaction
          sqlite-delete  the same with a rollback journal
          naive          a temporary file, fsync and rename for each; fsync of the folder
          each           the same without metadata, without fsync of the folder
          links          Apple's way: a new folder of hard links, and an exchange
          reflinks       the same with copies that share blocks, if possible
          full           every child written anew, and an exchange
        With --whole-commands also, from the start of a process to its end:
          command        'docpkg edit --set …'
          git            'git add' and 'git commit', which do not fsync
          zip            'zip -u' of the whole package
          python         zipfile in append mode
          rsync          'rsync -a --link-dest'
          cp             'cp -a'

        In each round, the ratio is the time divided by the time of the strategy of --against; the report has the \
        median. Bytes written are the bytes that the strategy gave to the system. If a strategy makes its own system \
        calls, they are the bytes that the system counts, in whole pages. Operations are system calls, also those \
        after the save returned; flushes are only those before. Memory is the growth of this process, or the whole \
        memory of another program.

        Examples:
          docpkg bench save --children 10,1000,10000 --changed 1 --html saves.html
          docpkg bench save --children 1000 --changed 1000 --against each --json
          docpkg bench save --children 1000 --flush-delay 1 --against floor
          docpkg bench save --children 10 --strategy command,git --against git

        Exit status: 0 done; 1 something became slower than in the report of --compare; 2 failed, or a strategy left \
        other bytes than it saved; 64 usage.
        """)

    @Option(help: ArgumentHelp("The number of children.", valueName: "n,…"))
    var children = List([10, 1_000, 10_000])

    @Option(
      help: ArgumentHelp(
        "The number of children that each save changes, if there are so many.", valueName: "k,…"))
    var changed = List([1])

    @Option(help: ArgumentHelp("Bytes of each child.", valueName: "bytes"))
    var size = ByteCount(4096)

    @Option(
      name: .customLong("strategy"),
      help: ArgumentHelp("The strategies, instead of those that run in this process.", valueName: "name,…"))
    var strategies: List<String>?

    @Flag(help: "Measure whole commands too.")
    var wholeCommands = false

    @Option(
      help: ArgumentHelp(
        "The time to add to each flush, as on disks without a power-safe cache.",
        valueName: "milliseconds"))
    var flushDelay = 0.0

    @Flag(help: "Leave out every flush, and measure the rest; no save is durable then.")
    var withoutFlushes = false

    @OptionGroup var repeats: BenchRounds
    @OptionGroup var ratios: BenchRatios
    @OptionGroup var options: BenchOptions

    func validate() throws {
      try strategies?.check(SaveBenchmark.allStrategies.map { $0.name }, "strategy")
      try ratios.check(chosen.map { $0.name })
      guard (1...1_000_000).contains(size.bytes) else {
        throw ValidationError("--size has to be 1 to 1,000,000.")
      }
      guard children.values.allSatisfy({ (1...1_000_000).contains($0) }) else {
        throw ValidationError("--children have to be 1 to 1,000,000.")
      }
      guard (0...60_000).contains(flushDelay), !(withoutFlushes && flushDelay > 0) else {
        throw ValidationError(
          "--flush-delay has to be 0 to 60,000, and cannot be given with --without-flushes.")
      }
      guard !models.isEmpty, changed.values.allSatisfy({ $0 >= 1 }) else {
        throw ValidationError("--changed has to be 1 to the number of children.")
      }
    }

    /// A package for each number of children and each number of changed children that is not greater.
    private var models: [ModelPackage] {
      children.values.flatMap { children in
        changed.values.filter { $0 <= children }.map { changed in
          ModelPackage(childCount: children, changedCount: changed, size: Int(size.bytes))
        }
      }
    }

    func run() async throws {
      let names = chosen.map { $0.name }
      let output = try BenchOutput(
        options, against: ratios.against ?? names.first { $0 == "naive" } ?? names[0])
      var benchmark = SaveBenchmark(strategies: chosen)
      benchmark.schedule = repeats.schedule(options, normally: 100)
      benchmark.flushing =
        withoutFlushes ? .leftOut : flushDelay > 0 ? .slower(by: .milliseconds(flushDelay)) : .asItIs
      benchmark.command = BenchOptions.command
      for model in models {
        output.add(
          try await benchmark.run(model, in: FilePath(options.folder), progress: output.show))
      }
      try output.finish()
    }

    /// The strategies to measure, each once.
    private var chosen: [any SaveStrategy.Type] {
      let all = SaveBenchmark.allStrategies
      var chosen =
        strategies?.values.compactMap { name in all.first { $0.name == name } } ?? SaveBenchmark.inProcess
      if wholeCommands { chosen += SaveBenchmark.wholeCommands }
      var names: Set<String> = []
      return chosen.filter { names.insert($0.name).inserted }
    }
  }
}
