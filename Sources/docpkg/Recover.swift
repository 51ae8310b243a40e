import ArgumentParser
import FilePackages

struct Recover: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recover",
    abstract: "Publish a save that was cut short, and remove what killed programs left.",
    discussion: """
      A save that was acknowledged is in the document's journal and cannot get lost. Every command that opens the \
      document publishes it; this one says what it found and what it did. Parts of saves that were never \
      acknowledged, left by programs that were killed, are removed from the document's hidden folder and from \
      the folder that holds the document; what a running program is making stays.

      Example:
        docpkg recover Trip.imageNotes --dry-run

      \(ExitStatus.help)
      """)

  @Argument(help: "The document.")
  var path: String

  @OptionGroup var writing: WritingOptions

  func run() async throws {
    var report = try PackageStore.recoveryReport(at: url(path))
    if !writing.dryRun && [.waiting, .damaged].contains(report.journal) {
      let store = try await PackageStore.open(at: url(path))
      let (damage, unpublished) = (await store.journalDamage, await store.unpublishedProblem)
      report.problem = (damage ?? unpublished)?.reason ?? report.problem
      // What cannot be published now has been said.
      try? await store.close()
    }
    if !writing.dryRun && report.problem == nil {
      report.leftovers = try await interruptible { [path] in
        try await PackageStore.removeLeftovers(at: url(path))
      }
    }
    if writing.json {
      try printJSON(report)
    } else if !writing.quiet {
      var output = StandardOutput()
      output.line("\(report)")
      if !writing.dryRun && report.journal == .waiting {
        output.line(report.problem == nil ? "published" : "not published")
      }
      if !writing.dryRun && !report.leftovers.isEmpty { output.line("removed") }
    }
    if report.problem != nil { throw ExitCode(ExitStatus.different) }
  }
}
