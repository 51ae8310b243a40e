import ArgumentParser
import CommandSupport
import FilePackages

struct Recover: AsyncParsableCommand, DocumentCommand {
  static let configuration = CommandConfiguration(
    commandName: "recover",
    abstract: "Publish a committed save, and remove leftovers of killed programs.",
    discussion: """
      An acknowledged save is in the document's log and cannot get lost. Every command that opens the document \
      publishes it; this one also reports the state of the log and its own steps. A killed program may leave \
      parts of a save that was never acknowledged. The command removes these leftovers from the document's hidden \
      folder, and from the folder that contains the document. The staged files of a running program stay.

      A child of an acknowledged save may have a name that the file system refuses, or a place where it permits no \
      rename, as in an immutable folder. Then the save waits, and no other save is possible. Remove the obstacle if you \
      can. Otherwise --discard-unpublishable drops these children from the save, names each with the reason, and \
      publishes the rest. The bytes of a dropped child become a conflict version in '.docpkg/conflicts'.

      If there are several documents, each line begins with the path. Each JSON object is one line, and has the path \
      as 'path'. The exit status is the greatest of all.

      Examples:
        docpkg recover Trip.imageNotes --dry-run
        docpkg recover Trip.imageNotes --discard-unpublishable

      \(ExitStatus.help)
      """)

  @Argument(paths: "The documents.")
  var paths: [String]

  @Flag(help: "Drop the children of a waiting save that cannot be published; keep their bytes.")
  var discardUnpublishable = false

  @OptionGroup var writing: WritingOptions

  var documents: [String] { paths }

  func run() async throws {
    try await forEachOperand(paths, recover)
  }

  private func recover(_ path: String) async throws {
    // Opening publishes a save of a document with a database, and keeps what a killed publisher had put aside.
    if !writing.dryRun { try await databaseDocument(at: path)?.publish() }
    var report = try PackageStore.recoveryReport(at: url(path))
    if !writing.dryRun && discardUnpublishable && report.log == .waiting {
      report.discarded = try await PackageStore.discardUnpublishable(at: url(path))
    }
    if !writing.dryRun && [.waiting, .damaged].contains(report.log) {
      let store = try await PackageStore.open(at: url(path))
      let (damage, unpublished) = (await store.logDamage, await store.unpublishedProblem)
      report.problem = (damage ?? unpublished)?.reason ?? report.problem
      try? await store.close()  // The report names this error already.
    }
    if !writing.dryRun && report.problem == nil {
      report.leftovers = try await interruptible { [path] in
        try await PackageStore.removeLeftovers(at: url(path))
      }
    }
    var lines = report.description.split(separator: "\n").map(String.init)
    lines += report.discarded.map(\.description)
    if !writing.dryRun && report.log == .waiting {
      lines.append(report.problem == nil ? "published" : "not published")
    }
    if !writing.dryRun && !report.leftovers.isEmpty { lines.append("removed") }
    if paths.count == 1 {
      try writing.tell(report, lines.joined(separator: "\n"))
    } else {
      let text = lines.map { "\(display(path)): \($0)" }.joined(separator: "\n")
      try writing.tell(Located(path: path, report: report), text)
    }
    if report.problem != nil { throw ExitCode(ExitStatus.different) }
  }
}
