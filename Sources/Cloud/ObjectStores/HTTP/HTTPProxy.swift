/// A proxy that the environment names. libcurl reads the address, and the exceptions.
package struct HTTPProxy: Sendable, Hashable {
  /// The address, which may have a password.
  let address: String
  /// The variable that has the address.
  package let variable: String
  /// The hosts without a proxy, with commas between them.
  let exceptions: String

  /// Looks for the proxy of a server; nil if there is none.
  ///
  /// A server on this machine has none: what is for this machine alone must not leave it. A web server sets `HTTP_PROXY`
  /// from a header of a request, so only the name in lower case counts.
  package init?(for host: String, isEncrypted: Bool, in environment: [String: String]) {
    let names = (isEncrypted ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]) + ["all_proxy", "ALL_PROXY"]
    guard !HTTPRequest.isLoopback(host), let name = names.first(where: { environment[$0] != nil }),
      let address = environment[name], !address.isEmpty
    else { return nil }
    (self.address, variable) = (address, name)
    exceptions = environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
  }
}
