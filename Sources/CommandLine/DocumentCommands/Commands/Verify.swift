import ArgumentParser
import CommandSupport
import FilePackages

struct Verify: AsyncParsableCommand, DocumentCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Read every child, and compare it with its digest.",
    discussion: """
      The report names each child that is damaged or missing. It also names each child that could not be read, with \
      the reason; nothing is known about its bytes. A copy or a synchronising program may tear a package, so that its \
      children belong to different states. 'Metadata.plist' alone shows that. The log in the hidden folder says which \
      child it is; a copy without that folder, such as a clone by git, shows the difference alone. Packages of other \
      programs have no digests: their children are only read.

      An edit by another program is no damage: it gives a file a later date than the save did, or brings back the \
      bytes of an earlier version. The report names the children that another program changed or added, and the exit \
      status stays 0. With --strict it is 1. A copy that did not preserve the dates shows damage in the same way, so \
      use --strict for it. `docpkg repair --accept` records the files as they are now; so does the next save of a \
      program that read them.

      In a document with a database, SQLite checks the database, and each file is compared with its row, also while \
      another program edits the document. Lines that begin with 'database:' have the problems of the database.

      If there are several documents, each line begins with the path. Each JSON object is one line, and has the path \
      as 'path'. The exit status is the greatest of all. A folder of documents stands for all documents in it, at any \
      depth; its other files have no digests.

      Examples:
        docpkg verify Trip.imageNotes
        docpkg verify ~/Documents
        docpkg verify ~/Documents/*.rtfd
        docpkg verify Backup/Trip.imageNotes --strict

      \(ExitStatus.help)
      """)

  @Argument(paths: "The documents.")
  var paths: [String]

  @Flag(name: .long, help: "Also end with 1 if another program changed or added a child.")
  var strict = false

  @Flag(name: .long, help: "Print JSON.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print nothing.")
  var quiet = false

  var documents: [String] { paths }

  func run() async throws {
    let operands = try await DocumentOperands(paths)
    try await operands.forEach { path in
      let report = try await document(at: path).verify()
      let prefix = operands.isOne ? "" : "\(display(path)): "
      if json && !quiet {
        try operands.isOne ? printJSON(report) : printJSON(Located(path: path, report: report))
      } else if !quiet {
        var output = StandardOutput()
        for line in report.lines { output.line(prefix + line) }
      }
      if strict ? !report.isAsSaved : !report.isWhole { throw ExitCode(ExitStatus.different) }
    }
  }
}
