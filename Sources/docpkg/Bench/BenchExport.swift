import ArgumentParser
import Benchmarks
import SystemPackage

extension Bench {
  struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "export",
      abstract: "Measure exports and imports beside other programs.",
      discussion: """
        Makes a package of text, of bytes that do not compress as pictures are, or of a mix of which three quarters do \
        not compress, and has docpkg and other programs archive it, as whole commands.

        Tasks:
          zip             'docpkg export' beside zip -6, bsdtar, 7z and Python
          tar.zst         beside 'tar | zstd -T0' and bsdtar
          update          'docpkg export --update' after one change, beside a full one and beside 'cp' with 'sync'
          import-zip      'docpkg import' beside unzip and bsdtar, with and without 'sync' of what they wrote
          import-tar.zst  beside tar and bsdtar

        docpkg synchronises what it writes; the others do not, unless 'sync' is in their name.

        Example:
          docpkg bench export --task zip,update --content mix

        Exit status: 0 done; 1 something became slower than in the report of --compare; 2 failed; 64 usage.
        """)

    @Option(name: .customLong("task"), help: ArgumentHelp("What is done.", valueName: "name,…"))
    var tasks = List(ExportBenchmark.Task.allCases.map(\.rawValue))

    @Option(help: ArgumentHelp("What the package is made of: text, pictures, mix.", valueName: "name,…"))
    var content = List(Mixture.allCases.map(\.rawValue))

    @Option(help: ArgumentHelp("Bytes of the package, about.", valueName: "bytes"))
    var size = 104_000_000

    @OptionGroup var options: BenchOptions

    func validate() throws {
      try tasks.check(ExportBenchmark.Task.allCases.map(\.rawValue), "task")
      try content.check(Mixture.allCases.map(\.rawValue), "content")
      guard (1_000_000...100_000_000_000).contains(size) else {
        throw ValidationError("--size has to be 1,000,000 to 100,000,000,000.")
      }
    }

    func run() async throws {
      guard let command = BenchOptions.command else {
        throw InputError(description: "Where docpkg itself is, is not known without /proc.")
      }
      let output = try BenchOutput(options, against: options.against ?? "docpkg")
      var benchmark = ExportBenchmark(command: command)
      benchmark.race = options.race(rounds: 5)
      benchmark.race.budget = .seconds(max(options.budget, 60))
      for mixture in content.values.compactMap(Mixture.init) {
        for task in tasks.values.compactMap(ExportBenchmark.Task.init) {
          output.add(
            try await benchmark.run(
              [task], mixture, bytes: size, in: FilePath(options.folder), progress: output.show))
        }
      }
      try output.finish()
    }
  }

  struct Replay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "replay",
      abstract: "Measure saving successive states of a real package.",
      discussion: """
        Each folder is a state of one package, in order; each is saved over the one before: by this library (journal, \
        published, staged), by writing all of it anew (full), and by rsync, git and cp as whole commands. The folders \
        are only read. Metadata.plist and hidden entries are left to who saves.

        Example:
          docpkg bench replay Monday.rtfd Tuesday.rtfd Wednesday.rtfd --html replay.html

        Exit status: 0 done; 1 something became slower than in the report of --compare; 2 failed; 64 usage.
        """)

    @Argument(help: "The states, two or more.")
    var folders: [String]

    @Option(
      name: .customLong("strategy"), help: ArgumentHelp("The ways, instead of all.", valueName: "name,…"))
    var strategies = List(ReplayBenchmark.strategies)

    @OptionGroup var options: BenchOptions

    func validate() throws {
      guard folders.count >= 2 else { throw ValidationError("There have to be two states or more.") }
      guard options.rounds == nil else {
        throw ValidationError("There are as many rounds as there are steps from state to state.")
      }
      try strategies.check(ReplayBenchmark.strategies, "way")
    }

    func run() async throws {
      let names = strategies.values
      let output = try BenchOutput(
        options, against: options.against ?? names.first { $0 == "full" } ?? names[0])
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
