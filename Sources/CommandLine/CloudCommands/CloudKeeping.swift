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
      let read = read
      return try await Cloud.withFolder(argument.path, saying: words) { try await body($0.container, read) }
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
      try Cloud.tell(report, ["\(report)"], asJSON: options.json, as: .data)
      if !report.isWhole { throw ExitCode(ExitStatus.different) }
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
      let dryRun = dryRun
      let report = try await Cloud.withFolder(
        argument.path, saying: "the next 'docpkg cloud gc' does the rest"
      ) {
        try await $0.container.collectGarbage(isDryRun: dryRun)
      }
      let line = (dryRun ? "would remove " : "removed ") + "\(report)"
      try Cloud.tell(report, [line], asJSON: json, as: dryRun ? .data : .report)
      if !report.problems.isEmpty { throw ExitCode(ExitStatus.different) }
    }
  }
}
