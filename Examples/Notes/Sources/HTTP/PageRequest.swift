import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore

/// A request of a page: its path and query in parts, and its body in pieces.
struct PageRequest: Sendable {
  /// The largest body of a command.
  private static let commandLimit = 16 << 20
  /// The largest upload.
  private static let uploadLimit = 512 << 20

  /// The method, such as `GET`.
  let method: String
  /// The path's segments, as they were sent: no address of this server has escapes. The path `/` has none.
  let segments: [String]
  /// The parameters of the query, with their escapes resolved.
  let query: [String: String]
  /// The server that the request is for.
  let host: String?
  /// The header fields.
  let headers: HTTPFields
  /// The declared size of the body.
  let size: Int
  let body: RequestBody

  /// Takes a request apart.
  ///
  /// - Throws: the refusal of a body without a declared size, or of one that is too large.
  init(_ request: Request) throws(HTTPRefusal) {
    method = request.method.rawValue
    segments = request.uri.path.split(separator: "/").map(String.init)
    // A form's escape of a space.
    let uri = URI(request.uri.string.replacing("+", with: "%20"))
    query = Dictionary(
      uri.queryParameters.map { (String($0.key), String($0.value)) }, uniquingKeysWith: { $1 })
    (host, headers, body) = (request.head.authority, request.headers, request.body)
    guard headers[.transferEncoding] == nil, let size = Int(headers[.contentLength] ?? "0") else {
      throw .badRequest("The body of a request has to have a declared size.")
    }
    self.size = size
    if size > Self.uploadLimit { throw .tooLarge(Self.uploadLimit) }
  }

  /// The value of one cookie.
  func cookie(_ name: String) -> String? {
    for pair in (headers[.cookie] ?? "").split(separator: ";") {
      let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
      if parts.count == 2, parts[0] == name { return String(parts[1]) }
    }
    return nil
  }

  /// Reads the body.
  ///
  /// - Throws: a refusal if the connection ends before the declared size.
  func read(_ take: (ByteBuffer) throws -> Void) async throws {
    var rest = size
    for try await piece in body {
      rest -= piece.readableBytes
      try take(piece)
    }
    if rest != 0 { throw HTTPRefusal.badRequest("The body ended before its declared size.") }
  }

  /// The value of a command.
  func value<Value: Decodable>(_ type: Value.Type = Value.self) async throws -> Value {
    if size > Self.commandLimit { throw HTTPRefusal.tooLarge(Self.commandLimit) }
    var data = Data()
    try await read { data.append(contentsOf: $0.readableBytesView) }
    do {
      return try JSONDecoder().decode(type, from: data.isEmpty ? Data("{}".utf8) : data)
    } catch {
      throw HTTPRefusal.badRequest("The request is malformed: \(error)")
    }
  }
}
