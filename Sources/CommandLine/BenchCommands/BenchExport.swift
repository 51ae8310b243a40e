import ArgumentParser
import Benchmarks
import CommandSupport
import SystemPackage

extension Bench {
  struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "export",
      abstract: "Measure exports and imports beside other programs.",
      discussion: """
        Makes a package of text, of pictures, or of a mix. Pictures are bytes that do not compress; so are three \
        quarters of the mix. docpkg and other programs archive the package, as whole commands.

        Tasks:
          zip             'docpkg export' beside zip -6, bsdtar, 7z and Python
          tar.zst         beside 'tar | zstd -T0' and bsdtar
          update          'docpkg export --update' after one change, beside a full one and beside 'cp' with 'sync'
          import-zip      'docpkg import' beside unzip and bsdtar, with and without 'sync' of their files
          import-tar.zst  beside tar and bsdtar

        docpkg syncs the files that it writes. The other programs do not, unless 'sync' is in their name.

        Example:
          docpkg bench export --task zip,update --content mix

        Exit status: 0 done; 1 something became slower than in the report of --compare; 2 failed; 64 usage.
        """)

    @Option(name: .customLong("task"), help: ArgumentHelp("The tasks.", valueName: "name,…"))
    var tasks = List(ExportBenchmark.Task.allCases.map(\.rawValue))

    @Option(help: ArgumentHelp("The contents of the package: text, pictures, mix.", valueName: "name,…"))
    var content = List(Mixture.allCases.map(\.rawValue))

    @Option(help: ArgumentHelp("The approximate bytes of the package.", valueName: "bytes"))
    var size = ByteCount(104_000_000)

    @OptionGroup var repeats: BenchRounds
    @OptionGroup var ratios: BenchRatios
    @OptionGroup var options: BenchOptions

    func validate() throws {
      try tasks.check(ExportBenchmark.Task.allCases.map(\.rawValue), "task")
      try content.check(Mixture.allCases.map(\.rawValue), "content")
      var measured: [String] = []
      for task in tasks.values.compactMap(ExportBenchmark.Task.init) {
        measured += ExportBenchmark.strategies(of: task).filter { !measured.contains($0) }
      }
      try ratios.check(measured)
      guard (1_000_000...100_000_000_000).contains(size.bytes) else {
        throw ValidationError("--size has to be 1,000,000 to 100,000,000,000.")
      }
    }

    func run() async throws {
      guard let command = BenchOptions.command else {
        throw InputError(description: "'docpkg' is not beside 'docpkg-bench'.")
      }
      let output = try BenchOutput(options, against: ratios.against ?? "docpkg")
      var benchmark = ExportBenchmark(command: command)
      benchmark.schedule = repeats.schedule(options, normally: 5)
      benchmark.schedule.budget = .seconds(max(options.budget, 60))
      for mixture in content.values.compactMap(Mixture.init) {
        for task in tasks.values.compactMap(ExportBenchmark.Task.init) {
          output.add(
            try await benchmark.run(
              [task], mixture, bytes: Int(size.bytes), in: FilePath(options.folder), progress: output.show))
        }
      }
      try output.finish()
    }
  }
}
