import CNotesPages
import FilePackages

/// The files of the pages, by their names.
struct PageFiles: Sendable {
  /// One file.
  struct File: Sendable {
    let bytes: [UInt8]
    let type: String
    /// Changes with the bytes, so that a browser asks only whether it changed.
    let tag: String
  }

  private let files: [String: File]

  init() {
    var files: [String: File] = [:]
    for index in 0..<cnotespages_count {
      let file = cnotespages_file_at(index)
      let name = String(cString: file.name)
      let bytes = Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
      let type =
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        default: "application/octet-stream"
        }
      files[name] = File(
        bytes: bytes, type: type, tag: "\"\(ServerKey.word(of: ContentHash(of: bytes).bytes.prefix(12)))\"")
    }
    self.files = files
  }

  /// The policy of each page: only this server's own files, and nothing inline.
  static let policy: (name: String, value: String) = (
    "Content-Security-Policy",
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
      + "form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
  )

  /// Answers with a file; with its status alone if the browser has it.
  func response(_ name: String, to head: HTTPRequestHead) throws(HTTPRefusal) -> ServerResponse {
    guard let file = files[name] else { throw .notFound }
    let fields = [Self.policy, ("ETag", file.tag), ("Cache-Control", "no-cache")]
    if head.fields["if-none-match"] == file.tag { return ServerResponse(.notModified, fields: fields) }
    return ServerResponse(type: file.type, .bytes(file.bytes), fields: fields)
  }

  /// Answers a request for a file of the pages.
  func file(_ head: HTTPRequestHead) throws(HTTPRefusal) -> ServerResponse {
    guard let name = head.segments.last, !name.hasSuffix(".html") else { throw .notFound }
    return try response(name, to: head)
  }

  /// Answers with the page of an error.
  func response(to refusal: HTTPRefusal) -> ServerResponse {
    var page = String(decoding: files["error.html"]?.bytes ?? [], as: UTF8.self)
    let values = [
      "TITLE": refusal.status == .unauthorized ? "No access" : refusal.status.phrase,
      "MESSAGE": refusal.message, "ADVICE": refusal.advice ?? "",
      // Without the cookie, or at another name of this machine, the link leads to this page again.
      "LIBRARY": [.unauthorized, .misdirected].contains(refusal.status) ? " hidden" : "",
    ]
    for (name, value) in values { page = page.replacing("{{\(name)}}", with: Self.escaped(value)) }
    return ServerResponse(
      refusal.status, type: "text/html; charset=utf-8", .bytes(Array(page.utf8)), fields: [Self.policy])
  }

  /// A page that goes on to the library. So the library's request comes from this server's own page, and has the cookie
  /// also if the address was in a page of another site.
  static let entrance = ServerResponse(
    type: "text/html; charset=utf-8",
    .bytes(
      Array(
        """
        <!doctype html><html lang="en"><meta charset="utf-8"><title>Documents</title>
        <meta http-equiv="refresh" content="0;url=/"><a href="/">Documents</a></html>

        """.utf8)), fields: [policy])

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }
}
