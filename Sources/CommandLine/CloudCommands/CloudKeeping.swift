import ArgumentParser
import CloudContainers
import CommandSupport
import FilePackages

extension Cloud {
  /// The options and the run of commands that look at all objects of a container.
  struct ReadingOptions: ParsableArguments {
    @OptionGroup var argument: FolderArgument

    @Flag(help: "Read all content, and compare it with its checksums.")
    var read = false

    @Flag(help: "Print the result as JSON.")
    var json = false

    /// Calls `body` with the container and `--read`.
    ///
    /// - Parameter words: the state after a signal has interrupted the command.
    func run<Report: Sendable>(
      saying words: String, _ body: @escaping @Sendable (CloudContainer, Bool) async throws -> Report
    ) async throws -> Report {
      let progress = TransferProgress()
      let (path, read) = (argument.path, read)
      defer { progress.clear() }
      return try await interruptible(saying: words) {
        try await body(try await CloudFolder.open(at: path, progress).container, read)
      }
    }
  }

  struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "Check that the container has all objects that its documents need.",
      discussion: """
        The command lists the objects in the store, and reads the versions and the lists of children. With --read it \
        reads all content, too, and compares it with its checksums. Nothing is changed.

        It also compares the store with what this machine knows. It says if the store is empty, has another \
        container, or was rolled back, as by restoring a backup.

        Examples:
          docpkg cloud check ~/Cloud
          docpkg cloud check ~/Cloud --read --json

        \(ExitStatus.help)
        """)

    @OptionGroup var options: ReadingOptions

    func run() async throws {
      let report = try await options.run(saying: "nothing was changed") { try await $0.check(reads: $1) }
      if options.json {
        try printJSON(
          Result(
            finding: report.finding.rawValue, documents: report.documents, versions: report.versions,
            blobs: report.blobs,
            problems: report.problems.map { errorMessage(of: $0) }))
      } else {
        var output = StandardOutput()
        output.line("\(report)")
      }
      if !report.isWhole { throw ExitCode(ExitStatus.different) }
    }

    private struct Result: Encodable {
      var finding: String
      var documents: Int
      var versions: Int
      var blobs: Int
      var problems: [String]
    }
  }

  struct CollectGarbage: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "gc",
      abstract: "Remove the objects that no document needs from the container.",
      discussion: """
        Versions go thirty days after the next one, and the content that no other version has goes with them. \
        The last version of each document stays. Other machines upload nothing meanwhile. If a list of children is \
        damaged, all content stays: 'docpkg cloud repair' mends it.

        Example:
          docpkg cloud gc ~/Cloud --dry-run

        \(ExitStatus.help)
        """)

    @OptionGroup var argument: FolderArgument

    @Flag(name: [.customShort("n"), .long], help: "Print what would be removed, and remove nothing.")
    var dryRun = false

    @Flag(help: "Print the result as JSON.")
    var json = false

    func run() async throws {
      let progress = TransferProgress()
      let (path, dryRun) = (argument.path, dryRun)
      let report = try await interruptible(saying: "the next 'docpkg cloud gc' does the rest") {
        try await CloudFolder.open(at: path, progress).container.collectGarbage(isDryRun: dryRun)
      }
      progress.clear()
      if json {
        try printJSON(
          Result(
            versions: report.versions, blobs: report.blobs, bytes: report.bytes, keptBlobs: report.keptBlobs,
            problems: report.problems.map { errorMessage(of: $0) }),
          as: dryRun ? .data : .report)
      } else {
        var output = StandardOutput(dryRun ? .data : .report)
        output.line((dryRun ? "would remove " : "removed ") + "\(report)")
      }
      if !report.problems.isEmpty { throw ExitCode(ExitStatus.different) }
    }

    private struct Result: Encodable {
      var versions: Int
      var blobs: Int
      var bytes: UInt64
      var keptBlobs: Int
      var problems: [String]
    }
  }
}
