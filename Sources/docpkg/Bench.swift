import ArgumentParser
import Benchmarks
import FilePackages
import Glibc
import SystemPackage

struct Bench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measure on this machine and this disk.",
    discussion: """
      Everything is measured beside other ways of doing it, in turn, so that the ratios hold also on a busy \
      machine. What is left on disk is compared with what it has to be, byte by byte.

      Example:
        docpkg bench save --children 10,1000 --changed 1

      \(ExitStatus.help)
      """,
    subcommands: [Save.self])
}

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
          floor      one overwriting of bytes that are on the disk, one flush
          journal    this library's save in place, until it is durable
          published  the same, until other programs see all of it
          staged     this library's save of a new state beside the old one
          sqlite     a row for each child in SQLite (WAL, FULL), one transaction
          naive      a temporary file, fsync and rename for each; fsync of the folder
          each       the same without metadata, without fsync of the folder
          links      Apple's way: a new folder of hard links, and an exchange
          full       every child written anew, and an exchange
          command    the whole process 'docpkg edit --set …'
          git        the processes 'git add' and 'git commit', which do not fsync

        The ratio is the median, over the rounds, of the time divided by that of the strategy of --against in \
        the same round. Bytes written are those that were handed to the system; where a strategy \
        makes its own system calls, those that the system counts, in whole pages. Operations are calls of the \
        system, with what a save leaves to be done after it returned; flushes are those before.

        Examples:
          docpkg bench save --children 10,1000,10000 --changed 1
          docpkg bench save --children 1000 --changed 1000 --against each --json
          docpkg bench save --children 1000 --flush-delay 1 --against floor
          docpkg bench save --children 10 --strategy command,git --against git

        Exit status: 0 done; 2 failed, or a strategy left something else than what was saved; 64 usage.
        """)

    @Option(help: ArgumentHelp("How many children the packages have.", valueName: "n,…"))
    var children = List([10, 1_000, 10_000])

    @Option(
      help: ArgumentHelp("How many of them each save changes; where there are so many.", valueName: "k,…"))
    var changed = List([1])

    @Option(help: ArgumentHelp("Bytes of each child.", valueName: "bytes"))
    var size = 4096

    @Option(help: "How often each strategy saves.")
    var rounds = 100

    @Option(
      help: ArgumentHelp(
        "Seconds of saving after which a strategy takes part no more, once it did three times.",
        valueName: "seconds"))
    var budget = 20.0

    @Option(
      name: .customLong("strategy"),
      help: ArgumentHelp("The strategies, instead of those that run in this process.", valueName: "name,…"))
    var strategies: List<String>?

    @Flag(help: "Measure whole commands too: command and git.")
    var wholeCommands = false

    @Option(
      help: ArgumentHelp(
        "The strategy that the table has ratios to: naive, or the first one, unless it is given.",
        valueName: "name"))
    var against: String?

    @Option(
      help: ArgumentHelp(
        "How much longer each flush is to take, as on disks without a power-safe cache.",
        valueName: "milliseconds"))
    var flushDelay = 0.0

    @Option(help: ArgumentHelp("Where to make the temporary directory.", valueName: "dir"))
    var folder = "."

    @Flag(name: .long, help: "Print a JSON object.")
    var json = false

    func validate() throws {
      for name in strategies?.values ?? [] where Self.strategy(named: name) == nil {
        let names = SaveBenchmark.allStrategies.map { $0.name }.joined(separator: ", ")
        throw ValidationError("There is no strategy '\(display(name))'; there are \(names).")
      }
      if let against, !chosen.contains(where: { $0.name == against }) {
        throw ValidationError("'\(display(against))' is not one of the strategies that are measured.")
      }
      guard (1...1_000_000).contains(size), (1...1_000_000).contains(rounds) else {
        throw ValidationError("--size and --rounds have to be 1 to 1,000,000.")
      }
      guard children.values.allSatisfy({ (1...1_000_000).contains($0) }) else {
        throw ValidationError("--children have to be 1 to 1,000,000.")
      }
      guard (0...60_000).contains(flushDelay), (0...1_000_000).contains(budget) else {
        throw ValidationError("--flush-delay has to be 0 to 60,000 and --budget 0 to 1,000,000.")
      }
      guard !models.isEmpty, changed.values.allSatisfy({ $0 >= 1 }) else {
        throw ValidationError("--changed has to be 1 or more, and not more than there are children.")
      }
    }

    private static func strategy(named name: String) -> (any SaveStrategy.Type)? {
      SaveBenchmark.allStrategies.first { $0.name == name }
    }

    /// A package for each number of children and of changed ones, where there are that many.
    private var models: [ModelPackage] {
      children.values.flatMap { children in
        changed.values.filter { $0 <= children }.map { changed in
          ModelPackage(childCount: children, changedCount: changed, size: size)
        }
      }
    }

    func run() async throws {
      let folder = FilePath(folder)
      let names = chosen.map { $0.name }
      let report = SaveBenchmarkReport(
        machine: Machine(folder: folder), flushDelay: flushDelay / 1000,
        against: against ?? names.first { $0 == "naive" } ?? names[0])
      if report.machine.isInMemory {
        StandardError.write("docpkg: \(display(self.folder)) is in memory, where a flush costs nothing.\n")
      }
      let progress = Progress()
      var output = StandardOutput()
      var results: [SaveResult] = []
      for model in models {
        let measured = try await benchmark.run(model, in: folder) { progress.show($0) }
        progress.clear()
        if !json {
          if results.isEmpty { output.write(report.heading) }
          output.write(report.table(of: measured))
          output.flush()
        }
        results += measured
      }
      if json { output.line(try docpkg.json(report.with(results))) }
      output.flush()
      if let wrong = results.first(where: { $0.problem != nil }) {
        throw InputError(
          description: "The strategy '\(wrong.strategy)' failed: \(display(wrong.problem ?? "")).")
      }
    }

    /// The strategies to measure, each once.
    private var chosen: [any SaveStrategy.Type] {
      var chosen = strategies?.values.compactMap(Self.strategy(named:)) ?? SaveBenchmark.inProcess
      if wholeCommands { chosen += SaveBenchmark.wholeCommands }
      var names: Set<String> = []
      return chosen.filter { names.insert($0.name).inserted }
    }

    private var benchmark: SaveBenchmark {
      var benchmark = SaveBenchmark(strategies: chosen)
      benchmark.rounds = rounds
      benchmark.budget = .seconds(budget)
      benchmark.flushDelay = .milliseconds(flushDelay)
      benchmark.command = realpath("/proc/self/exe", nil).map { path in
        defer { free(path) }
        return FilePath(platformString: path)
      }
      return benchmark
    }
  }
}

/// Several values of one option, with commas between them.
struct List<Element: ExpressibleByArgument & Sendable>: ExpressibleByArgument, Sendable {
  var values: [Element]

  init(_ values: [Element]) {
    self.values = values
  }

  init?(argument: String) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
    values = parts.compactMap { Element(argument: String($0)) }
    if values.count != parts.count { return nil }
  }

  var defaultValueDescription: String {
    values.map(\.defaultValueDescription).joined(separator: ",")
  }
}

/// One line on standard error that says what is being done, on a terminal only.
private struct Progress {
  private let isShown = isatty(STDERR_FILENO) == 1

  func show(_ text: String) {
    if isShown { StandardError.write("\r\u{1B}[K\(text)") }
  }

  func clear() {
    if isShown { StandardError.write("\r\u{1B}[K") }
  }
}
