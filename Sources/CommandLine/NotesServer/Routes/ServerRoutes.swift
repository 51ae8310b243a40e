import Documents
import FilePackages
import FoundationEssentials
import ImageNotes
import Synchronization
import SystemPackage

/// Answers the requests of the pages.
struct ServerRoutes: HTTPHandler {
  let access: RequestGuard
  let library: NotesLibrary
  let notes: OpenNotes
  let search: LibrarySearch
  let pages: PageFiles
  let uploads: UploadFolder
  let thumbnails = Thumbnails()

  func answer(_ head: HTTPRequestHead, _ body: HTTPBody) async throws -> ServerResponse {
    switch try access.check(head) {
    case .entrance:
      var entrance = PageFiles.entrance
      entrance.fields.append(access.cookieField)
      return entrance
    case .file: return try pages.file(head)
    case .proof(let number): return try .json(access.proof(for: number))
    case .renewal:
      var done = ServerResponse.done
      done.fields.append(access.cookieField)
      return done
    case .page: return try await answerPage(head, body)
    }
  }

  func knows(_ head: HTTPRequestHead) -> Bool {
    head.fields["host"] == access.host && access.hasCookie(head)
  }

  private func answerPage(_ head: HTTPRequestHead, _ body: HTTPBody) async throws -> ServerResponse {
    switch (head.method, head.segments.first) {
    case ("GET", "api"), ("HEAD", "api"), ("POST", "api"), ("PUT", "api"):
      return try await api(head, Array(head.segments.dropFirst())[...], body)
    case ("GET", _), ("HEAD", _): return try page(head)
    case ("POST", _), ("PUT", _): throw HTTPRefusal.notFound
    default:
      throw HTTPRefusal(
        status: .methodNotAllowed, message: "The server does not know this method.", endsConnection: true)
    }
  }

  func answer(_ error: any Error, to head: HTTPRequestHead?) -> ServerResponse {
    var refusal = Self.refusal(of: error)
    refusal.message = uploads.hidingPlace(in: refusal.message)
    refusal.advice = refusal.advice.map(uploads.hidingPlace)
    if let head, head.method == "GET", head.segments.first != "api", head.segments.first != "static" {
      return pages.response(to: refusal)
    }
    // The two sentences are this server's own, which can be encoded.
    let value = [
      "error": ["message": refusal.message, "advice": refusal.advice, "deletion": refusal.deletion]
    ]
    let bytes = (try? JSONEncoder.plain.encode(value)).map(Array.init) ?? []
    return ServerResponse(refusal.status, type: "application/json", .bytes(bytes))
  }

  /// The refusal that tells an error of the work.
  private static func refusal(of error: any Error) -> HTTPRefusal {
    if let refusal = error as? HTTPRefusal { return refusal }
    let sentences = ErrorExplanation(of: error)
    let status: HTTPStatus =
      switch error {
      case let error as FilePackageError where error.code == .noSuchFile: .notFound
      case let error as DocumentError where error.fileError?.code == .noSuchFile || error.code == .closed:
        .notFound
      case ImageNotesError.notAnImage: .unsupportedMediaType
      default: .unprocessable
      }
    return HTTPRefusal(status: status, message: sentences.message, advice: sentences.advice)
  }

  // MARK: Pages

  private func page(_ head: HTTPRequestHead) throws -> ServerResponse {
    let segments = head.segments
    switch segments.count {
    case 0: return try pages.response("library.html", to: head)
    case 2 where segments[0] == "d" && DocumentID(segments[1]) != nil:
      return try pages.response("document.html", to: head)
    case 3 where segments[0] == "d" && DocumentID(segments[1]) != nil && segments[2] == "history":
      return try pages.response("history.html", to: head)
    case 3 where segments[0] == "d" && DocumentID(segments[1]) != nil && segments[2] == "conflicts":
      return try pages.response("conflicts.html", to: head)
    default: throw HTTPRefusal.notFound
    }
  }

  // MARK: The interface

