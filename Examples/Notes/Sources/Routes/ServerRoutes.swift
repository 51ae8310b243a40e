import Documents
import FilePackages
import Foundation
import HTTPTypes
import Hummingbird
import ImageNotes
import NIOHTTP1

/// Answers the requests of the pages.
struct ServerRoutes: HTTPResponder {
  let access: RequestGuard
  let library: NotesLibrary
  let notes: OpenNotes
  let search: LibrarySearch
  let pages: PageFiles
  let uploads: UploadFolder

  func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
    var response: Response
    do {
      response = try await answer(try PageRequest(request))
    } catch {
      // Hummingbird refuses bytes that are no HTTP.
      if error is HTTPParserError { throw error }
      response = try answer(error, to: request)
    }
    response.protect()
    return request.method == .head ? response.createHeadResponse() : response
  }

  private func answer(_ request: PageRequest) async throws -> Response {
    switch try access.check(request) {
    case .entrance: return giveCookie(PageFiles.entrance)
    case .file: return try pages.file(request)
    case .proof(let number): return try .json(access.proof(for: number))
    case .renewal: return giveCookie(.done)
    case .page: return try await answerPage(request)
    }
  }

  private func giveCookie(_ response: Response) -> Response {
    var response = response
    response.headers[.setCookie] = access.newCookie
    return response
  }

  private func answerPage(_ request: PageRequest) async throws -> Response {
    switch (request.method, request.segments.first) {
    case ("GET", "api"), ("HEAD", "api"), ("POST", "api"), ("PUT", "api"):
      return try await api(request, request.segments.dropFirst())
    case ("GET", _), ("HEAD", _): return try page(request)
    case ("POST", _), ("PUT", _): throw HTTPRefusal.notFound
    default:
      throw HTTPRefusal(
        status: .methodNotAllowed, message: "The server does not know this method.", endsConnection: true)
    }
  }

  /// Answers a request that failed.
  private func answer(_ error: any Error, to request: Request) throws -> Response {
    var refusal = Self.refusal(of: error)
    refusal.message = uploads.hidingPlace(in: refusal.message)
    refusal.advice = refusal.advice.map(uploads.hidingPlace)
    let path = request.uri.path
    var response: Response
    if request.method == .get, !path.hasPrefix("/api/"), !path.hasPrefix("/static/") {
      response = pages.response(to: refusal)
    } else {
      response = try .json(
        ["error": ["message": refusal.message, "advice": refusal.advice, "deletion": refusal.deletion]],
        refusal.status)
    }
    // Part of a body may be unread.
    let changes = request.method != .get && request.method != .head
    if refusal.endsConnection || changes { response.headers[.connection] = "close" }
    return response
  }

  /// The refusal that tells an error of the work.
  private static func refusal(of error: any Error) -> HTTPRefusal {
    if let refusal = error as? HTTPRefusal { return refusal }
    let sentences = ErrorExplanation(of: error)
    let status: HTTPResponse.Status =
      switch error {
      case let error as FilePackageError where error.code == .noSuchFile: .notFound
      case let error as DocumentError where error.fileError?.code == .noSuchFile || error.code == .closed:
        .notFound
      case ImageNotesError.notAnImage: .unsupportedMediaType
      default: .unprocessableContent
      }
    return HTTPRefusal(status: status, message: sentences.message, advice: sentences.advice)
  }

  // MARK: Pages

  private func page(_ request: PageRequest) throws -> Response {
    let segments = request.segments
    if segments.isEmpty { return try pages.response("library.html", to: request) }
    guard segments[0] == "d", segments.count > 1, DocumentID(segments[1]) != nil else {
      throw HTTPRefusal.notFound
    }
    switch segments.dropFirst(2) {
    case []: return try pages.response("document.html", to: request)
    case ["history"]: return try pages.response("history.html", to: request)
    case ["conflicts"]: return try pages.response("conflicts.html", to: request)
    default: throw HTTPRefusal.notFound
    }
  }

  // MARK: The interface

  private func api(_ request: PageRequest, _ path: ArraySlice<String>) async throws -> Response {
    let rest = Array(path.dropFirst())
    switch path.first {
    case "key" where request.method == "GET" && rest.isEmpty: return try .json(access.key)
    case "library":
      return try await LibraryRoutes(library: library, notes: notes, search: search, uploads: uploads)
        .answer(request, rest)
    case "deleted" where request.method == "POST" && rest.count == 2 && rest[1] == "restore":
      let (id, name) = try await library.restore(rest[0])
      await notes.revive([id])
      return try .json(NamedDocument(id: id.word, name: displayString(name)))
    case "documents":
      guard let word = rest.first, let id = DocumentID(word) else { throw HTTPRefusal.notFound }
      return try await DocumentRoutes(
        id: library.present(id), library: library, notes: notes, uploads: uploads
      )
      .answer(request, Array(rest.dropFirst()))
    default: throw HTTPRefusal.notFound
    }
  }
}
