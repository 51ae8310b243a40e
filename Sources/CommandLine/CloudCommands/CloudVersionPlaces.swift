import ArgumentParser
import CloudContainers
import CommandSupport
import FilePackages
import FoundationEssentials

extension Cloud {
  /// Answers `docpkg versions`, which does not link the container.
  struct Places: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "version-places",
      abstract: "Print the versions that the container has of a document, as JSON.",
      shouldDisplay: false)

    @Argument(path: "The document.")
    var path: String

    func run() async throws {
      var places = VersionPlaces()
      do {
        let folder = try await CloudFolder.open(at: path)
        let versions = try await folder.container.versions(ofItemNamed: folder.name(ofItemAt: path))
        for (version, notes) in zip(versions, Versions.notes(of: versions)) {
          places.stored.append(
            .init(
              number: version.sequence, date: version.date, computer: version.deviceName, size: version.size,
              notes: notes))
        }
      } catch let error as FilePackageError where error.code == .noSuchFile {
        // The document was never in the container.
      } catch {
        // The caller prints it beside the versions that are here.
        places.problems = [errorMessage(of: error)]
      }
      try printJSON(places)
    }
  }
}
