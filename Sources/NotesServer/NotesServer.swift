import FilePackages
import FlyingSocks
package import FoundationEssentials
import Glibc

/// The pages of `docpkg serve`: ImageNotes documents in the browser, on this machine only.
///
/// ```
/// NotesServer ─► HTTPListener ─► ServerRoutes ─► LibraryRoutes ──► NotesLibrary ──► DocumentQuery, TrashLocation
///                                  RequestGuard   DocumentRoutes ─► OpenNotes ────► NotesSession ─► Document
/// ```
///
/// - Every request needs the cookie, which the printed address gives, and comes from a page of this server.
/// - A document is saved by its own autosave, by each change of an image or of the title, and when the server ends.
package struct NotesServer: Sendable {
  private let listener: HTTPListener
  private let routes: ServerRoutes

  /// Begins to listen on 127.0.0.1.
  ///
  /// - Parameters:
  ///   - places: the folder and the container.
  ///   - port: the port; 0 for a free one. By default the folder has a port of its own, and if that is in use, a
  ///     free one.
  ///   - state: the folder of the servers' keys; nil for a new key.
  /// - Throws: `PortInUse`; the error of the socket.
  package init(_ places: NotesPlaces, port: UInt16?, state: URL?) throws {
    let folder = try places.folder(places.preferred)
    listener = try Self.listener(of: folder, port: port)
    let token = try ServerKey.key(of: folder, in: state)
    let library = NotesLibrary(places)
    routes = ServerRoutes(
      access: RequestGuard(token: token, port: listener.port), library: library, notes: OpenNotes(library),
      pages: PageFiles(), uploads: try UploadFolder())
  }

  private static func listener(of folder: URL, port: UInt16?) throws -> HTTPListener {
    if let port {
      do {
        return try HTTPListener(port: port)
      } catch SocketError.failed(_, EADDRINUSE, _) {
        throw PortInUse(port: port)
      }
    }
    // One of the ports that no service is registered for. Open pages find the server there when it starts again.
    let digest = ContentHash(of: Array(folder.standardized.path.utf8)).bytes.prefix(2)
    let own = 49_152 + digest.reduce(0 as UInt16) { $0 << 8 | UInt16($1) } % 16_384
    do {
      return try HTTPListener(port: own)
    } catch SocketError.failed(_, EADDRINUSE, _) {
      return try HTTPListener(port: 0)
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
    return errors.map { Sentences(of: $0).message }
  }
}
