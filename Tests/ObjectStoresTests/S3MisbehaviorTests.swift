import Foundation
import Synchronization
import TestSupport
import Testing

import ObjectStores
import StoreTestSupport

/// What one call, and a store that repeats calls, make of a server's misbehaviour.
struct Misbehavior: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var trouble: S3Server.Trouble
  /// The code of the error.
  var code: ObjectStoreError.Code
  /// The number of requests of a store that makes three attempts.
  var attempts: Int

  init(_ name: String, _ trouble: S3Server.Trouble, _ code: ObjectStoreError.Code, _ attempts: Int) {
    (testDescription, self.trouble, self.code, self.attempts) = (name, trouble, code, attempts)
  }

  private static func answer(_ lines: String, _ body: String = "") -> S3Server.Trouble {
    .raw(lines.replacing("\n", with: "\r\n") + "\r\n\r\n" + body)
  }

  static let all = [
    Misbehavior("no right", .refusal(403, "AccessDenied"), .forbidden, 1),
    Misbehavior("an unknown key", .refusal(403, "InvalidAccessKeyId"), .unauthorized, 1),
    Misbehavior("another clock", .refusal(403, "RequestTimeTooSkewed"), .clockSkewed, 1),
    Misbehavior("no bucket", .refusal(404, "NoSuchBucket"), .noSuchStore, 1),
    Misbehavior("no room", .refusal(507, "QuotaExceeded"), .noSpace, 1),
    Misbehavior("a quota of Ceph", .refusal(403, "QuotaExceeded"), .noSpace, 1),
    Misbehavior("a busy server", .refusal(503, "SlowDown"), .busy, 3),
    Misbehavior("a busy server with a time", .refusal(503, "SlowDown", ["Retry-After": "7"]), .busy, 3),
    Misbehavior(
      "a server that is busy for an hour", .refusal(503, "Busy", ["Retry-After": "3600"]), .busy, 1),
    Misbehavior("a failure", .refusal(500, "InternalError"), .serverFailure, 3),
    Misbehavior("a call that the server does not have", .refusal(501, "NotImplemented"), .unsound, 1),
    Misbehavior("a failed gateway", answer("HTTP/1.1 502 Bad\nContent-Length: 5", "<p>x"), .unreachable, 3),
    Misbehavior("a redirect", .refusal(302, "Found", ["Location": "http://127.0.0.1:1/"]), .invalidAnswer, 1),
    Misbehavior(
      "a redirect to another region",
      .refusal(301, "PermanentRedirect", ["Location": "http://127.0.0.1:1/", "x-amz-bucket-region": "eu-1"]),
      .invalidAnswer, 1),
    Misbehavior("a lost answer", .lostAnswer, .unreachable, 3),
    Misbehavior("a truncated answer", .truncated, .unreachable, 3),
    Misbehavior(
      "a length that is too large", answer("HTTP/1.1 200 OK\nContent-Length: 100", "short"), .unreachable, 3),
    Misbehavior("a length that is none", answer("HTTP/1.1 200 OK\nContent-Length: -1"), .invalidAnswer, 1),
    Misbehavior(
      "two lengths", answer("HTTP/1.1 200 OK\nContent-Length: 1\nContent-Length: 2", "ab"), .invalidAnswer, 1),
    Misbehavior(
      "a length and chunks",
      answer("HTTP/1.1 200 OK\nContent-Length: 1\nTransfer-Encoding: chunked", "1\r\na\r\n0\r\n\r\n"),
      .invalidAnswer, 1),
    Misbehavior(
      "a chunk without its end", answer("HTTP/1.1 200 OK\nTransfer-Encoding: chunked", "1\r\nab\r\n"),
      .unreachable, 3),
    Misbehavior("an endless body", .endless, .invalidAnswer, 1),
    Misbehavior("a huge body", answer("HTTP/1.1 200 OK\nContent-Length: 99999999999"), .invalidAnswer, 1),
    Misbehavior(
      "an endless header", .raw("HTTP/1.1 200 OK\r\nA: " + String(repeating: "a", count: 200_000)),
      .invalidAnswer, 1),
    Misbehavior("another protocol", .raw("220 mail.example ESMTP\r\n\r\n"), .invalidAnswer, 1),
    Misbehavior("slow drips", .drip, .timedOut, 3),
    Misbehavior("silence", .silence, .timedOut, 3),
    Misbehavior("silence within a header", .stall("HTTP/1.1 200 OK\r\nA: "), .timedOut, 3),
    Misbehavior(
      "silence within a body", .stall("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), .timedOut, 3),
  ]
}

@Suite("A misbehaving server", .temporaryDirectory)
struct S3MisbehaviorTests {
  /// A service that answers each listing with this text.
  private static func server(listing text: String) throws -> S3Server {
    try S3Server { request in
      request.query.contains("list-type")
        ? .raw("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)") : nil
    }
  }

  /// Requests that give up soon.
  private static func client() -> HTTPClient { HTTPClient(times: .init(idle: .seconds(1))) }

  @Test(.timeLimit(.minutes(60)), arguments: Misbehavior.all)
  func `gets one sentence, and as many calls as make sense`(case one: Misbehavior) async throws {
    let server = try S3Server { $0.query.contains("list-type") ? one.trouble : nil }
    let base = try server.store(transport: Self.client())
    let store = RetryingStore(base, policy: .init(attempts: 3, busyAttempts: 3)) { _ in }
    let error = await #expect(throws: ObjectStoreError.self) {
      try await store.list("", after: nil, limit: 10)
    }
    #expect(error?.code == one.code, "\(error?.description ?? "")")
    #expect(server.requests.count == one.attempts)
    let sentence = error?.description ?? ""
    #expect(
      !sentence.contains("not-a-real-secret") && !sentence.contains("AKTESTKEY") && !sentence.contains("\n"))
    if case .refusal(_, _, let fields) = one.trouble, let time = fields["Retry-After"] {
      #expect(error?.retryAfter == Double(time))
    }
  }

  @Test(arguments: ["inf", "nan", "1e30", "-1e30"])
  func `may name any time to wait`(time: String) async throws {
    let server = try S3Server { _ in .refusal(503, "SlowDown", ["Retry-After": time]) }
    let store = RetryingStore(
      try server.store(transport: Self.client()), policy: .init(attempts: 2, busyAttempts: 2)
    ) { _ in }
    await expect(\ObjectStoreError.code, .busy) { try await store.list("", after: nil, limit: 10) }
  }

  @Test func `gets its wrong bytes as they are: a blob's name tells`() async throws {
    let server = try S3Server { $0.method == "GET" ? .wrongByte : nil }
    let store = try server.store()
    try await store.put(Data("abc".utf8), at: "a")
    #expect(try await store.get("a") == Data("abb".utf8))
  }

  @Test(arguments: [
    "<html><body>Hello</body></html>", "", "page <ListBucketResult></ListBucketResult>",
    "<ListBucketResult></ListBucketResult> page", "<ListBucketResult", "<ListBucketResult>",
    "<ListBucketResult></Other>",
    "<!DOCTYPE x [<!ENTITY a \"aaaaaaaa\"><!ENTITY b \"&a;&a;\">]><ListBucketResult>&b;</ListBucketResult>",
    "<ListBucketResult><!-- a --></ListBucketResult>",
    "<ListBucketResult></ListBucketResult><ListBucketResult></ListBucketResult>",
    "<ListBucketResult><Contents><Key>a</Key><Size>-1</Size><LastModified>2013-05-24T00:00:00.000Z</LastModified></Contents></ListBucketResult>",
    "<ListBucketResult><Contents><Key>b</Key><Size>1</Size><LastModified>soon</LastModified></Contents></ListBucketResult>",
    "<ListBucketResult><Contents><Key>&unknown;</Key></Contents></ListBucketResult>",
    "<ListBucketResult>&amp\n</ListBucketResult>",
    listing("b", "a"), listing("a", "a"), listing("%FF"), listing("%zz"),
    String(repeating: "<a>", count: 100_000),
    "<ListBucketResult a=\"" + String(repeating: "x", count: 1 << 20),
    "<ListBucketResult>" + String(repeating: "&#97;", count: 1 << 18),
  ])
  func `gets no listing that is none`(text: String) async throws {
    let server = try Self.server(listing: text)
    let error = await #expect(throws: ObjectStoreError.self) {
      try await server.store().list("", after: nil, limit: 10)
    }
    #expect(error?.code == .invalidAnswer, "\(error?.description ?? "")")
    #expect(error?.description.contains("\n") == false)
  }

  @Test func `gets no further listing after an empty page, and the advice is another store`() async throws {
    let text = "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>"
    let server = try Self.server(listing: text)
    let error = await #expect(throws: ObjectStoreError.self) {
      try await server.store().list("", after: nil, limit: 10)
    }
    #expect(error?.code == .unsound && error?.description.hasSuffix("Use another store.") == true)
  }

  @Test(arguments: ["Content-Type: text/html; charset=utf-8", "Content-Encoding: gzip"], [200, 404])
  func `gives no answer for the store's, as a network with a login or a proxy does`(
    field: String, status: Int
  ) async throws {
    let server = try S3Server { _ in
      .raw("HTTP/1.1 \(status) Status\r\n\(field)\r\nContent-Length: 4\r\n\r\npage")
    }
    let store = try server.store()
    for call in [
      { _ = try await store.get("a") }, { _ = try await store.head("a") }, { try await store.delete("a") },
      { try await store.put(Data("a".utf8), at: "a") },
      { _ = try await store.list("", after: nil, limit: 10) },
    ] as [() async throws -> Void] {
      let error = await #expect(throws: ObjectStoreError.self) { try await call() }
      #expect(error?.code == .invalidAnswer, "\(error?.description ?? "")")
      #expect(error?.description.contains("repair") == false)
    }
  }

  private static func listing(_ names: String...) -> String {
    let contents = names.map { name in
      "<Contents><Key>\(name)</Key><Size>1</Size><LastModified>2013-05-24T00:00:00.000Z</LastModified></Contents>"
    }
    return "<ListBucketResult>\(contents.joined())</ListBucketResult>"
  }

  @Test(arguments: ["../x", "/x", "a//b", "a%00b", ".x", "a%5Cb", "%C3%A4"])
  func `lists no names that are no keys`(name: String) async throws {
    let server = try Self.server(listing: Self.listing(name))
    let listing = try await server.store().list("", after: nil, limit: 10)
    #expect(listing.objects == [])
  }

  @Test func `lists an object of another prefix as an error`() async throws {
    let server = try Self.server(listing: Self.listing("other/a"))
    await expect(\ObjectStoreError.reason, "the listing is wrong: it has objects of another prefix") {
      try await server.store(prefix: "mine").list("", after: nil, limit: 10)
    }
  }

  @Test func `ends a listing that gives two pages in turn`() async throws {
    let turns = Mutex(0)
    let server = try S3Server { request in
      guard request.query.contains("list-type") else { return nil }
      let name = turns.withLock { turns in
        turns += 1
        return ["b", "a"][turns % 2]
      }
      let text = Self.listing(name).replacing(
        "</ListBucketResult>", with: "<IsTruncated>true</IsTruncated></ListBucketResult>")
      return .raw("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
    }
    await expect(\ObjectStoreError.reason, "a listing does not go on") {
      try await server.store().listAll("") { _ in turns.withLock { $0 < 100 } }
    }
  }
}
