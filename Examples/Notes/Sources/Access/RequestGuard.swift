import Crypto
import Foundation
import HTTPTypes

/// Lets only pages of this server in, opened by the user who started it.
///
/// - The server has a name of its own below `localhost`. A cookie knows no port, so at 127.0.0.1 every other server of
///   this machine would get it, too.
/// - A foreign name in `Host` is refused, so that a page whose name leads to this machine cannot use the server (DNS
///   rebinding).
/// - A foreign `Origin`, or a request of another site, is refused. A request that changes something has to name the
///   origin, as every browser does.
/// - The cookie is good for this run of the server. It is one that the browser sends only from the server's own pages
///   (`SameSite=Strict`), and that no script can read (`HttpOnly`).
/// - A page of an earlier run gets the new cookie for a proof that it knows the folder's secret. Before that, the server
///   proves the same, without a cookie.
struct RequestGuard: Sendable {
  /// What a request asks for.
  enum Visit: Sendable, Equatable {
    /// The printed address, whose answer gives the cookie.
    case entrance
    /// A file of the pages, which has no secret.
    case file
    /// The server's proof, for a number of the page.
    case proof(String)
    /// A new cookie for a page that proves to be one.
    case renewal
    /// Anything else, of a page with the cookie.
    case page
  }

  private let secret: FolderSecret
  /// The secret of the address that the command prints, and of the cookie.
  private let token: String
  /// The number that a page's proof is for.
  private let number: String
  /// The name and the port.
  let host: String
  private let port: UInt16

  init(secret: FolderSecret, port: UInt16) {
    (self.secret, self.port) = (secret, port)
    host = "\(secret.label).localhost:\(port)"
    token = ServerKey.random()
    number = ServerKey.random()
  }

  /// The name of the cookie.
  private var cookieName: String { "docpkg-\(port)" }

  /// The address to open.
  var address: String { "http://\(host)/?token=\(token)" }

  /// Checks a request.
  ///
  /// - Throws: the refusal.
  func check(_ request: PageRequest) throws(HTTPRefusal) -> Visit {
    guard request.host == host else {
      throw HTTPRefusal(
        status: .misdirectedRequest, message: "This server answers at its own address only.",
        advice: "Open the address that 'docpkg serve' printed.", endsConnection: true)
    }
    // The answer to the printed address uses nothing and gives only the cookie, so a mail or a chat may hold the link.
    if request.method == "GET", request.segments.isEmpty, let given = request.query["token"],
      isSame(given, token)
    {
      return .entrance
    }
    let changes = request.method != "GET" && request.method != "HEAD"
    if let origin = request.headers[.origin] {
      guard origin == "http://\(host)" else { throw .forbidden("Another site sent the request.") }
    } else if changes {
      throw .forbidden("The request does not name its origin.")
    }
    if let site = request.headers.first(where: { $0.name.canonicalName == "sec-fetch-site" })?.value,
      site != "same-origin"
    {
      // A user who opens the address is of no site.
      guard site == "none", !changes else { throw .forbidden("Another site sent the request.") }
    }
    switch (request.method, request.segments) {
    case (_, let path) where !changes && path.count == 2 && path[0] == "static": return .file
    case ("GET", ["api", "proof"]):
      guard let number = request.query["number"], (16...64).contains(number.utf8.count) else {
        throw .badRequest("The request has no number to prove anything for.")
      }
      return .proof(number)
    case ("POST", ["api", "cookie"]):
      let proof = request.query["proof"] ?? ""
      guard isSame(proof, secret.proof(of: .page, host: host, number)) else { throw Self.noAccess }
      return .renewal
    default:
      guard hasCookie(request) else { throw Self.noAccess }
      return .page
    }
  }

  /// Whether a request has the cookie.
  func hasCookie(_ request: PageRequest) -> Bool {
    request.cookie(cookieName).map { isSame($0, token) } ?? false
  }

  private static let noAccess = HTTPRefusal(
    status: .unauthorized, message: "This page does not have the key to the documents.",
    advice: "Open the address that 'docpkg serve' printed.", endsConnection: true)

  /// The answer to a page's number: the server's proof, and the number for the page's own.
  func proof(for number: String) -> [String: String] {
    ["proof": secret.proof(of: .server, host: host, number), "number": self.number]
  }

  /// The secret, for a page with the cookie.
  var key: [String: String] { ["key": secret.word] }

  /// The value of `Set-Cookie` that gives a browser the cookie.
  var newCookie: String { "\(cookieName)=\(token); HttpOnly; SameSite=Strict; Path=/" }

  /// Compares in a time that does not depend on the place of the first difference.
  private func isSame(_ text: String, _ secret: String) -> Bool {
    let key = SymmetricKey(size: .bits256)
    return HMAC<SHA256>.isValidAuthenticationCode(
      HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key), authenticating: Data(secret.utf8),
      using: key)
  }
}
