import Foundation
import Testing

@Suite("A request that is not of a page of the server")
struct HostileRequestTests {
  /// One request, and the statuses that answer it; 0 is the end of the connection without an answer.
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var statuses: Set<Int>
    var bytes: @Sendable (Visitor) -> String
    var testDescription: String { name }

    init(_ name: String, _ statuses: Set<Int>, _ bytes: @escaping @Sendable (Visitor) -> String) {
      (self.name, self.statuses, self.bytes) = (name, statuses, bytes)
    }
  }

  private static func head(
    _ line: String, host: String? = nil, cookie: String? = nil, origin: String? = nil, more: [String] = [],
    _ visitor: Visitor
  ) -> String {
    var lines = ["\(line) HTTP/1.1", "Host: \(host ?? visitor.host)", "Cookie: \(cookie ?? visitor.cookie)"]
    if let origin { lines.append("Origin: \(origin)") }
    return (lines + more).joined(separator: "\r\n") + "\r\n\r\n"
  }

  static let cases: [Case] = [
    Case("without a cookie", [401]) { "GET / HTTP/1.1\r\nHost: \($0.host)\r\n\r\n" },
    Case("with another cookie", [401]) {
      head("GET /api/library/events", cookie: "docpkg-\($0.port)=no", $0)
    },
    Case("with another token", [401]) {
      head("GET /?token=\(String(repeating: "a", count: 43))", cookie: "a=b", $0)
    },
    Case("for another host", [421]) { head("GET /", host: "example.com", $0) },
    Case("for another port", [421]) { head("GET /", host: $0.host + "1", $0) },
    Case("for 127.0.0.1, whose cookies all servers get", [421]) {
      head("GET /", host: "127.0.0.1:\($0.port)", $0)
    },
    Case("for localhost, whose cookies all servers get", [421]) {
      head("GET /", host: "localhost:\($0.port)", $0)
    },
    Case("for the secret without a cookie", [401]) { "GET /api/key HTTP/1.1\r\nHost: \($0.host)\r\n\r\n" },
    Case("for a cookie without a proof", [401]) {
      head("POST /api/cookie", cookie: "a=b", origin: $0.origin, $0)
    },
    Case("for a cookie with another proof", [401]) {
      head(
        "POST /api/cookie?proof=\(String(repeating: "a", count: 43))", cookie: "a=b", origin: $0.origin, $0)
    },
    Case("for a proof without a number", [400]) { head("GET /api/proof", $0) },
    Case("for a proof, of another site", [403]) {
      head("GET /api/proof?number=aaaaaaaaaaaaaaaaaaaaaaaa", origin: "http://localhost:1", $0)
    },
    Case("without a host", [421]) { "GET / HTTP/1.1\r\nCookie: \($0.cookie)\r\n\r\n" },
    Case("with two hosts", [400]) { head("GET /", more: ["Host: \($0.host)"], $0) },
    Case("of another origin", [403]) { head("POST /api/library/new", origin: "http://example.com", $0) },
    Case("of no origin", [403]) { head("POST /api/library/new", origin: "null", $0) },
    Case("that changes something and names no origin", [403]) { head("POST /api/library/new", $0) },
    Case("of another site", [403]) { head("GET /", more: ["Sec-Fetch-Site: cross-site"], $0) },
    Case("with two dots", [404]) { head("GET /static/../../etc/passwd", $0) },
    Case("with escaped dots", [404]) { head("GET /static/%2e%2e/%2e%2e/etc/passwd", $0) },
    Case("with two slashes", [404]) { head("GET //etc/passwd", $0) },
    Case("with a backslash", [404]) { head("GET /static/..\\secret", $0) },
    Case("with a NUL", [400]) { head("GET /static/a\0b", $0) },
    Case("for another server", [400]) { head("GET http://example.com/", $0) },
    Case("with TRACE", [403, 405]) { head("TRACE /", $0) },
    Case("with OPTIONS", [403, 405]) { head("OPTIONS /", origin: "http://\($0.host)", $0) },
    Case("with an unknown method", [400]) { head("BREW /", origin: "http://\($0.host)", $0) },
    Case("of HTTP/0.9", [400]) { _ in "GET /\r\n\r\n" },
    Case("of HTTP/1.0", [400]) { "GET / HTTP/1.0\r\nHost: \($0.host)\r\n\r\n" },
    Case("of other bytes", [400]) { _ in "\u{1}\u{2}\u{3}\r\n\r\n" },
    Case("with two sizes", [400]) {
      head(
        "POST /api/library/new", origin: "http://\($0.host)",
        more: ["Content-Length: 1", "Content-Length: 2"], $0)
    },
    Case("with a size and in chunks", [400]) {
      head(
        "POST /api/library/new", origin: "http://\($0.host)",
        more: ["Content-Length: 1", "Transfer-Encoding: chunked"], $0)
    },
    Case("in chunks without end", [400]) {
      head(
        "PUT /api/library/import?name=a.txt", origin: "http://\($0.host)",
        more: ["Transfer-Encoding: chunked"], $0)
        + String(repeating: "5\r\nhello\r\n", count: 1000)
    },
    Case("with a negative size", [400]) {
      head("POST /api/library/new", origin: "http://\($0.host)", more: ["Content-Length: -1"], $0)
    },
    Case("with a size that no number holds", [400]) {
      head(
        "POST /api/library/new", origin: "http://\($0.host)",
        more: ["Content-Length: 99999999999999999999999999"], $0)
    },
    Case("with an upload of 10 GB", [413]) {
      head(
        "PUT /api/library/import?name=a.txt", origin: "http://\($0.host)",
        more: ["Content-Length: 10000000000"], $0
      )
    },
    Case("with a head of 1 MB", [0, 400]) {
      head("GET /", more: ["X: \(String(repeating: "x", count: 1 << 20))"], $0)
    },
    Case("with another one behind its refused body", [401]) {
      "POST /api/library/new HTTP/1.1\r\nHost: \($0.host)\r\nOrigin: http://\($0.host)\r\nContent-Length: 200\r\n\r\n"
        + head("POST /api/library/new", origin: "http://\($0.host)", $0)
    },
    Case("for a document of a path", [404]) { head("GET /api/documents/etc/export", $0) },
    Case("for an image of a path", [404]) { head("GET /api/documents/AAAAAAAAAAAAAAAAAAAAAA/images/..", $0) },
  ]

  @Test func `does nothing and gets a refusal`() async throws {
    try await ServeFixture.with { fixture in
      let visitor = try await Visitor(fixture)
      for hostile in Self.cases {
        let bytes = try await visitor.exchange(hostile.bytes(visitor), endsSending: true)
        let text = String(decoding: bytes, as: UTF8.self)
        let status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        #expect(hostile.statuses.contains(status), "\(hostile.name): \(text)")
        #expect(!text.lowercased().contains("access-control"), "\(hostile.name)")
        #expect(!text.lowercased().contains("set-cookie"), "\(hostile.name)")
        #expect(text.components(separatedBy: "HTTP/1.1 ").count <= 2, "\(hostile.name)")
        #expect(try fixture.names() == [], "\(hostile.name)")
      }
      // The server still answers.
      _ = try await visitor.makeDocument("Three valleys")
      #expect(try fixture.names() == ["Note 1"])
    }
  }

  @Test func `that hangs keeps no other one waiting, and ends`() async throws {
    try await ServeFixture.with { fixture in
      let visitor = try await Visitor(fixture)
      let clients = try await waiting { [port = visitor.port] in
        try (0..<100).map { _ in try TCPClient(port: port) }
      }
      for (index, client) in clients.enumerated() where index % 2 == 0 { try client.send("GET / HT") }
      #expect(try await visitor.ask("GET", "/api/nothing").status == 404)
      // The server's own deadline ends the connection.
      #expect(try await waiting { try clients[0].receiveAll() }.isEmpty)
    }
  }

  @Test func `keeps no page out, also if 500 of them hang`() async throws {
    try await ServeFixture.with { fixture in
      let visitor = try await Visitor(fixture)
      let clients = try await waiting { [port = visitor.port] in
        try (0..<500).map { _ in
          let client = try TCPClient(port: port)
          try client.send("GET / HT")
          return client
        }
      }
      // Each request has a connection of its own. Without limits per state, none is answered for ten seconds.
      for _ in 0..<10 { #expect(try await visitor.ask("GET", "/api/nothing").status == 404) }
      withExtendedLifetime(clients) {}
    }
  }

  @Test func `with a body that hangs ends, and stores nothing`() async throws {
    try await ServeFixture.with { fixture in
      let visitor = try await Visitor(fixture)
      let head = Self.head(
        "PUT /api/library/import?name=a.txt", origin: visitor.origin, more: ["Content-Length: 1000"], visitor)
      let bytes = try await visitor.exchange(head + "only these")
      #expect(bytes.isEmpty)
      #expect(try fixture.names() == [])
    }
  }

  @Test func `with the token gets the cookie, which no script can read`() async throws {
    try await ServeFixture.with { fixture in
      let address = try fixture.address
      let answer = try await Visitor.entrance(of: address)
      #expect(answer.status == 200)
      let cookie = try #require(answer.field("set-cookie"))
      #expect(address.name.hasSuffix(".localhost") && !address.name.contains(address.token))
      #expect(cookie == "docpkg-\(address.port)=\(address.token); HttpOnly; SameSite=Strict; Path=/")
      #expect(answer.field("x-content-type-options") == "nosniff")
      #expect(answer.field("referrer-policy") == "no-referrer")
      #expect(answer.field("content-security-policy")?.contains("frame-ancestors 'none'") == true)
    }
  }

  @Test func `with a file that is no image is refused with a sentence`() async throws {
    try await ServeFixture.with { fixture in
      let visitor = try await Visitor(fixture)
      let id = try await visitor.makeDocument("One")
      let answer = try await visitor.ask(
        "PUT", "/api/documents/\(id)/images?name=..%2Fa.png", body: Array("no".utf8))
      #expect(answer.status == 415)
      #expect(try JSON(parsing: answer.body)["error"]["message"].string?.isEmpty == false)
      #expect(try fixture.shown("Note 1").images.isEmpty)
    }
  }
}
