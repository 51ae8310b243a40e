import ArgumentParser
import Benchmarks
import CommandSupport
import FilePackages
import FoundationEssentials
import Glibc
import SystemPackage

/// The number of rounds, for benchmarks that let the user choose it.
struct BenchRounds: ParsableArguments {
  @Option(help: "The number of rounds.")
  var rounds: Int?

  func validate() throws {
    if let rounds, !(1...1_000_000).contains(rounds) {
      throw ValidationError("--rounds has to be 1 to 1,000,000.")
    }
  }

  func schedule(_ options: BenchOptions, normally normal: Int) -> RoundRobin {
    var schedule = RoundRobin()
    schedule.rounds = rounds ?? normal
    schedule.budget = .seconds(options.budget)
    return schedule
  }
}

/// The way that ratios compare to, for benchmarks that let the user choose it.
struct BenchRatios: ParsableArguments {
  @Option(help: ArgumentHelp("The strategy that ratios compare with.", valueName: "name"))
  var against: String?

  /// - Throws: a `ValidationError` if `against` is none of these ways.
  func check(_ measured: [String]) throws {
    if let against, !measured.contains(against) {
      throw ValidationError(
        "'\(display(against))' is not measured; there are \(measured.joined(separator: ", ")).")
    }
  }
}

/// The options of every benchmark.
struct BenchOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The seconds of measured time after which a strategy ends, but not before three rounds.",
      valueName: "seconds"))
  var budget = 20.0

  @Option(path: ArgumentHelp("The folder for the temporary directory.", valueName: "dir"))
  var folder = "."

  @Flag(name: .long, help: "Print a JSON object.")
  var json = false

  @Option(
    path: ArgumentHelp("Write a page with charts, which needs no other file.", valueName: "file"))
  var html: String?

  @Option(
    path: ArgumentHelp(
      "Compare with a report that --json printed; exit status 1 if a strategy became slower.",
      valueName: "file"))
  var compare: String?

  func validate() throws {
    guard (0...1_000_000).contains(budget) else {
      throw ValidationError("--budget has to be 0 to 1,000,000.")
    }
  }

  /// The path of the program that is measured.
  static var command: FilePath? { Companion.mainProgram.map { FilePath($0) } }
}

/// The output of a benchmark: it prints tables at once, and the rest at the end.
final class BenchOutput {
  private let options: BenchOptions
  private let before: BenchmarkReport?
  private var report: BenchmarkReport
  private let progress = BenchProgress()

  /// The goals, if the benchmark measures them.
  var goals: [Goal]? {
    get { report.goals }
    set { report.goals = newValue }
  }

  /// - Throws: `InputError` for files that could not be read or written at the end.
  init(_ options: BenchOptions, against: String) throws {
    self.options = options
    report = BenchmarkReport(machine: Machine(folder: FilePath(options.folder)), against: against)
    before = try options.compare.map { path in
      do {
        return try JSONDecoder().decode(
          BenchmarkReport.self, from: FileWrapper(regularFileWithContentsOf: url(path)).contents())
      } catch {
        throw InputError(
          description:
            "'\(display(path))' is not a report that 'docpkg bench … --json' printed: \(sentence(of: error))")
      }
    }
    if let html = options.html {
      let folder = url(html).deletingLastPathComponent().path
      guard access(folder.isEmpty ? "." : folder, W_OK) == 0 else {
        throw InputError(
          description: "'\(display(html))' cannot be written: \(String(cString: strerror(errno))).")
      }
    }
    if report.machine.isInMemory {
      StandardError.write("docpkg: \(display(options.folder)) is in memory, where a flush costs nothing.\n")
    }
  }

  func show(_ text: String) { progress.show(text) }

  /// Prints the results, a table for each work.
  func add(_ results: [Measurement]) {
    progress.clear()
    let isFirst = report.results.isEmpty
    report.results += results
    if options.json { return }
    let text = TextReport(report, display: { display($0) })
    var output = StandardOutput()
    if isFirst { output.write(text.heading) }
    var group = report
    group.results = results
    for (_, results) in group.groups { output.write(text.table(of: results)) }
    output.flush()
  }

  /// Prints and writes the end of the output.
  ///
  /// - Throws: `InputError` if a way left wrong contents; exit status 1 if a way became slower.
  func finish() throws {
    progress.clear()
    if options.json { try printJSON(report) }
    if let html = options.html {
      try FileWrapper(regularFileWithContents: Data(HTMLReport(report).page.utf8)).write(
        to: url(html), options: [], originalContentsURL: nil)
    }
    let comparison = before.map { Comparison(report, before: $0) }
    if let comparison, !options.json {
      var output = StandardOutput()
      output.write(comparison.text(against: report.against))
    }
    if let wrong = report.problem {
      let problem = wrong.problem ?? ""
      throw InputError(
        description: "'\(wrong.strategy)' failed: \(display(problem))\(problem.hasSuffix(".") ? "" : ".")")
    }
    if comparison?.isSlower == true { throw ExitCode(ExitStatus.different) }
  }
}

/// A line on standard error that names the present work; only on a terminal.
private struct BenchProgress {
  private let isShown = StandardError.takesEscapes

  func show(_ text: String) {
    if isShown { StandardError.write("\r\u{1B}[K\(text)") }
  }

  func clear() {
    if isShown { StandardError.write("\r\u{1B}[K") }
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

extension List where Element == String {
  /// - Throws: a `ValidationError` for a name that is not in `known`.
  func check(_ known: [String], _ what: String) throws {
    for name in values where !known.contains(name) {
      throw ValidationError(
        "There is no \(what) '\(display(name))'; there are \(known.joined(separator: ", ")).")
    }
  }
}
