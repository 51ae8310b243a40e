import ArgumentParser
import CommandSupport
import DurableIO
import FilePackages

struct Copy: CoordinatedCommand, DocumentCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy",
    abstract: "Save a document as another one.",
    discussion: """
      The copy has an identifier of its own. If the file system can share blocks, the copy shares them with the \
      original. It never shares files. The report has the bytes that were written and the bytes that were shared. \
      FIFOs, sockets and devices are left out. If the destination is a folder and no \
      package, the copy gets the document's name in it.

      The history stays behind, because it may contain children that were deleted from the document. With \
      --with-history the copy is a backup instead: the same document, with its identifier and its history.

      A folder of documents is copied with its other files. Its documents keep their identifiers; their histories stay \
      behind, too, unless --with-history is given.

      A document with a database is copied at one moment, also while another program edits it, with all edits so far. \
      The copy can undo nothing, has no versions, and its database is one file without a log.

      Examples:
        docpkg copy Trip.imageNotes "Trip, shortened.imageNotes"
        docpkg copy Trip.imageNotes Backups/ --with-history

      \(ExitStatus.help)
      """)

  @Argument(path: "The document to copy.")
  var source: String

  @Argument(path: "The path of the copy, or a folder for it; nothing may exist at that path yet.")
  var destination: String

  @Flag(help: "Copy the history too, and keep the identifier.")
  var withHistory = false

  @OptionGroup var writing: WritingOptions

  var path: String { source }

  func run() async throws {
    let destination = Destination.path(destination) { Destination.name(of: source)?.name }
    let document = try document(at: source)
    if writing.dryRun {
      return try writing.report(try await document.copyPlan(to: destination, withHistory: withHistory))
    }
    let report = try await interruptible { [withHistory] in
      try await document.copy(to: destination, withHistory: withHistory)
    }
    try writing.report(report, of: destination)
    if report.leftOut.contains(where: { $0.hasSuffix(PackageLayout.hidden.string) }) && !writing.quiet {
      StandardError.write("docpkg: the copy has no history; --with-history copies it, too\n")
    }
  }
}
