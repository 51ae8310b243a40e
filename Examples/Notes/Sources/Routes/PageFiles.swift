import Crypto
import Foundation
import HTTPTypes
import Hummingbird

/// The files of the pages, by their names.
struct PageFiles: Sendable {
  /// One file.
  private struct File: Sendable {
    let bytes: Data
    let type: String
    /// Changes with the bytes, so that a browser asks only whether it changed.
    let tag: String
  }

  private let files: [String: File]

  /// Reads the folder `Pages` of the package's resources.
  init() throws {
    var files: [String: File] = [:]
    let folder = Bundle.module.bundleURL.appending(path: "Pages")
    for url in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
      let bytes = try Data(contentsOf: url)
      let type =
        switch url.pathExtension {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        default: "application/octet-stream"
        }
      files[url.lastPathComponent] = File(
        bytes: bytes, type: type, tag: "\"\(ServerKey.word(of: SHA256.hash(data: bytes).prefix(12)))\"")
    }
    self.files = files
  }

  /// The policy of each page: only this server's own files, and nothing inline.
  private static let policy: HTTPFields = [
    .contentSecurityPolicy:
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
      + "form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
  ]

  /// Answers with a file; with its status alone if the browser has it.
  func response(_ name: String, to request: PageRequest) throws(HTTPRefusal) -> Response {
    guard let file = files[name] else { throw .notFound }
    var headers = Self.policy
    (headers[.eTag], headers[.cacheControl]) = (file.tag, "no-cache")
    if request.headers[.ifNoneMatch] == file.tag { return Response(status: .notModified, headers: headers) }
    return Response(type: file.type, file.bytes, headers: headers)
  }

  /// Answers a request for a file of the pages.
  func file(_ request: PageRequest) throws(HTTPRefusal) -> Response {
    guard let name = request.segments.last, !name.hasSuffix(".html") else { throw .notFound }
    return try response(name, to: request)
  }

  /// Answers with the page of an error.
  func response(to refusal: HTTPRefusal) -> Response {
    var page = String(decoding: files["error.html"]?.bytes ?? Data(), as: UTF8.self)
    let values = [
      "TITLE": refusal.status == .unauthorized ? "No access" : refusal.status.reasonPhrase,
      "MESSAGE": refusal.message, "ADVICE": refusal.advice ?? "",
      // Without the cookie, or at another name of this machine, the link leads to this page again.
      "LIBRARY": [.unauthorized, .misdirectedRequest].contains(refusal.status) ? " hidden" : "",
    ]
    for (name, value) in values { page = page.replacing("{{\(name)}}", with: Self.escaped(value)) }
    return Response(refusal.status, type: "text/html; charset=utf-8", page.utf8, headers: Self.policy)
  }

  /// A page that goes on to the library. So the library's request comes from this server's own page, and has the cookie
  /// also if the address was in a page of another site.
  static let entrance = Response(
    type: "text/html; charset=utf-8",
    """
    <!doctype html><html lang="en"><meta charset="utf-8"><title>Documents</title>
    <meta http-equiv="refresh" content="0;url=/"><a href="/">Documents</a></html>

    """.utf8, headers: policy)

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }
}
