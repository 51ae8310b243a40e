import ArgumentParser
import FilePackages

struct Copy: TurnTakingCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy",
    abstract: "Save a document as another one.",
    discussion: """
      The copy has an identifier of its own, and shares blocks with the original where the file system can do \
      that, never files. A folder that is there, and is no package, gets the copy under the document's name.

      Examples:
        docpkg copy Trip.imageNotes "Trip, shortened.imageNotes"
        docpkg copy Trip.imageNotes Backups/

      \(ExitStatus.help)
      """)

  @Argument(help: "The document to copy.")
  var source: String

  @Argument(help: "Where to save the copy, or the folder to put it into. There must be nothing yet.")
  var destination: String

  @OptionGroup var writing: WritingOptions

  func run() async throws {
    let destination = Destination.path(destination) { Destination.name(of: source)?.name }
    let store = try await PackageStore.open(at: url(source))
    if writing.dryRun { return try writing.report(await store.copyPlan(to: url(destination))) }
    let report = try await interruptible { try await store.copy(to: url(destination)) }
    try writing.report(report, of: destination)
  }
}
