import ArgumentParser
import FilePackages

struct Recover: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recover",
    abstract: "Publish a save that was cut short.",
    discussion: """
      A save that was acknowledged is in the document's journal and cannot get lost. Every command that opens the \
      document publishes it; this one says what it found and what it did.

      Example:
        docpkg recover Trip.imageNotes --dry-run

      \(ExitStatus.help)
      """)

  @Argument(help: "The document.")
  var path: String

  @OptionGroup var writing: WritingOptions

  func run() async throws {
    var report = try PackageStore.recoveryReport(at: url(path))
    if !writing.dryRun && report.journal != .none {
      let store = try await PackageStore.open(at: url(path))
      let (damage, unpublished) = (await store.journalDamage, await store.unpublishedProblem)
      report.problem = (damage ?? unpublished)?.reason ?? report.problem
      // What cannot be published now has been said.
      try? await store.close()
    }
    if writing.json {
      try printJSON(report)
    } else if !writing.quiet {
      var output = StandardOutput()
      output.line("\(report)")
      if !writing.dryRun && report.journal == .waiting {
        output.line(report.problem == nil ? "published" : "not published")
      }
    }
    if report.problem != nil { throw ExitCode(ExitStatus.different) }
  }
}
