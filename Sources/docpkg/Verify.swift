import ArgumentParser
import FilePackages

struct Verify: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Read every child and compare it with what was saved.",
    discussion: """
      Says which child is damaged, missing or was put there by another program, and which one could not be read and \
      why: nobody knows whether that is what was saved. A package that was torn by a copy \
      or by a program that synchronises folders is found out by its 'Metadata.plist' alone. Packages of other \
      programs have no digests: they are only read.

      Example:
        docpkg verify Trip.imageNotes

      \(ExitStatus.help)
      """)

  @Argument(help: "The document.")
  var path: String

  @Flag(name: .long, help: "Print JSON.")
  var json = false

  @Flag(name: .long, help: "Print nothing.")
  var quiet = false

  func run() async throws {
    let report = try await PackageStore.reading(at: url(path)) { try await $0.verify() }
    if json {
      try printJSON(report)
    } else if !quiet {
      var output = StandardOutput()
      for line in report.lines { output.line(line) }
    }
    if !report.isWhole { throw ExitCode(ExitStatus.different) }
  }
}
