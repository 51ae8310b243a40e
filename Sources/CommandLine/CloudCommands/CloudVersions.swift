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
      let lines = zip(versions, Self.notes(of: versions)).map { version, notes in
        column("\(version.sequence)", 6) + "  \(localTime(version.date))" + column("\(version.size)", 12)
          + "  \(display(version.deviceName))" + (notes.isEmpty ? "" : " (\(notes.joined(separator: "; ")))")
      }
      try Cloud.tell(versions.map(ListedVersion.init), lines, asJSON: json, as: .data)
    }

    /// Returns what each line has besides: that the document is deleted, or has another name than in the next version.
    static func notes(of versions: [CloudVersion]) -> [[String]] {
      versions.enumerated().map { index, version in
        var notes = version.isDeleted ? ["deleted"] : []
        if index > 0, versions[index - 1].name != version.name { notes.append("as \(display(version.name))") }
        return notes
      }
    }
  }
}

/// A version in the output of `cloud versions --json` and `cloud restore --json`.
struct ListedVersion: Encodable {
  var number: Int
  var date: Date
  var device: String
  var size: UInt64
  var name: String
  /// The identity of the document.
  var id: String
  var deleted: Bool

  init(_ version: CloudVersion) {
    (number, date, device) = (version.sequence, version.date, version.deviceName)
    (size, name, id) = (version.size, version.name, version.document.string)
    deleted = version.isDeleted
  }
}
