import Documents
import Foundation
import NIOCore

/// The pages of `docpkg serve`: ImageNotes documents in the browser, on this machine only.
///
/// ```
/// NotesServer ─► PageServer ─► ServerRoutes ─► LibraryRoutes ──► NotesLibrary ──► DocumentQuery, TrashLocation
///                                               LibrarySearch ─► TextIndex
///                               RequestGuard    DocumentRoutes ─► OpenNotes ────► NotesSession ─► Document
/// ```
///
/// - Every request for a document needs the cookie, which the printed address gives, and comes from a page of this server.
/// - A document is saved by its own autosave, by each change of an image or of the title, and when the server ends.
struct NotesServer: Sendable {
  private let folder: URL
  private let secret: FolderSecret
  private let library: NotesLibrary
  private let notes: OpenNotes
  private let search: LibrarySearch
  private let pages: PageFiles
  private let uploads: UploadFolder

  /// Makes a server.
  ///
  /// - Parameters:
  ///   - places: the folder and the container.
  ///   - state: the folder of the servers' keys and pins; nil for new ones.
  ///   - cache: the folder of the indexes for searching; nil for one in memory.
  init(_ places: NotesPlaces, state: URL?, cache: URL?) throws {
    folder = try places.folder(places.preferred)
    secret = FolderSecret(word: try ServerKey.key(of: folder, in: state))
    let name = ServerKey.digest(
      try places.all.map { try places.folder($0).standardized.path }.joined(separator: "\0"))
    let pins = try Pins(state.map { PrivateFile($0.appending(path: "\(name).pins")) })
    library = NotesLibrary(places, pins)
    notes = OpenNotes(library)
    search = LibrarySearch(library, file: cache?.appending(path: "\(name).search"))
    pages = try PageFiles()
    uploads = try UploadFolder()
  }

  /// Serves until the task is cancelled.
  ///
  /// - Parameters:
  ///   - port: the port; 0 for any free one. By default the folder has ports of its own.
  ///   - tell: gets the address to open in a browser, as soon as it answers.
  /// - Throws: `PortInUse`; the error of the socket.
  func run(at port: UInt16?, _ tell: @escaping @Sendable (_ address: String) async throws -> Void)
    async throws
  {
    await library.start { [notes] in await notes.revive($0) }
    for candidate in ports(port) {
      let access = RequestGuard(secret: secret, port: candidate)
      let routes = ServerRoutes(
        access: access, library: library, notes: notes, search: search, pages: pages, uploads: uploads)
      do {
        return try await PageServer.run(at: candidate, routes) { try await tell(access.address) }
      } catch let error as IOError where error.errnoCode == EADDRINUSE {
        continue
      }
    }
    throw PortInUse(port: port)
  }

  private func ports(_ wish: UInt16?) -> [UInt16] {
    if let wish, wish != 0 { return [wish] }
    let free = ServerPort.anyFree(outgoing: ServerPort.outgoing)
    return wish == 0 ? free : ServerPort.candidates(of: folder, outgoing: ServerPort.outgoing) + free
  }

  /// Another program uses the port.
  struct PortInUse: Error, CustomStringConvertible {
    /// The port; nil if all that the server tried are in use.
    let port: UInt16?

    var description: String {
      guard let port, port != 0 else { return "No port is free." }
      return "Another program uses the port \(port). Give another one, or leave out --port."
    }
  }

  /// Saves and closes all documents.
  ///
  /// - Returns: the sentences of documents that could not be saved; recovery copies have their edits.
  func close() async -> [String] {
    let errors = await notes.closeAll()
    await library.stop()
    uploads.remove()
    return errors.map { ErrorExplanation(of: $0).message }
  }
}
