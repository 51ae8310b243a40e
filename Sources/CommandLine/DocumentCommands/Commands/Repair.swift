import ArgumentParser
import CommandSupport
import FilePackages

struct Repair: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "repair",
    abstract: "Repair the damage that `docpkg verify` finds, if possible.",
    discussion: """
      A damaged or missing child is restored if its bytes are found elsewhere in the document, as in conflict \
      versions or conflict copies. A child that another program edited is not restored. --accept then records \
      all remaining files as they are now, edited ones included. A \
      document whose children are as they were saved stays as it is. A child that cannot be read is not accepted. \
      Nothing is removed: the history keeps its versions, and also the state before the repair. In that state each \
      accepted child is marked as lost.

      Examples:
        docpkg repair Trip.imageNotes --dry-run
        docpkg repair Trip.imageNotes --accept

      \(ExitStatus.help)
      """)

  @Argument(path: "The document.")
  var path: String

  @Flag(help: "Accept the children as they are after that.")
  var accept = false

  @OptionGroup var writing: WritingOptions

  func run() async throws {
    let store = try await PackageStore.open(at: url(path))
    let report = try await interruptible(with: store) {
      var report = try await store.repair(accepting: accept, dryRun: writing.dryRun)
      await store.close(noting: &report.warnings)
      return report
    }
    warn(report.warnings)
    try writing.tell(report, "\(report)")
    if !report.remaining.isWhole { throw ExitCode(ExitStatus.different) }
  }
}
