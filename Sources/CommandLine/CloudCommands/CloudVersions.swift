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
      let (progress, path) = (TransferProgress(), path)
      let versions = try await interruptible(saying: "nothing was changed") {
        let folder = try await CloudFolder.open(at: path, progress)
        return try await folder.container.versions(ofItemNamed: folder.name(ofItemAt: path))
      }
      progress.clear()
      if json {
        try printJSON(versions.map(Listed.init))
      } else {
        var output = StandardOutput()
        for (version, notes) in zip(versions, Self.notes(of: versions)) {
          output.line(Self.line(of: version, notes))
        }
      }
    }

    /// Returns what each line has besides: that the document is deleted, or has another name than in the next version.
    static func notes(of versions: [CloudVersion]) -> [[String]] {
      versions.enumerated().map { index, version in
        var notes = version.isDeleted ? ["deleted"] : []
        if index > 0, versions[index - 1].name != version.name { notes.append("as \(display(version.name))") }
        return notes
      }
    }

    private static func line(of version: CloudVersion, _ notes: [String]) -> String {
      func column(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
      }
      return column("\(version.sequence)", 6) + "  \(localTime(version.date))" + column("\(version.size)", 12)
        + "  \(display(version.deviceName))" + (notes.isEmpty ? "" : " (\(notes.joined(separator: "; ")))")
    }

    private struct Listed: Encodable {
      var number: Int
      var date: Date
      var device: String
      var size: UInt64
      var name: String
      var deleted: Bool

      init(_ version: CloudVersion) {
        (number, date, device) = (version.sequence, version.date, version.deviceName)
        (size, name, deleted) = (version.size, version.name, version.isDeleted)
      }
    }
  }
}
