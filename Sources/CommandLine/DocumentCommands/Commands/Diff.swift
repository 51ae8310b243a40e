import ArgumentParser
import CommandSupport
import Documents
import FilePackages
import FoundationEssentials

struct Diff: CoordinatedCommand, DocumentCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Compare versions of a document, or two packages.",
    discussion: """
      Two versions are compared from the first to the second, and one version with the document on disk. Without a \
      version, the command shows the changes of the last save. Two packages are compared from the first to the \
      second, without their metadata and hidden folders. Texts are compared by line, in unified form. For an image, \
      the output has the format, and the size in pixels of a PNG, JPEG, GIF or WebP; for any other child, the size. Of \
      a document with a database, the output has the numbers of changed rows, a line for each table, and the changed \
      files.

      Examples:
        docpkg diff Trip.imageNotes
        docpkg diff Trip.imageNotes --version 4F2A9C01 --stat
        docpkg diff Monday.rtfd Tuesday.rtfd

      Exit status: 0 no differences; 1 differences found; 2 failed, nothing lost; 64 usage.
      """)

  @Argument(path: "The document.")
  var path: String

  @Argument(path: "Another package to compare it with.")
  var other: String?

  @Option(
    name: .customLong("version"),
    help: "The identifier of a version or conflict version, or its first digits; up to two.")
  var versions: [String] = []

  @Flag(help: "Print only one line for each child.")
  var stat = false

  @Flag(name: .long, help: "Print JSON.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print nothing.")
  var quiet = false

  func validate() throws {
    if versions.count > 2 { throw ValidationError("Give at most two versions.") }
    if other != nil && !versions.isEmpty {
      throw ValidationError("Give either another package or --version.")
    }
  }

  var documents: [String] { [path] + (other.map { [$0] } ?? []) }

  func run() async throws {
    guard let other else {
      return try show(try await packageWithVersions(at: path).differences(ofVersions: versions))
    }
    try await coordinated(other) { try show(try await document(at: path).differences(to: other)) }
  }

  private func show(_ found: FoundDifferences) throws {
    for child in found.lost where !quiet {
      StandardError.write(
        "docpkg: '\(display(child))' cannot be compared: another program changed it, and its earlier bytes are lost\n"
      )
    }
    if quiet {
      // The exit status tells.
    } else if json {
      try printJSON(found.json)
    } else {
      var output = StandardOutput()
      output.write(stat ? found.lines : found.text)
    }
    if !found.isEmpty || !found.lost.isEmpty { throw ExitCode(ExitStatus.different) }
  }
}
