import ArgumentParser
import CloudContainers
import FilePackages
import Foundation
import Glibc
import ImageNotes
import UnixSignals

/// `docpkg serve`: a companion of `docpkg`, which finds this program by its name and runs it.
@main
struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "docpkg serve",
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

      Exit status: 0 done; 2 failed, also if a document could not be saved at the end: its edits are in a recovery \
      copy; 64 usage.
      """,
    version: FilePackagesVersion.current)

  @Argument(help: "The folder of documents; the working directory by default.", completion: .directory)
  var folder: String?

  @Option(
    help: ArgumentHelp("A container folder, whose documents are shown, too.", valueName: "folder"),
    completion: .directory)
  var container: String?

  @Option(help: "The port. The default is the folder's own port, or a free one if that is in use.")
  var port: UInt16?

  @Flag(help: "Open the address in the desktop's browser, too, by 'xdg-open'.")
  var open = false

  @Flag(help: "Print the address as JSON.")
  var json = false

  static func main() async {
    do {
      try checkVersion()
    } catch {
      warn("\(error)")
      Glibc.exit(2)
    }
    await main(nil)
  }

  func run() async throws {
    do {
      try await serve()
    } catch {
      if error is ExitCode { throw error }
      Self.warn("\(error is CocoaError ? error.localizedDescription : "\(error)")")
      throw ExitCode(2)
    }
  }

  /// Refuses to run for a `docpkg` of another version.
  private static func checkVersion() throws {
    let (given, own) = (ProcessInfo.processInfo.environment["DOCPKG_VERSION"], FilePackagesVersion.current)
    unsetenv("DOCPKG_VERSION")
    if given == nil || given == own { return }
    throw InputError(
      "'docpkg-serve' has version \(own), and 'docpkg' has version \(displayString(given ?? "")). "
        + "Install both from one build.")
  }

  private func serve() async throws {
    let folder = URL(filePath: folder ?? ".").absoluteURL.standardized
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isDirectory),
      isDirectory.boolValue
    else {
      throw InputError("'\(displayString(self.folder ?? "."))' is no folder.")
    }
    if UTType.imageNotes.tags[.filenameExtension]?.contains(folder.pathExtension) == true {
      throw InputError("'\(displayString(self.folder ?? "."))' is a document: give the folder that it is in.")
    }
    let path = try container ?? (ContainerSync.root(around: folder) == folder ? folder.path : nil)
    let sync = if let path { try await ContainerSync(at: path) } else { nil as ContainerSync? }
    let places = NotesPlaces(
      folder: container == nil && sync != nil ? nil : folder, container: sync?.container)
    let server = try NotesServer(
      places, state: Self.folder("XDG_STATE_HOME", ".local/state"),
      cache: Self.folder("XDG_CACHE_HOME", ".cache"))
    let page = BrowserPage.Place()
    defer { page.remove() }
    let signals = await UnixSignalsSequence(trapping: Self.endingSignals)
    let work = Task {
      let syncing = Task { await sync?.run() }
      defer { syncing.cancel() }
      try await server.run(at: port) { address in
        if open { page.show(address) }
        // A program that reads the address may send the signal at once.
        try tell(address)
      }
    }
    let ending = Task { for await _ in signals { work.cancel() } }
    defer { ending.cancel() }
    let result = await work.result
    // Also after an error, all documents are saved.
    let problems = await server.close()
    for problem in problems { Self.warn(problem) }
    // A signal is the usual end, and no failure. Work that it cancels ends with different errors.
    if !work.isCancelled { try result.get() }
    if !problems.isEmpty { throw ExitCode(2) }
  }

  /// The signals that end the server. The end of the terminal is none under nohup(1).
  private static var endingSignals: [UnixSignal] {
    var action = sigaction()
    sigaction(SIGHUP, nil, &action)
    let ignored = unsafeBitCast(SIG_IGN, to: Int.self)
    let isIgnored = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == ignored
    return [.sigint, .sigterm] + (isIgnored ? [] : [.sighup])
  }

  /// Writes a line for people.
  static func warn(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data("docpkg: \(text)\n".utf8))
  }

  private func tell(_ address: String) throws {
    let line =
      json ? String(decoding: try JSONEncoder.plain.encode(["address": address]), as: UTF8.self) : address
    try FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
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

/// A sentence on what the user gave.
struct InputError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
