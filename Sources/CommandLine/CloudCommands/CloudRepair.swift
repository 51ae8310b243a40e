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
      if options.json {
        try printJSON(
          Result(
            documents: report.documents, entries: report.entries, finding: report.check.finding.rawValue,
            problems: report.check.problems.map { errorMessage(of: $0) }), as: .report)
      } else {
        var output = StandardOutput(.report)
        for name in report.documents { output.line("stored again \(display(name))") }
        if report.entries > 0 {
          output.line("stored again \(counted(report.entries, "entry", "entries")) of the log")
        }
        output.line("\(report.check)")
      }
      if !report.check.isWhole { throw ExitCode(ExitStatus.different) }
    }

    private struct Result: Encodable {
      var documents: [String]
      var entries: Int
      var finding: String
      var problems: [String]
    }
  }
}
