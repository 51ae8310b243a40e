import Foundation
import SystemPackage
import TestSupport
import Testing

import ObjectStores
import StoreTestSupport

@Suite(
  "An encrypted connection", .tags(.process),
  .enabled(if: TLSServer.isPossible, "this needs node and openssl"), .temporaryDirectory)
struct EncryptedConnectionTests {
  private func store(
    _ server: TLSServer, _ client: HTTPClient, host: String = "127.0.0.1"
  ) throws -> S3Store {
    let address = try S3Address("s3://documents", endpoint: "https://\(host):\(server.port)")
    return S3Store(at: address, keys: S3Keys(S3Server.credentials), transport: client)
  }

  private func failure(of store: S3Store, _ key: ObjectKey = "a") async throws -> ObjectStoreError {
    try await #require(throws: ObjectStoreError.self) { try await store.get(key) }
  }

  @Test(arguments: [TLSServer.Offer.http1, .http2])
  func `carries one request after the other`(offer: TLSServer.Offer) async throws {
    let server = try await TLSServer(in: folder, .valid, offer)
    let client = HTTPClient(authorities: folder.appending("authority.pem").string, environment: [:])
    let store = try store(server, client)
    let large = (0..<500_000 as Range<UInt32>).map { $0 &* 2_654_435_761 }.withUnsafeBytes { Data($0) }
    for bytes in [Data(), Data("small".utf8), large] {
      try await store.put(bytes, at: "a")
      #expect(try await store.get("a") == bytes)
    }
    #expect(try await self.store(server, client, host: "localhost").get("b") == Data("hello".utf8))
    let version = offer == .http2 ? "2.0" : "1.1"
    #expect(server.requests.count == 7 && server.requests.allSatisfy { $0.line.hasPrefix(version) })
    #expect(Set(server.requests.map(\.connection)).count == 2)
  }

  @Test func `carries a request at a time also with HTTP/2`() async throws {
    let server = try await TLSServer(in: folder)
    let client = HTTPClient(
      limits: .init(connections: 3), authorities: folder.appending("authority.pem").string,
      environment: [:])
    let store = try store(server, client)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<60 {
        group.addTask {
          let key = try #require(ObjectKey("a/\(number)"))
          let bytes = Data(repeating: UInt8(number), count: 50_000)
          try await store.put(bytes, at: key, ifAbsent: true)
          #expect(try await store.get(key) == bytes)
        }
      }
      try await group.waitForAll()
    }
    #expect(server.requests.count == 120)
    #expect((1...3).contains(Set(server.requests.map(\.connection)).count))
  }

  @Test(arguments: [TLSServer.Offer.http1, .http2])
  func `that ends within an answer is an error`(offer: TLSServer.Offer) async throws {
    let server = try await TLSServer(in: folder, .valid, offer)
    let client = HTTPClient(authorities: folder.appending("authority.pem").string, environment: [:])
    let error = try await failure(of: store(server, client), "cut")
    #expect(error.code == .unreachable && error.reason == "the connection ended within the answer")
    #expect(server.requests.count == 1)
  }

  @Test(arguments: [
    (TLSServer.Certificate.expired, "it has expired"), (.own, "it has signed itself"),
    (.other, "it is for another name"),
  ])
  func `is refused with the reason`(certificate: TLSServer.Certificate, reason: String) async throws {
    let server = try await TLSServer(in: folder, certificate)
    let client = HTTPClient(authorities: folder.appending("authority.pem").string, environment: [:])
    let error = try await failure(of: store(server, client))
    #expect(error.code == .untrusted && error.reason == reason)
    #expect(server.requests.isEmpty)
  }

  @Test func `trusts the authorities of the system, of the variables or of the option`() async throws {
    let server = try await TLSServer(in: folder)
    let (file, other) = (folder.appending("authority.pem").string, folder.appending("own.pem").string)
    let directory = folder.appending("authorities").string
    let good = [
      HTTPClient(environment: ["SSL_CERT_FILE": file]),
      HTTPClient(environment: ["SSL_CERT_DIR": directory]),
      HTTPClient(authorities: file, environment: ["SSL_CERT_FILE": other]),
      HTTPClient(authorities: directory, environment: [:]),
    ]
    for client in good { #expect(try await store(server, client).get("a") == Data("hello".utf8)) }
    let unknown = "an authority that the system does not know has signed it"
    let bad = [
      (HTTPClient(environment: [:]), unknown),
      (HTTPClient(authorities: other, environment: ["SSL_CERT_FILE": file]), unknown),
      (HTTPClient(authorities: folder.string, environment: ["SSL_CERT_DIR": directory]), unknown),
      (
        HTTPClient(authorities: "/missing/own.pem", environment: [:]),
        "the file of the authorities has no certificates: '/missing/own.pem'"
      ),
    ]
    for (client, reason) in bad {
      let error = try await failure(of: store(server, client))
      #expect(error.code == .untrusted && error.reason == reason)
    }
    #expect(server.requests.count == good.count)
  }

  @Test func `is none with a server that does not encrypt, or says nothing`() async throws {
    let plain = try await TLSServer(in: folder, .valid, .plain)
    let first = try await failure(of: store(plain, HTTPClient(environment: [:])))
    #expect(first.code == .unreachable)
    #expect(first.reason == "TLS failed; if the server does not encrypt, use an http address")
    let silent = try await TLSServer(in: folder, .valid, .silent)
    let client = HTTPClient(times: .init(connecting: .milliseconds(300)), environment: [:])
    #expect(try await failure(of: store(silent, client)).code == .timedOut)
    // They run until here.
    #expect(plain.requests.isEmpty && silent.requests.isEmpty)
  }
}
