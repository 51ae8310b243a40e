package import FoundationEssentials

/// One request, as it goes over the wire.
package struct HTTPRequest: Sendable, Hashable {
  /// The method, such as `PUT`.
  package var method: String
  /// Whether the connection is encrypted.
  package var isEncrypted: Bool
  /// The host name.
  package var host: String
  /// The port; nil for the usual one.
  package var port: Int?
  /// The path, encoded.
  package var path: String
  /// The query, encoded, without the question mark.
  package var query: String
  /// The header fields. Names are in lower case.
  package var headers: [String: String]
  /// The bytes after the header.
  package var body: Data

  /// Makes a request.
  package init(
    method: String, isEncrypted: Bool, host: String, port: Int? = nil, path: String, query: String,
    headers: [String: String], body: Data
  ) {
    (self.method, self.isEncrypted, self.host, self.port) = (method, isEncrypted, host, port)
    (self.path, self.query, self.headers, self.body) = (path, query, headers, body)
  }

  /// The address of the request.
  package var url: String {
    "\(isEncrypted ? "https" : "http")://\(authority)\(path)\(query.isEmpty ? "" : "?" + query)"
  }

  /// The host name, and the port unless it is the usual one.
  package var authority: String {
    (host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host) + (port.map { ":\($0)" } ?? "")
  }
}

extension HTTPRequest {
  /// Whether a host is this machine.
  static func isLoopback(_ host: String) -> Bool {
    let host = unbracketed(host)
    return host == "localhost" || host == "::1"
      || host.hasPrefix("127.") && host.split(separator: ".").compactMap { UInt8($0) }.count == 4
  }

  /// Returns a host without the brackets that an IPv6 address has in an address of the web.
  static func unbracketed(_ host: String) -> String {
    host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
  }
}

/// The answer to a request.
package struct HTTPResponse: Sendable, Hashable {
  /// The number of the outcome, such as 200.
  package var status: Int
  /// The header fields. Names are in lower case.
  package var headers: [String: String]
  /// The bytes after the header.
  package var body: Data

  /// Makes an answer.
  package init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
    (self.status, self.headers, self.body) = (status, headers, body)
  }
}

/// The reason why a request has no answer.
package enum HTTPFailure: Error, Sendable, Hashable {
  /// No connection, or it broke before the end of the answer.
  case unreachable(String)
  /// The server was too slow.
  case timedOut
  /// The certificate is not valid.
  case untrusted(String)
  /// The answer is none of HTTP, or could be read in two ways.
  case malformed(String)
  /// The body has more bytes than the caller takes.
  case tooLarge
  /// The task was cancelled.
  case cancelled
}

/// A way for requests to a server and answers back.
///
/// It follows no redirect, keeps no cookies, and checks certificates. A body is whole: if it ends before its length, the
/// request fails.
package protocol HTTPTransport: Sendable {
  /// Sends a request, and returns the answer.
  ///
  /// - Parameter limit: the largest body in bytes; the transport stops reading beyond it.
  func send(_ request: HTTPRequest, limit: Int) async throws(HTTPFailure) -> HTTPResponse
}
