import ArgumentParser
import Benchmarks
import SystemPackage

extension Bench {
  struct Save: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "save",
      abstract: "Measure saves of a package, by this library and in other ways.",
      discussion: """
        Makes a package of random bytes for each strategy, in a temporary directory that is removed at the end, \
        and saves it in rounds; in each round every strategy saves the same changed children once, and the \
        metadata. A round to warm up is not counted.

        Strategies:
          floor          one overwriting of bytes that are on the disk, one flush
          journal        this library's save in place, until it is durable
          published      the same, until other programs see all of it
          staged         this library's save of a new state beside the old one
          sqlite         a row for each child in SQLite (WAL, FULL), one transaction
          sqlite-delete  the same with a rollback journal
          naive          a temporary file, fsync and rename for each; fsync of the folder
          each           the same without metadata, without fsync of the folder
          links          Apple's way: a new folder of hard links, and an exchange
          reflinks       the same with copies that share blocks, where there are any
          full           every child written anew, and an exchange
        With --whole-commands also, from the start of a process to its end:
          command        'docpkg edit --set …'
          git            'git add' and 'git commit', which do not fsync
          zip            'zip -u' of the whole package
          python         zipfile in append mode
          rsync          'rsync -a --link-dest'
          cp             'cp -a'

        The ratio is the median, over the rounds, of the time divided by that of the strategy of --against in \
        the same round. Bytes written are those that were handed to the system; where a strategy \
        makes its own system calls, those that the system counts, in whole pages. Operations are calls of the \
        system, with what a save leaves to be done after it returned; flushes are those before. Memory is what the \
        process grew by; of another program, all that it had.

        Examples:
          docpkg bench save --children 10,1000,10000 --changed 1 --html saves.html
          docpkg bench save --children 1000 --changed 1000 --against each --json
          docpkg bench save --children 1000 --flush-delay 1 --against floor
          docpkg bench save --children 10 --strategy command,git --against git

        Exit status: 0 done; 1 something became slower than in the report of --compare; 2 failed, or a strategy left \
        something else than what was saved; 64 usage.
        """)

    @Option(help: ArgumentHelp("How many children the packages have.", valueName: "n,…"))
    var children = List([10, 1_000, 10_000])

    @Option(
      help: ArgumentHelp("How many of them each save changes; where there are so many.", valueName: "k,…"))
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
        "How much longer each flush is to take, as on disks without a power-safe cache.",
        valueName: "milliseconds"))
    var flushDelay = 0.0

    @Flag(help: "Leave every flush out: what is measured is all the rest, and nothing is durable.")
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
          "--flush-delay has to be 0 to 60,000, and there are none with --without-flushes.")
      }
      guard !models.isEmpty, changed.values.allSatisfy({ $0 >= 1 }) else {
        throw ValidationError("--changed has to be 1 or more, and not more than there are children.")
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
      benchmark.race = repeats.race(options, normally: 100)
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
