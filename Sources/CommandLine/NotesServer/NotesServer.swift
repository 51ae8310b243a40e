import DurableIO
import FilePackages
package import FoundationEssentials
import SystemPackage

/// The pages of `docpkg serve`: ImageNotes documents in the browser, on this machine only.
///
/// ```
/// NotesServer ─► HTTPListener ─► ServerRoutes ─► LibraryRoutes ──► NotesLibrary ──► DocumentQuery, TrashLocation
///                                                 LibrarySearch ─► TextIndex
///                                  RequestGuard   DocumentRoutes ─► OpenNotes ────► NotesSession ─► Document
/// ```
///
/// - Every request for a document needs the cookie, which the printed address gives, and comes from a page of this server.
/// - A document is saved by its own autosave, by each change of an image or of the title, and when the server ends.
package struct NotesServer: Sendable {
  private let listener: HTTPListener
  private let routes: ServerRoutes

  /// Begins to listen on this machine's own addresses.
  ///
  /// - Parameters:
  ///   - places: the folder and the container.
  ///   - port: the port; 0 for a free one. By default the folder has ports of its own, and if all are in use, a free one.
  ///   - state: the folder of the servers' keys and pins; nil for new ones.
  ///   - cache: the folder of the indexes for searching; nil for one in memory.
  /// - Throws: `PortInUse`; the error of the socket.
  package init(_ places: NotesPlaces, port: UInt16?, state: URL?, cache: URL?) throws {
    let folder = try places.folder(places.preferred)
    listener = try Self.listener(of: folder, port: port)
    let secret = FolderSecret(word: try ServerKey.key(of: folder, in: state))
    let library = NotesLibrary(places, Pins(try Self.file(of: places, in: state, "pins")))
    routes = ServerRoutes(
      access: try RequestGuard(secret: secret, port: listener.port), library: library,
      notes: OpenNotes(library),
      search: LibrarySearch(library, file: try Self.file(of: places, in: cache, "search")),
      pages: PageFiles(), uploads: try UploadFolder())
  }

  /// A file of these places; nil without a folder for it.
  private static func file(of places: NotesPlaces, in folder: URL?, _ ending: String) throws
    -> FilePath?
  {
    guard let folder else { return nil }
    let paths = try places.all.map { try places.folder($0).standardized.path }
    let name = ServerKey.word(of: ContentHash(of: Array(paths.joined(separator: "\0").utf8)).bytes)
    return FilePath(lossless: folder.path).appending("\(name).\(ending)")
  }

  private static func listener(of folder: URL, port: UInt16?) throws -> HTTPListener {
    if let port {
      guard let listener = try freeListener(port) else { throw PortInUse(port: port) }
      return listener
    }
    for port in ServerPort.candidates(of: folder, outgoing: ServerPort.outgoing) {
      if let listener = try freeListener(port) { return listener }
    }
    return try HTTPListener(port: 0)
  }

  /// Listens at a port; nil if another program uses it.
  private static func freeListener(_ port: UInt16) throws -> HTTPListener? {
    do {
      return try HTTPListener(port: port)
    } catch  where error.code == .addressInUse {
      return nil
    }
  }

  /// Another program uses the port.
  package struct PortInUse: Error, CustomStringConvertible {
    /// The port.
    package let port: UInt16

    package var description: String { "Another program uses the port \(port)." }
  }

  /// The address to open in a browser.
  package var address: String { routes.access.address }

  /// Serves until the task is cancelled.
  package func run() async throws {
    await routes.library.start { [notes = routes.notes] in await notes.revive($0) }
    try await listener.run(routes)
  }

  /// Saves and closes all documents.
  ///
  /// - Returns: the sentences of documents that could not be saved; recovery copies have their edits.
  package func close() async -> [String] {
    listener.endConnections()
    let errors = await routes.notes.closeAll()
    await routes.library.stop()
    routes.uploads.remove()
    return errors.map { ErrorExplanation(of: $0).message }
  }
}
