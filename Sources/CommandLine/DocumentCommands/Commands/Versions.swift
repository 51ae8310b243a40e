import ArgumentParser
import CommandSupport
import Documents
import FilePackages
import FoundationEssentials

struct Versions: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "versions",
    abstract: "List the versions in the history of a document.",
    discussion: """
      The newest version is first. Each line has the identifier, the date, the generation, the bytes that only this \
      version has, and the children that the next save changed. Other commands accept the first digits of an \
      identifier. The present state has a star. In a container folder, the versions of the container follow. Their \
      lines have the computer that made the version, and the place where it is. `docpkg edit` keeps a version with each \
      save of a document that has 'Metadata.plist'. `docpkg versions start` begins a history in any package. A document \
      with a database keeps no versions. Docs/History.md describes the retention policy.

      Examples:
        docpkg versions Trip.imageNotes
        docpkg versions start Book.epub
        docpkg versions prune Trip.imageNotes --dry-run
        docpkg versions stop Trip.imageNotes

      \(ExitStatus.help)
      """,
    subcommands: [VersionsList.self, VersionsStart.self, VersionsPrune.self, VersionsStop.self],
    defaultSubcommand: VersionsList.self)
}

struct VersionsList: CoordinatedCommand, DocumentCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the versions.",
    discussion: """
      In a container folder, each line ends with the computer that made the version and with its place: this computer \
      or the container. A version of the container has its number, for 'docpkg cloud restore --version'. With --local, \
      the command asks the store for nothing.

      Examples:
        docpkg versions Trip.imageNotes --json
        docpkg versions ~/Cloud/Trip.imageNotes --local

      \(ExitStatus.help) 1 if the versions in the container cannot be read.
      """)

  @Argument(path: "The document.")
  var path: String

  @Flag(name: .long, help: "Print JSON.")
  var json = false

  @Flag(help: "List the versions on this computer alone.")
  var local = false

  func run() async throws {
    var shown = try await document(at: path).versions()
    let container = local ? nil : ContainerVersions(at: path)
    if let container { shown = shown.map { $0.onThisComputer() } + container.listed.map { ShownVersion($0) } }
    if json {
      try printJSON(shown)
    } else {
      var output = StandardOutput()
      for version in shown { output.line(version.line) }
    }
    if let problem = container?.problem {
      StandardError.write("docpkg: \(problem)\n")
      throw ExitCode(ExitStatus.different)
    }
  }
}

struct VersionsStart: WritingCommand, DocumentCommand {
  static let configuration = CommandConfiguration(
    commandName: "start",
    abstract: "Begin a history of a document.",
    discussion: """
      Each later save keeps the version that it replaces, in any program that uses this library. In \
      a package of another program, the first time reads every file and adds a 'Metadata.plist'. A folder of documents \
      is no document: each of its documents has a history of its own.

      Example:
        docpkg versions start Book.epub

      \(ExitStatus.help)
      """)

  @Argument(path: "The document.")
  var path: String

  @OptionGroup var writing: WritingOptions

  func run() async throws {
    let report = try await packageWithVersions(at: path).startHistory(dryRun: writing.dryRun)
    try writing.tell(report, "\(display(path)): \(report)")
  }
}

struct VersionsPrune: AsyncParsableCommand, DocumentCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Remove versions by the retention policy.",
    discussion: """
      The history keeps every version of the last hour, and one of each hour for a day. Older than that, it keeps \
      one of each day for 30 days, and then one of each week. If all versions take more than the budget, the oldest \
      are removed. The last version always stays. Closing a document thins its history in the same way. The command also \
      removes the versions before a gap, which 'docpkg verify' names: they cannot be put together.

      Examples:
        docpkg versions prune Trip.imageNotes --dry-run
        docpkg versions prune Trip.imageNotes --dry-run --budget 500M

      \(ExitStatus.help)
      """)

  @Argument(path: "The document.")
  var path: String

  var documents: [String] { [path] }

  @Option(help: "The most bytes of children that the history keeps from now on, also as 500M or 1G.")
  var budget: ByteCount?

  @OptionGroup var writing: WritingOptions

  func run() async throws {
    let report = try await packageWithVersions(at: path).pruneHistory(
      budget: budget?.bytes, dryRun: writing.dryRun)
    warn(report.warnings)
    let lines = report.removed.map { "remove \($0)" } + ["\(display(path)): \(report)"]
    try writing.tell(report, lines.joined(separator: "\n"))
  }
}

struct VersionsStop: AsyncParsableCommand, DocumentCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop",
    abstract: "Remove all versions, and keep none from now on.",
    discussion: """
      'Metadata.plist' says so from then on, also that of a copy: no program begins a history in the document again. \
      `docpkg versions start` takes that back. A package without 'Metadata.plist' has no history in any case.

      Example:
        docpkg versions stop Trip.imageNotes

      \(ExitStatus.help)
      """)

  @Argument(path: "The document.")
  var path: String

  var documents: [String] { [path] }

  @OptionGroup var writing: WritingOptions

  func run() async throws {
    let report = try await packageWithVersions(at: path).stopHistory(dryRun: writing.dryRun)
    warn(report.warnings)
    try writing.tell(report, "\(display(path)): \(report)")
  }
}
