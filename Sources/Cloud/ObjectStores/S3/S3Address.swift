import FoundationEssentials

/// The place of a container in an S3 service: a bucket, a prefix of keys and the server.
public struct S3Address: Sendable, Hashable {
  /// The name of the bucket.
  public var bucket: String
  /// The first part of all keys, without a slash at its ends; empty for the whole bucket.
  public var prefix: String
  /// The region that requests are signed for.
  public var region: String
  /// The server's host name.
  public var host: String
  /// The port; nil for the usual one.
  public var port: Int?
  /// Whether the connection is encrypted. The initialiser refuses a plain one to another machine by default.
  public var isEncrypted: Bool
  /// Whether the bucket is part of the path; otherwise it is part of the host name.
  public var usesPathStyle: Bool

  /// The reason why a text is not an address.
  public struct Problem: Error, Sendable, Hashable, CustomStringConvertible {
    /// One line for a user.
    public let description: String
  }

  /// Makes an address of `s3://bucket/prefix`.
  ///
  /// - Parameters:
  ///   - endpoint: the server, such as `https://s3.example.org:9000`; nil for Amazon's server of the region.
  ///   - allowsPlain: whether `http` may lead to another machine.
  /// - Throws: `Problem`.
  public init(
    _ address: String, endpoint: String? = nil, region: String = "us-east-1", allowsPlain: Bool = false
  ) throws(Problem) {
    // A password would come before an '@', and an error repeats no secret.
    guard !address.contains("@"), endpoint?.contains("@") != true else {
      throw Problem(
        description: "An address has no '@' and no password; write the keys to ~/.aws/credentials")
    }
    let scheme = "s3://"
    guard address.hasPrefix(scheme) else {
      throw Problem(description: "'\(address)' is no address; it has to be s3://bucket or s3://bucket/prefix")
    }
    let parts = address.dropFirst(scheme.count).split(
      separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    bucket = String(parts.first ?? "")
    prefix = parts.count > 1 ? String(parts[1]) : ""
    while prefix.hasSuffix("/") { prefix.removeLast() }
    guard Self.isBucket(bucket) else {
      throw Problem(
        description: "'\(bucket)' is no name of a bucket; it has 3 to 63 lower-case letters, digits, - and .")
    }
    guard prefix.isEmpty || ObjectKey(prefix) != nil else {
      throw Problem(
        description: "'\(prefix)' is no prefix; it has letters, digits, -, _, . and / between them")
    }
    self.region = region
    if let endpoint {
      (host, port, isEncrypted) = try Self.server(endpoint)
      usesPathStyle = true
    } else {
      (host, port, isEncrypted) = ("s3.\(region).amazonaws.com", nil, true)
      // A certificate covers one label before the server's name.
      usesPathStyle = bucket.contains(".")
    }
    if !isEncrypted && !allowsPlain && !HTTPRequest.isLoopback(host) {
      throw Problem(
        description: "'\(endpoint ?? "")' is not encrypted; use https, or say that plain http is allowed")
    }
  }

  /// The address without the server, such as `s3://bucket/prefix`.
  public var string: String { "s3://\(bucket)\(prefix.isEmpty ? "" : "/" + prefix)" }

  private static func isBucket(_ name: String) -> Bool {
    (3...63).contains(name.utf8.count) && name.first != "." && name.first != "-" && name.last != "."
      && name.last != "-" && !name.contains("..")
      && name.utf8.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
      }
  }

  private static func server(_ endpoint: String) throws(Problem) -> (String, Int?, Bool) {
    let bad = Problem(
      description: "'\(endpoint)' is no server; it has to be like https://s3.example.org:9000")
    guard let components = URLComponents(string: endpoint), let host = components.host, !host.isEmpty,
      let scheme = components.scheme?.lowercased(), scheme == "https" || scheme == "http",
      components.path.isEmpty || components.path == "/", components.query == nil, components.user == nil,
      components.password == nil, components.fragment == nil
    else { throw bad }
    if let port = components.port, !(1...65_535).contains(port) { throw bad }
    return (host.lowercased(), components.port, scheme == "https")
  }
}

extension S3Address: CustomStringConvertible {
  /// The address and the server, as in the text of an error; without a secret.
  public var description: String {
    "\(string) at \(isEncrypted ? "https" : "http")://\(host)\(port.map { ":\($0)" } ?? "")"
  }
}
