import FoundationEssentials

/// A proxy that the environment names, as curl reads it.
package struct HTTPProxy: Sendable, Hashable, CustomStringConvertible {
  package var host: String
  package var port: Int
  /// The value of `Proxy-Authorization`; nil if the address has no user.
  package var authorization: String?

  /// The proxy without its password.
  package var description: String { "http://\(host):\(port)" }

  /// Looks for the proxy of a server.
  ///
  /// A server on this machine has none: what is for this machine alone must not leave it.
  ///
  /// - Returns: nil for a direct connection.
  package static func find(
    for host: String, isEncrypted: Bool, in environment: [String: String]
  ) throws(HTTPFailure) -> HTTPProxy? {
    if HTTPRequest.isLoopback(host) || isException(host, environment["no_proxy"] ?? environment["NO_PROXY"]) {
      return nil
    }
    // A web server sets HTTP_PROXY from a header of a request, so only the name in lower case counts.
    let names = isEncrypted ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
    guard let text = (names + ["all_proxy", "ALL_PROXY"]).lazy.compactMap({ environment[$0] }).first,
      !text.isEmpty
    else { return nil }
    let address = text.contains("://") ? text : "http://" + text
    guard let components = URLComponents(string: address), components.scheme?.lowercased() == "http",
      let proxy = components.host, !proxy.isEmpty
    else {
      throw .unreachable("the proxy of the environment is not of the form http://host:port")
    }
    var authorization: String?
    if let user = components.user {
      authorization = "Basic " + Data("\(user):\(components.password ?? "")".utf8).base64EncodedString()
    }
    return HTTPProxy(
      host: HTTPRequest.unbracketed(proxy), port: components.port ?? 1_080, authorization: authorization)
  }

  private static func isException(_ host: String, _ list: String?) -> Bool {
    guard let list else { return false }
    let host = host.lowercased()
    return list.lowercased().split(whereSeparator: { $0 == "," || $0 == " " }).contains { entry in
      let name = entry.hasPrefix(".") ? entry.dropFirst() : entry
      return name == "*" || host == name || host.hasSuffix("." + name)
    }
  }
}
