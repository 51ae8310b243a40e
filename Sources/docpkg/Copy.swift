import ArgumentParser
import FilePackages

struct Copy: TurnTakingCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy",
    abstract: "Save a document as another one.",
    discussion: """
      The copy has an identifier of its own, and shares blocks with the original where the file system can do \
      that, never files.

      Example:
        docpkg copy Trip.imageNotes "Trip, shortened.imageNotes"

      \(ExitStatus.help)
      """)

  @Argument(help: "The document to copy.")
  var source: String

  @Argument(help: "Where to save the copy. There must be nothing yet.")
  var destination: String

  @OptionGroup var writing: WritingOptions

  func run() async throws {
    let store = try await PackageStore.open(at: url(source))
    if writing.dryRun { return try writing.report(await store.copyPlan(to: url(destination))) }
    let report = try await interruptible { try await store.copy(to: url(destination)) }
    try writing.report(report, of: destination)
  }
}
