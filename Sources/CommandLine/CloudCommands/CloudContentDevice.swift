import ArgumentParser
import CloudContainers
import CommandSupport
import ObjectStores

extension Cloud {
  /// Answers `docpkg conflicts` and `docpkg resolve`, which do not link the container.
  struct ContentDevice: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "content-device",
      abstract: "Print the name of the device whose edit a document is.",
      shouldDisplay: false)

    @Argument(path: "The document.")
    var path: String

    func run() async throws {
      // Asks the store for nothing.
      guard let folder = containerFolder(around: path) else { return }
      let container = try await CloudContainer.open(folder, in: FolderStore(at: folder))
      let name = try container.name(ofItemAt: absoluteURL(path))
      guard let device = try await container.contentDevice(ofItemNamed: name) else { return }
      var output = StandardOutput()
      output.write(device)
    }
  }
}
