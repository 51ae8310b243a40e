import ArgumentParser
import Benchmarks
import CommandSupport
import SystemPackage

extension Bench {
  struct Managed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "managed",
      abstract: "Measure documents with a database.",
      discussion: """
        Measures edits with and without undo beside a plain pool of GRDB, saves beside a plain transaction with a \
        flush, and opening and undoing with few and many rows. A row of the table of goals is the ratio of two \
        strategies that ran in the same rounds, with the range of four fifths of the rounds.

        Example:
          docpkg bench managed --task edit,save

        Exit status: 0 done, also if a goal was missed; 1 something became slower than in the report of --compare; 2 failed; \
        64 usage.
        """)

    @Option(help: ArgumentHelp("Tasks: edit, save, open, undo.", valueName: "name,…"))
    var task = List(ManagedBenchmark.Task.allCases.map(\.rawValue))
    @Option(help: ArgumentHelp("The rows of a small and of a large database.", valueName: "few,many"))
    var rows = List([1_000, 1_000_000])

    @OptionGroup var repeats: BenchRounds
    @OptionGroup var options: BenchOptions

    func validate() throws {
      try task.check(ManagedBenchmark.Task.allCases.map(\.rawValue), "task")
      guard rows.values.count == 2, rows.values.allSatisfy({ (1...100_000_000).contains($0) }) else {
        throw ValidationError("--rows has to be two numbers of 1 to 100,000,000.")
      }
    }

    func run() async throws {
      let output = try BenchOutput(options, against: "plain")
      var benchmark = ManagedBenchmark(in: FilePath(options.folder), progress: output.show)
      benchmark.schedule = repeats.schedule(options, normally: 50)
      benchmark.rows = rows.values
      let goals = try await benchmark.run(task.values.compactMap(ManagedBenchmark.Task.init))
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
