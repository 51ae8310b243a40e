import DurableIO
import FilePackages
package import FoundationEssentials

// libcurl 7.88 of Debian 12 neither sorts nor encodes a query before it signs. Its
// `CURLOPT_AWS_SIGV4` can take the place of this file if all systems have libcurl 8.14 or later.

/// The signature of a request, by Amazon's algorithm AWS4-HMAC-SHA256.
package struct SignatureV4 {
  let credentials: S3Credentials
  let region: String

  package init(_ credentials: S3Credentials, region: String) {
    (self.credentials, self.region) = (credentials, region)
  }

  /// Signs all header fields, the path, the query and the body.
  ///
  /// The request's query must be in order. It gets `x-amz-date`, `x-amz-content-sha256` and `authorization`.
  package func sign(_ request: inout HTTPRequest, at date: Date) {
    let time = Self.timestamp(date)
    let payload = ContentHash(of: Array(request.body)).bytes.hexadecimal
    request.headers["host"] = request.authority
    request.headers["x-amz-date"] = time
    request.headers["x-amz-content-sha256"] = payload
    if let token = credentials.sessionToken { request.headers["x-amz-security-token"] = token }
    let (signature, names, scope) = signature(of: request, payload: payload, time)
    request.headers["authorization"] =
      "AWS4-HMAC-SHA256 Credential=\(credentials.accessKeyID)/\(scope), SignedHeaders=\(names), "
      + "Signature=\(signature)"
  }

  package func signature(
    of request: HTTPRequest, payload: String, _ time: String
  ) -> (signature: String, signedHeaders: String, scope: String) {
    let headers = request.headers.sorted { $0.key < $1.key }
    let names = headers.map(\.key).joined(separator: ";")
    let canonical =
      "\(request.method)\n\(request.path)\n\(request.query)\n"
      + headers.map { "\($0.key):\(Self.trimmed($0.value))\n" }.joined() + "\n\(names)\n\(payload)"
    let day = String(time.prefix(8))
    let scope = "\(day)/\(region)/s3/aws4_request"
    let digest = ContentHash(of: Array(canonical.utf8)).bytes.hexadecimal
    let text = "AWS4-HMAC-SHA256\n\(time)\n\(scope)\n\(digest)"
    var key = Array("AWS4\(credentials.secretAccessKey)".utf8)
    for part in [day, region, "s3", "aws4_request"] { key = Self.code(of: part, key) }
    return (Self.code(of: text, key).hexadecimal, names, scope)
  }

  private static func code(of text: String, _ key: [UInt8]) -> [UInt8] {
    var code = HMACSHA256(key: key)
    code.update(Array(text.utf8))
    return code.finalize().bytes
  }

  /// Returns the value without spaces around it, and with one for several in a row.
  private static func trimmed(_ value: String) -> String {
    value.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
  }

  /// Returns a date such as `20130524T000000Z`.
  static func timestamp(_ date: Date) -> String {
    date.formatted(Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted))
  }
}
