import Foundation
import Synchronization
import TestSupport
import Testing

import ObjectStores
import StoreTestSupport

@Suite("A store in an S3 service", .temporaryDirectory)
struct S3StoreTests {
  // The examples of Amazon's documentation of the algorithm.
  @Test(arguments: [
    (
      "GET", "/test.txt", "", ["range": "bytes=0-9"], "",
      "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
    ),
    (
      "PUT", "/test%24file.text", "",
      ["date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY"],
      "Welcome to Amazon S3.", "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
    ),
    (
      "GET", "/", "max-keys=2&prefix=J", [:], "",
      "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
    ),
  ])
  func `signs as Amazon's examples`(
    method: String, path: String, query: String, headers: [String: String], body: String, signature: String
  ) {
    var request = HTTPRequest(
      method: method, isEncrypted: true, host: "examplebucket.s3.amazonaws.com", path: path, query: query,
      headers: headers, body: Data(body.utf8))
    let credentials = S3Credentials(
      accessKeyID: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    SignatureV4(credentials, region: "us-east-1").sign(
      &request, at: Date(timeIntervalSince1970: 1_369_353_600))
    #expect(request.headers["authorization"]?.hasSuffix("Signature=\(signature)") == true)
  }

  @Test func `leaves out names that are no keys`() async throws {
    let server = try S3Server()
    for name in ["team/.hidden", "team/a b", "team/ok", "team/zä"] { server.put(name, "x") }
    let listing = try await server.store(prefix: "team").list("", after: nil, limit: 2)
    #expect(listing.objects.map(\.key) == ["ok"])
  }

  @Test func `takes no more bytes than a part of an object can have`() async throws {
    let server = LimitedAnswer(status: 206, body: Data(count: 10))
    let store = S3Store(
      at: try S3Address("s3://bucket", endpoint: "http://127.0.0.1:1"),
      keys: S3Keys(S3Credentials(accessKeyID: "name", secretAccessKey: "secret")), transport: server)
    _ = try await store.get("a", limit: 20_000_000)
    #expect(server.limits == [20_000_000])
    // An error has its sentence, however small the part is.
    _ = try await store.get("a", limit: 10)
    #expect(server.limits.last ?? 0 >= 1 << 20)
    await expect(\ObjectStoreError.code, .invalidAnswer) { try await store.get("a", limit: 9) }
  }

  @Test func `ends with its task`() async throws {
    let server = try S3Server { _ in .silence }
    let store = try server.store()
    let task = Task { try await store.get("a") }
    while server.requests.isEmpty { await Task.yield() }
    task.cancel()
    await expect(\ObjectStoreError.code, .cancelled) { try await task.value }
  }

  @Test(
    arguments: [
      ("http://bucket", nil), ("s3://", nil), ("s3://A", nil), ("s3://bucket/a/../b", nil),
      ("s3://bucket", "ftp://x"),
      ("s3://bucket", "http://example.org"), ("s3://bucket", "https://user:secret@example.org"),
      ("s3://bucket", "http://127.evil.example"),
    ] as [(String, String?)])
  func `refuses an address`(address: String, endpoint: String?) {
    #expect(throws: S3Address.Problem.self) { try S3Address(address, endpoint: endpoint) }
  }

  @Test(
    arguments: [
      ("s3://me:not-a-real-secret@bucket", nil),
      ("s3://bucket", "https://me:not-a-real-secret@nas.example"),
    ] as [(String, String?)])
  func `repeats no password of an address`(address: String, endpoint: String?) throws {
    let problem = try #require(throws: S3Address.Problem.self) { try S3Address(address, endpoint: endpoint) }
    #expect(!problem.description.contains("not-a-real-secret"))
  }

  @Test func `has addresses in both styles`() throws {
    let plain = try S3Address("s3://my-bucket/a/b/", region: "eu-central-1")
    #expect(plain.prefix == "a/b" && !plain.usesPathStyle && plain.isEncrypted)
    #expect("\(plain)" == "s3://my-bucket/a/b at https://s3.eu-central-1.amazonaws.com")
    let own = try S3Address("s3://my-bucket", endpoint: "http://127.0.0.1:9000")
    #expect(own.usesPathStyle && own.port == 9_000 && !own.isEncrypted)
    #expect(
      try S3Address("s3://my-bucket", endpoint: "http://nas.example", allowsPlain: true).host == "nas.example"
    )
  }
}

/// A server with one answer, which notes how many bytes its callers take.
private final class LimitedAnswer: HTTPTransport {
  private let answer: HTTPResponse
  private let noted = Mutex<[Int]>([])
  var limits: [Int] { noted.withLock { $0 } }

  init(status: Int, body: Data) { answer = HTTPResponse(status: status, body: body) }

  func send(_ request: HTTPRequest, limit: Int) async throws(HTTPFailure) -> HTTPResponse {
    noted.withLock { $0.append(limit) }
    return answer
  }
}

@Suite("Credentials")
struct S3CredentialsTests {
  @Test func `are in no description`() {
    let credentials = S3Credentials(
      accessKeyID: "AKIDENTIFIER", secretAccessKey: "hush", sessionToken: "token")
    var dumped = ""
    dump(credentials, to: &dumped)
    for text in ["\(credentials)", String(reflecting: credentials), dumped, "\([credentials])"] {
      #expect(!text.contains("hush") && !text.contains("token") && !text.contains("IDENTIFIER"))
    }
  }
}
