import ArgumentParser
import CloudContainers
import CommandSupport
import FilePackages

extension Cloud {
  struct Repair: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "repair",
      abstract: "Store again what this machine has and the store lost.",
      discussion: """
        After a backup of the store was restored, or objects were lost or damaged, the command stores the entries of its log \
        and the content of the documents that are here again. Run it on each machine. Then it checks the container, and \
        names the rest. With --read it reads all content in the store, and finds damaged content, too.

        Example:
          docpkg cloud repair ~/Cloud --read

        \(ExitStatus.help)
        """)

    @OptionGroup var options: ReadingOptions

    func run() async throws {
      let report = try await options.run(saying: "the next 'docpkg cloud repair' does the rest") {
        try await $0.repair(reads: $1)
      }
      var lines = report.documents.map { "stored again \(display($0))" }
      if report.entries > 0 {
        lines.append("stored again \(counted(report.entries, "entry", "entries")) of the log")
      }
      try Cloud.tell(report, lines + ["\(report.check)"], asJSON: options.json)
      if !report.check.isWhole { throw ExitCode(ExitStatus.different) }
    }
  }
}
