import ArgumentParser
import CloudContainers
import CommandSupport
import FilePackages

extension Cloud {
  struct Leave: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "leave",
      abstract: "Make a container folder an ordinary folder again.",
      discussion: """
        The command undoes 'init' and 'add' on this machine. The documents that are here stay as ordinary documents, \
        and the store stays as it is. The command names the placeholders: the container alone has them. It refuses if \
        the container lacks changes that are here; 'docpkg cloud sync' uploads them. The file .docpkgignore stays.

        Example:
          docpkg cloud leave ~/Cloud

        \(ExitStatus.help)
        """)

    @OptionGroup var argument: FolderArgument

    @Flag(help: "Leave also if the container lacks changes that are here.")
    var force = false

    @Flag(help: "Print the result as JSON.")
    var json = false

    func run() async throws {
      let path = argument.path
      guard isContainerFolder(url(path)) else {
        throw InputError(description: "'\(display(path))' is no container folder.")
      }
      let report = try await CloudFolder.open(at: path).container.leave(force: force)
      let lines =
        report.placeholders.map { "not here: \(display($0))" }
        + report.notUploaded.map { "not uploaded: \(display($0))" }
        + ["\(display(path)) has left the container, with \(counted(report.documents, "document"))"]
      try Cloud.tell(report, lines, asJSON: json)
    }
  }
}
