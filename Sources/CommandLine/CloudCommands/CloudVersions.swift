import ArgumentParser
import CloudContainers
import CommandSupport
import FilePackages
import FoundationEssentials

extension Cloud {
  struct Versions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "versions",
      abstract: "List the versions that the container has of a document.",
      discussion: """
        Prints a line for each version, the last one first: the number, the date, the size, and the device that made \
        it. 'docpkg versions' lists them beside those of the history here. 'docpkg cloud restore --version' brings one back. A version stays for thirty days after the next one \
        came; 'docpkg cloud gc' removes it then. The name of a deleted document is possible, too. The command asks the store for nothing.

        Examples:
          docpkg cloud versions ~/Cloud/Trip.imageNotes
          docpkg cloud versions ~/Cloud/Trip.imageNotes --json | jq '.[0].number'

        \(ExitStatus.help)
        """)

    @Argument(path: "The document, in the container folder.")
    var path: String

    @Flag(help: "Print a JSON array, with dates in UTC.")
    var json = false

    func run() async throws {
      let path = path
      let versions = try await Cloud.withFolder(path, saying: "nothing was changed") { folder in
        try await folder.container.versions(ofItemNamed: folder.name(ofItemAt: path))
      }
      let listed = ListedVersion.all(versions)
      let lines = listed.map { version in
        column("\(version.number)", 6) + "  \(localTime(version.date))" + column("\(version.size)", 12)
          + "  \(display(version.device))"
          + (version.notes.isEmpty ? "" : " (\(version.notes.joined(separator: "; ")))")
      }
      try Cloud.tell(listed, lines, asJSON: json, as: .data)
    }
  }
}

extension ListedVersion {
  /// Returns the versions of one document, the last one first, with their remarks.
  static func all(_ versions: [CloudVersion]) -> [ListedVersion] {
    zip(versions, [nil] + versions.map(Optional.some)).map { version, next in
      var listed = ListedVersion(version)
      if let next, next.name != version.name { listed.notes.append("as \(display(version.name))") }
      return listed
    }
  }

  init(_ version: CloudVersion) {
    self.init(
      number: version.sequence, date: version.date, device: version.deviceName, size: version.size,
      name: version.name, id: version.document.string, deleted: version.isDeleted,
      notes: version.isDeleted ? ["deleted"] : [])
  }
}
