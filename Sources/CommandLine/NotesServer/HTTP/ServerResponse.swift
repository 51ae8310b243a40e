/// An answer.
struct ServerResponse: Sendable {
  /// The body of an answer.
  enum Body: Sendable {
    case bytes([UInt8])
    /// Pieces of a known total size, each made when the one before is sent.
    case pieces(size: UInt64, @Sendable () async throws -> [UInt8]?)
    /// Server-sent events, until the channel or the connection ends. The closure runs at the end.
    case events(EventChannel, ended: @Sendable () async -> Void)
  }

  var status: HTTPStatus
  var fields: [(name: String, value: String)]
  var body: Body

  init(
    _ status: HTTPStatus = .ok, type: String? = nil, _ body: Body = .bytes([]),
    fields: [(name: String, value: String)] = []
  ) {
    (self.status, self.body) = (status, body)
    self.fields = (type.map { [("Content-Type", $0)] } ?? []) + fields
  }

  /// The fields that every answer has: no page of another origin can use, show or keep it.
  static let commonFields: [(name: String, value: String)] = [
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("X-Frame-Options", "DENY"),
  ]

  /// The head of the answer, with the empty line.
  func head(closes: Bool) -> [UInt8] {
    var text = "HTTP/1.1 \(status.rawValue) \(status.phrase)\r\n"
    var fields = self.fields + Self.commonFields
    switch body {
    case .bytes(let bytes): fields.append(("Content-Length", "\(bytes.count)"))
    case .pieces(let size, _): fields.append(("Content-Length", "\(size)"))
    case .events: break
    }
    let has = Set(fields.map { $0.name.lowercased() })
    if !has.contains("cache-control") { fields.append(("Cache-Control", "no-store")) }
    if !has.contains("content-security-policy") {
      fields.append(("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox"))
    }
    fields.append(("Connection", closes ? "close" : "keep-alive"))
    for field in fields { text += "\(field.name): \(field.value)\r\n" }
    return Array((text + "\r\n").utf8)
  }
}
