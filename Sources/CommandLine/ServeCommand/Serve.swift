package import ArgumentParser
import CloudCommands
import CloudContainers
import CommandSupport
import Documents
import FilePackages
import FoundationEssentials
import NotesServer

package struct Serve: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Open the ImageNotes documents of a folder in the browser, on this machine only.",
    discussion: """
      Prints an address, and serves until it is interrupted. The browser with that address shows the documents of \
      the folder: the library, each document, its history and its conflicts. The address has a secret, which is new \
      at each start. The server listens on this machine only, and answers only pages that were opened with it.

      Documents are saved as you write. Ctrl-C saves and closes them. If the program is killed, nothing is lost that \
      a page showed as saved. A folder keeps its port, unless another program uses it, and a key. So open pages go on \
      when the command runs again. The key is in $XDG_STATE_HOME/docpkg/serve (~/.local/state if the variable is not \
      set).

      With --container the library has the documents of a container folder, too, and documents can move between the \
      two. The command syncs the container folder as 'docpkg cloud sync --watch' does. If FOLDER itself is a container \
      folder, the library has its documents only.

      Examples:
        docpkg serve --open ~/Notes
        docpkg serve ~/Notes --container ~/Cloud

      \(ExitStatus.help) 2 also if a document could not be saved at the end; its edits are in a recovery copy.
      """)

  @Argument(path: "The folder of documents; the working directory by default.")
  var folder: String?

  @Option(path: ArgumentHelp("A container folder, whose documents are shown, too.", valueName: "folder"))
  var container: String?

  @Option(help: "The port. The default is the folder's own port, or a free one if that is in use.")
  var port: UInt16?

  @Flag(help: "Open the address in the desktop's browser, too, by 'xdg-open'.")
  var open = false

  @Flag(help: "Print the address as JSON.")
  var json = false

  package init() {}

  package func run() async throws {
    let folder = folder ?? "."
    let kind = try await folderKind(of: folder)
    guard kind == .library else {
      let reason = kind == .package ? "is a document: give the folder that it is in" : "is no folder"
      throw InputError(description: "'\(display(folder))' \(reason).")
    }
    let isContainer = container == nil && isContainerFolder(url(folder))
    let cloud: CloudFolder? =
      if let path = isContainer ? folder : container { try await CloudFolder.open(at: path) } else { nil }
    let places = NotesPlaces(folder: isContainer ? nil : absoluteURL(folder), container: cloud?.container)
    let server: NotesServer
    do {
      server = try NotesServer(
        places, port: port, state: Self.folder("XDG_STATE_HOME", ".local/state"),
        cache: Self.folder("XDG_CACHE_HOME", ".cache"))
    } catch let error as NotesServer.PortInUse {
      throw InputError(description: "\(error) Give another one, or leave out --port.")
    }
    // A signal is the usual end, and no failure. Also after an error, all documents are saved.
    let result: Result<Void, any Error>
    let page = open ? Self.openBrowser(server.address) : nil
    defer { page?.remove() }
    do {
      try await interruptible { [self] in
        // A program that reads the address may send the signal at once.
        try tell(server.address)
        try await Self.serve(server, cloud)
      }
      result = .success(())
    } catch {
      result = .failure(error)
    }
    let problems = await server.close()
    for problem in problems { StandardError.write("docpkg: \(problem)\n") }
    try result.get()
    if !problems.isEmpty { throw ExitCode(ExitStatus.failed) }
  }

  /// Opens the browser. Without one, the address can still be opened by hand.
  private static func openBrowser(_ address: String) -> BrowserPage? {
    do {
      let page = try BrowserPage(leadingTo: address)
      do {
        try page.show()
      } catch {
        page.remove()
        throw error
      }
      return page
    } catch {
      StandardError.write("docpkg: \(errorMessage(of: error)) Open the address yourself.\n")
      return nil
    }
  }

  private static func serve(_ server: NotesServer, _ cloud: CloudFolder?) async throws {
    let syncing = Task { if let cloud { await sync(cloud) } }
    defer { syncing.cancel() }
    do {
      try await server.run()
    } catch {
      // Work that a signal cancels ends with different errors.
      if !Task.isCancelled { throw error }
    }
  }

  /// Syncs until the task is cancelled. An error ends the syncing alone: the documents are still served.
  private static func sync(_ cloud: CloudFolder) async {
    do {
      try await ContinuousSync(folder: cloud, interval: 30).run { _, problems in
        for problem in problems { StandardError.write("docpkg: \(problem)\n") }
      }
    } catch {
      if Task.isCancelled { return }
      StandardError.write(
        "docpkg: \(errorMessage(of: error))\ndocpkg: the container is not synced any more\n")
    }
  }

  private func tell(_ address: String) throws {
    if json { return try printJSON(["address": address]) }
    var output = StandardOutput()
    output.line(address)
  }

  /// The folder of the servers' files of one kind; nil if the environment names no home. Then each run has new ones.
  private static func folder(_ variable: String, _ path: String) -> URL? {
    let environment = ProcessInfo.processInfo.environment
    if let folder = environment[variable], folder.hasPrefix("/") {
      return URL(filePath: folder + "/docpkg/serve", directoryHint: .isDirectory)
    }
    guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
    return URL(filePath: "\(home)/\(path)/docpkg/serve", directoryHint: .isDirectory)
  }
}
