/// Lets only pages of this server in, opened by the user who started it.
///
/// - A foreign name in `Host` is refused, so that a page whose name leads to this machine cannot use the server (DNS
///   rebinding).
/// - A foreign `Origin`, or a request of another site, is refused. A request that changes something has to name the
///   origin, as every browser does.
/// - The cookie is one that the browser sends to this server only from its own pages (`SameSite=Strict`), and that no
///   script can read (`HttpOnly`).
struct RequestGuard: Sendable {
  /// The secret of the address that the command prints, and of the cookie.
  let token: String
  /// The port.
  let port: UInt16

  /// The name of the cookie; browsers tell servers of one machine apart by name only.
  var cookieName: String { "docpkg-\(port)" }

  /// The address to open.
  var address: String { "http://127.0.0.1:\(port)/?token=\(token)" }

  /// The hosts by which a browser may call this server.
  private var hosts: [String] { ["127.0.0.1:\(port)", "localhost:\(port)"] }

  /// Checks a request.
  ///
  /// - Returns: false for a visit with the token, whose answer sets the cookie.
  /// - Throws: the refusal.
  func checkCookie(of head: HTTPRequestHead) throws(HTTPRefusal) -> Bool {
    guard let host = head.fields["host"], hosts.contains(host) else {
      throw HTTPRefusal(
        status: .misdirected, message: "This server answers on 127.0.0.1 only.", endsConnection: true)
    }
    // The answer to the printed address uses nothing and gives only the cookie, so a mail or a chat may hold the link.
    if head.method == "GET", head.segments.isEmpty, let given = head.query["token"], isToken(given) {
      return false
    }
    let changes = head.method != "GET" && head.method != "HEAD"
    if let origin = head.fields["origin"] {
      guard origin == "http://\(host)" else { throw .forbidden("Another site sent the request.") }
    } else if changes {
      throw .forbidden("The request does not name its origin.")
    }
    if let site = head.fields["sec-fetch-site"], site != "same-origin" {
      // A user who opens the address is of no site.
      guard site == "none", !changes else { throw .forbidden("Another site sent the request.") }
    }
    guard let cookie = head.cookie(cookieName), isToken(cookie) else {
      throw HTTPRefusal(
        status: .unauthorized, message: "This page does not have the key to the documents.",
        advice: "Open the address that 'docpkg serve' printed.", endsConnection: true)
    }
    return true
  }

  /// The header field that gives a browser the cookie.
  var cookieField: (name: String, value: String) {
    ("Set-Cookie", "\(cookieName)=\(token); HttpOnly; SameSite=Strict; Path=/")
  }

  /// Compares in a time that does not depend on the place of the first difference.
  private func isToken(_ text: String) -> Bool {
    let (given, own) = (Array(text.utf8), Array(token.utf8))
    guard given.count == own.count else { return false }
    return zip(given, own).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
