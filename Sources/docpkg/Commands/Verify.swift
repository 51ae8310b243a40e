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

      Of several documents each line begins with the path, and each JSON object, one a line, has it as 'path'; the \
      exit status is the greatest of all.

      Examples:
        docpkg verify Trip.imageNotes
        docpkg verify ~/Documents/*.rtfd

      \(ExitStatus.help)
      """)

  @Argument(paths: "The documents.")
  var paths: [String]

  @Flag(name: .long, help: "Print JSON.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print nothing.")
  var quiet = false

  func run() async throws {
    try await forEachOperand(paths) { path in
      let report = try await PackageStore.reading(at: url(path)) { try await $0.verify() }
      let prefix = paths.count == 1 ? "" : "\(display(path)): "
      if json && !quiet {
        try paths.count == 1 ? printJSON(report) : printJSON(Located(path: path, report: report))
      } else if !quiet {
        var output = StandardOutput()
        for line in report.lines { output.line(prefix + line) }
      }
      if !report.isWhole { throw ExitCode(ExitStatus.different) }
    }
  }
}
