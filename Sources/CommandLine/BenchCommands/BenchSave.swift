import ArgumentParser
import Benchmarks
import CommandSupport
import FilePackages
import FoundationEssentials
import Glibc
import SystemPackage

extension Bench {
  struct Save: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "save",
      abstract: "Measure saves of a package, by this library and in other ways.",
      discussion: """
        The command makes a package of random bytes for each strategy, in a temporary directory that it removes at \
        the end. In each round every strategy saves the same changed children once, and the metadata. The first \
        round, which warms up, does not count.

        Strategies:
          floor      one overwrite of bytes on the disk, and one flush
          journal    this library's save, until it is durable
          published  the same, until other programs see all of it
          sqlite     a row for each child in SQLite (WAL, FULL), one transaction
          naive      a temporary file, fsync and rename for each; fsync of the folder
          links      Apple's way: a new folder of hard links, and an exchange
          full       every child written anew, and an exchange

        A ratio compares times of the same round; the report has its median. Flushes are those before the save \
        returns, operations also those after it. Memory is the growth of this process.

        Examples:
          docpkg bench save --children 10,1000,10000 --html saves.html
          docpkg bench save --children 1000 --changed 1000 --json

        Exit status: 0 done; 2 failed, or a strategy left other bytes than it saved; 64 usage.
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
      help: ArgumentHelp("The strategies, instead of all.", valueName: "name,…"))
    var strategies = List(SaveBenchmark.allStrategies.map { $0.name })

    @Option(help: ArgumentHelp("The strategy that ratios compare with.", valueName: "name"))
    var against: String?

    @Option(help: "The number of rounds.")
    var rounds = 100

    @Option(
      help: ArgumentHelp(
        "The seconds of measured time after which a strategy ends, but not before three rounds.",
        valueName: "seconds"))
    var budget = 20.0

    @Option(path: ArgumentHelp("The folder for the temporary directory.", valueName: "dir"))
    var folder = "."

    @Flag(name: .long, help: "Print a JSON object.")
    var json = false

    @Option(path: ArgumentHelp("Write a page with a chart, which needs no other file.", valueName: "file"))
    var html: String?

    func validate() throws {
      for name in strategies.values + (against.map { [$0] } ?? [])
      where !SaveBenchmark.allStrategies.contains(where: { $0.name == name }) {
        let all = SaveBenchmark.allStrategies.map { $0.name }.joined(separator: ", ")
        throw ValidationError("There is no strategy '\(display(name))'; there are \(all).")
      }
      if let against, !strategies.values.contains(against) {
        throw ValidationError(
          "'\(display(against))' is not measured; there are \(strategies.values.joined(separator: ", ")).")
      }
      guard (1...1_000_000).contains(size.bytes) else {
        throw ValidationError("--size has to be 1 to 1,000,000.")
      }
      guard children.values.allSatisfy({ (1...1_000_000).contains($0) }) else {
        throw ValidationError("--children have to be 1 to 1,000,000.")
      }
      guard !models.isEmpty, changed.values.allSatisfy({ $0 >= 1 }) else {
        throw ValidationError("--changed has to be 1 to the number of children.")
      }
      guard (1...1_000_000).contains(rounds), (0...1_000_000).contains(budget) else {
        throw ValidationError("--rounds has to be 1 to 1,000,000, and --budget 0 to 1,000,000.")
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
      let names = strategies.values
      let machine = Machine(folder: FilePath(folder))
      var report = BenchmarkReport(
        machine: machine, against: against ?? names.first { $0 == "naive" } ?? names[0])
      try checkPage()
      if machine.isInMemory {
        StandardError.write("docpkg: \(display(folder)) is in memory, where a flush costs nothing.\n")
      }
      var benchmark = SaveBenchmark(
        strategies: SaveBenchmark.allStrategies.filter { names.contains($0.name) })
      (benchmark.rounds, benchmark.budget) = (rounds, .seconds(budget))
      for model in models {
        let results = try await interruptible(
          saying: report.results.isEmpty ? "nothing was measured" : "the rest was not measured"
        ) {
          [benchmark, folder] in
          defer { Self.show("") }
          let results = try await benchmark.run(model, in: FilePath(folder), progress: Self.show)
          try Task.checkCancellation()
          return results
        }
        if !json { Self.write(results, isFirst: report.results.isEmpty, of: report) }
        report.results += results
      }
      if json { try printJSON(report) }
      if let html {
        try FileWrapper(regularFileWithContents: Data(HTMLReport(report).page.utf8)).write(
          to: url(html), options: [], originalContentsURL: nil)
      }
      if let wrong = report.problem {
        let problem = wrong.problem ?? ""
        throw InputError(
          description: "'\(wrong.strategy)' failed: \(display(problem))\(problem.hasSuffix(".") ? "" : ".")")
      }
    }

    /// - Throws: `InputError` for a page that could not be written at the end.
    private func checkPage() throws {
      guard let html else { return }
      let folder = url(html).deletingLastPathComponent().path
      guard access(folder.isEmpty ? "." : folder, W_OK) == 0 else {
        throw InputError(
          description: "'\(display(html))' cannot be written: \(String(cString: strerror(errno))).")
      }
    }

    private static func write(_ results: [Measurement], isFirst: Bool, of report: BenchmarkReport) {
      let text = TextReport(report)
      var output = StandardOutput()
      if isFirst { output.write(text.heading) }
      output.write(text.table(of: results))
      output.flush()
    }

    /// Names the present step on standard error, in one line of a terminal.
    private static func show(_ step: String) {
      if StandardError.takesEscapes { StandardError.write("\r\u{1B}[K\(step)") }
    }
  }
}

/// Several values of one option, separated by commas.
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