  private func api(
    _ head: HTTPRequestHead, _ path: ArraySlice<String>, _ body: HTTPBody
  ) async throws -> ServerResponse {
    let rest = Array(path.dropFirst())
    switch path.first {
    case "key" where head.method == "GET" && rest.isEmpty: return try .json(access.key)
    case "library":
      return try await LibraryRoutes(library: library, notes: notes, search: search, uploads: uploads)
        .answer(head, rest, body)
    case "deleted" where head.method == "POST" && rest.count == 2 && rest[1] == "restore":
      let (id, name) = try await library.restore(rest[0])
      await notes.revive([id])
      return try .json(NamedDocument(id: id.word, name: displayString(name)))
    case "documents":
      guard let word = rest.first, let id = DocumentID(word) else { throw HTTPRefusal.notFound }
      return try await DocumentRoutes(
        id: id, library: library, notes: notes, uploads: uploads, thumbnails: thumbnails
      ).answer(head, Array(rest.dropFirst()), body)
    default: throw HTTPRefusal.notFound
    }
  }
}

extension ServerResponse {
  /// An answer of a value.
  static func json(_ value: some Encodable) throws -> ServerResponse {
    ServerResponse(type: "application/json", .bytes(Array(try JSONEncoder.plain.encode(value))))
  }

  /// An answer that says nothing more.
  static let done = ServerResponse(type: "application/json", .bytes(Array("{}".utf8)))

  /// The bytes of an image, which no page of another site can show.
  static func image(_ file: FileWrapper, to head: HTTPRequestHead) throws -> ServerResponse {
    let header = try ImageHeader(of: file)
    let type =
      switch header.format {
      case .png: "image/png"
      case .jpeg: "image/jpeg"
      case .gif: "image/gif"
      case .webP: "image/webp"
      case .bmp: "image/bmp"
      case .tiff: "image/tiff"
      case .heic: "image/heic"
      }
    let size = try file.withRandomAccess { size, _ in size }
    return ServerResponse(
      type: type,
      .pieces(of: size) { start, count in try file.withRandomAccess { _, read in try read(start, count) } },
      fields: imageFields)
  }

  /// The bytes of a small picture as WebP.
  static func image(_ bytes: [UInt8]) -> ServerResponse {
    ServerResponse(type: "image/webp", .bytes(bytes), fields: imageFields)
  }

  /// The address of a picture changes with its bytes.
  private static let imageFields = [("Cache-Control", "private, max-age=31536000, immutable")]

  /// The bytes of a file, which is open from now on.
  static func file(_ url: URL, type: String) throws -> ServerResponse {
    let file = try OpenFile(url)
    return ServerResponse(
      type: type,
      .pieces(of: file.size) { start, count in try file.bytes(from: start, count) })
  }
}

extension ServerResponse.Body {
  /// Pieces that a function reads, on a thread that may block.
  static func pieces(
    of size: UInt64, _ read: @escaping @Sendable (_ start: UInt64, _ count: Int) throws -> [UInt8]
  ) -> Self {
    let offset = Mutex<UInt64>(0)
    let thread = BlockingThread()
    return .pieces(size: size) {
      let start = offset.withLock { $0 }
      if start >= size { return nil }
      let bytes = try await thread.run { () throws in try read(start, Int(min(256 << 10, size - start))) }
      // A file that another program cut short ends the connection before its declared size.
      if bytes.isEmpty { throw HTTPRefusal.notFound }
      offset.withLock { $0 += UInt64(bytes.count) }
      return bytes
    }
  }
}

extension HTTPBody {
  /// The value of a command.
  func value<Value: Decodable>(_ type: Value.Type = Value.self) async throws -> Value {
    let bytes = try await all()
    do {
      return try JSONDecoder().decode(type, from: Data(bytes.isEmpty ? Array("{}".utf8) : bytes))
    } catch {
      throw HTTPRefusal(status: .badRequest, message: "The request is malformed: \(sentence(of: error))")
    }
  }
}

/// A file that is open for reading, and needs its name no more.
private final class OpenFile: Sendable {
  private let descriptor: FileDescriptor
  let size: UInt64

  init(_ url: URL) throws {
    descriptor = try .open(FilePath(url.path), .readOnly)
    size = UInt64(try descriptor.seek(offset: 0, from: .end))
  }

  // A descriptor for reading has nothing that a failed close could lose.
  deinit { try? descriptor.close() }

  func bytes(from start: UInt64, _ count: Int) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
      used = try descriptor.read(
        fromAbsoluteOffset: Int64(start), into: UnsafeMutableRawBufferPointer(buffer))
    }
  }
}
