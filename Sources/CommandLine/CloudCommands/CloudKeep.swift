import ArgumentParser
import CloudContainers
import CommandSupport
import FilePackages

extension Cloud {
  struct Keep: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "keep",
      abstract: "Set which documents this machine always has.",
      discussion: """
        Each 'docpkg cloud sync' downloads the documents that the setting names. With --opened, as at first, it \
        downloads those that a program or a user asked for. The setting is one of this machine, and 'docpkg cloud \
        status' shows it. A pattern has the form of .gitignore: 'Travel/' is all in a folder, '*.imageNotes' all of a \
        type. 'docpkg cloud evict' refuses a document that the setting names.

        Examples:
          docpkg cloud keep ~/Cloud --all
          docpkg cloud keep ~/Cloud Travel/ '*.imageNotes'

        \(ExitStatus.help)
        """)

    @Argument(path: "The container folder.")
    var folder: String

    @Argument(help: "Patterns of names in the container.")
    var patterns: [String] = []

    @Flag(help: "Keep all documents here.")
    var all = false

    @Flag(help: "Keep the documents here that a program or a user asked for.")
    var opened = false

    @Flag(name: .shortAndLong, help: "Print nothing but errors.")
    var quiet = false

    func validate() throws {
      if [all, opened, !patterns.isEmpty].count(where: { $0 }) != 1 {
        throw ValidationError("Give either --all, --opened or patterns.")
      }
    }

    func run() async throws {
      let container = try await CloudFolder.open(at: folder).container
      try await container.keepHere(all ? ["*"] : patterns)
      Cloud.tell("\(display(folder)) \(Self.words(try container.keptPatterns))", unless: quiet)
    }

    /// The setting in words, after the name of a folder.
    static func words(_ patterns: [String]) -> String {
      switch patterns {
      case []: "keeps the documents here that were asked for"
      case ["*"]: "keeps all documents here"
      default: "keeps here: \(patterns.map { display($0) }.joined(separator: " "))"
      }
    }
  }
}
