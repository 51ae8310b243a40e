import ArgumentParser
import FilePackages

struct Repair: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "repair",
    abstract: "Put right what verifying a document finds, where that can be done.",
    discussion: """
      A child that is damaged or missing is restored where its bytes are found elsewhere in the document, as in \
      conflict versions or in copies that a program which synchronises folders has left. With --accept, what is \
      there afterwards counts as right: the digests are made anew, in a save of their own. A document that is whole stays \
      as it is, and a child that cannot be read is not accepted. Nothing is removed: the versions of the history stay, and \
      so does the state before, which says of each accepted child that what it was is lost.

      Examples:
        docpkg repair Trip.imageNotes --dry-run
        docpkg repair Trip.imageNotes --accept

      \(ExitStatus.help)
      """)

  @Argument(path: "The document.")
  var path: String

  @Flag(help: "Take the children as they are then for right.")
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
