import Foundation
import Synchronization
import TestSupport
import Testing

import ObjectStores
import StoreTestSupport

@Suite("Connections to a server", .temporaryDirectory)
struct HTTPClientTests {
  @Test func `carry one request after the other`() async throws {
    let server = try S3Server()
    let store = try server.store(transport: HTTPClient())
    for number in 0..<20 {
      try await store.put(Data("\(number)".utf8), at: "a")
      #expect(try await store.get("a") == Data("\(number)".utf8))
      // An error, too, leaves the connection open.
      #expect(try await store.get("missing") == nil)
    }
    // A connection without a request for two minutes, as on a busy machine, is not used any more.
    #expect(server.requests.count == 60 && server.connectionCount < 20)
  }

  @Test func `are slower with a limit of bytes a second, in both directions`() async throws {
    let server = try S3Server()
    let store = try server.store(transport: HTTPClient(limits: .init(bytesPerSecond: 4_000_000)))
    let clock = ContinuousClock()
    let put = try await clock.measure { try await store.put(Data(count: 6_000_000), at: "a") }
    let got = try await clock.measure { try await #require(store.get("a")?.count == 6_000_000) }
    // A busy machine only makes them longer.
    #expect(put > .milliseconds(500) && got > .milliseconds(500), "\(put), \(got)")
    // One request at a time has the whole rate, and several have their parts.
    #expect(TransferLimits(bytesPerSecond: 1 << 20).rate == 1 << 20)
    #expect(TransferLimits(connections: 4, bytesPerSecond: 1 << 20).rate == 1 << 18)
    #expect(TransferLimits().connections == 8 && TransferLimits().rate == nil)
  }

  @Test func `are no more than the client has`() async throws {
    let server = try S3Server()
    let store = try server.store(transport: HTTPClient(limits: .init(connections: 3)))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<50 {
        group.addTask {
          try await store.put(Data(count: 10_000), at: #require(ObjectKey("a/\(number)")))
        }
      }
      try await group.waitForAll()
    }
    #expect(server.requests.count == 50 && (1...3).contains(server.connectionCount))
  }

  @Test func `that the server closed are made again by a store that repeats calls`() async throws {
    let server = try S3Server { _ in .lastAnswer }
    let store = RetryingStore(try server.store(transport: HTTPClient())) { _ in }
    // A large request is on its way when the client learns that the connection is closed.
    for number in 0..<60 { try await store.put(Data(count: number % 2 == 0 ? 1 : 2 << 20), at: "a") }
    #expect(server.requests.count == 60 && server.connectionCount == 60)
  }

  @Test(arguments: [true, false])
  func `that the server closes without an answer are made again, unless the request has a condition`(
    isConditional: Bool
  ) async throws {
    let seen = Mutex<Set<String>>([])
    let server = try S3Server { request in
      guard request.body == Data("y".utf8) else { return nil }
      return seen.withLock { $0.insert(request.path).inserted } ? .lostAnswer : nil
    }
    let store = try server.store(transport: HTTPClient())
    var stored = 0
    for number in 0..<20 {
      try await store.put(Data("x".utf8), at: "a")
      let key = try #require(ObjectKey("b/\(number)"))
      do {
        try await store.put(Data("y".utf8), at: key, ifAbsent: isConditional)
        stored += 1
      } catch {
        #expect(error.code == .unreachable)
      }
    }
    if isConditional {
      // The server has stored the object: a repeated request would find it there.
      #expect(stored == 0 && server.requests.count == 40)
    } else {
      // On a busy machine a connection may wait for two minutes. A request on a new one is not repeated.
      #expect(stored > 0 && server.requests.count == 40 + stored)
    }
  }

  @Test func `send no field that the request does not have`() async throws {
    let server = try S3Server()
    try await server.store(transport: HTTPClient()).put(Data(count: 2 << 20), at: "a")
    #expect(
      server.requests.first?.headers.keys.sorted() == [
        "accept-encoding", "authorization", "content-length", "content-type", "host", "x-amz-content-sha256",
        "x-amz-date",
      ])
  }

  @Test func `give an answer that comes before the body is read`() async throws {
    let server = try S3Server { $0.method == "PUT" ? .earlyRefusal(403, "AccessDenied") : nil }
    let store = try server.store(transport: HTTPClient())
    for _ in 0..<10 {
      let error = await #expect(throws: ObjectStoreError.self) {
        try await store.put(Data(count: 32 << 20), at: "a")
      }
      // The server may close with bytes unread, and then the kernel drops the answer.
      #expect(error?.code == .forbidden || error?.code == .unreachable)
    }
  }

  @Test func `end with their task, also while requests wait for a turn`() async throws {
    let server = try S3Server { _ in .silence }
    // The idle time of a request does not pass before the tasks end, on a busy machine either.
    let times = HTTPClient.Times(idle: .seconds(900))
    let store = try server.store(transport: HTTPClient(times: times, limits: .init(connections: 1)))
    let tasks = (0..<5).map { _ in Task { try await store.get("a") } }
    while server.requests.isEmpty { await Task.yield() }
    for task in tasks.reversed() { task.cancel() }
    for task in tasks {
      await expect(\ObjectStoreError.code, .cancelled) { try await task.value }
    }
    #expect(server.requests.count == 1)
  }

  @Test func `to a port without a server fail at once`() async throws {
    let server = try S3Server()
    let store = try server.store(transport: HTTPClient())
    server.stop()
    let error = await #expect(throws: ObjectStoreError.self) { try await store.get("a") }
    #expect(error?.code == .unreachable && error?.isTransient == true)
  }

  @Test func `end with an error that names the file of SSL_CERT_FILE if it is not there`() async throws {
    let server = try S3Server()
    let client = HTTPClient(environment: ["SSL_CERT_FILE": "/missing/own.pem"])
    let address = try S3Address("s3://documents", endpoint: "https://127.0.0.1:\(server.port)")
    let store = S3Store(at: address, keys: S3Keys(S3Server.credentials), transport: client)
    let error = await #expect(throws: ObjectStoreError.self) { try await store.get("a") }
    #expect(error?.code == .untrusted)
    #expect(error?.reason == "SSL_CERT_FILE names '/missing/own.pem', which cannot be read")
  }

  @Test func `lead through the proxy that the environment names`() async throws {
    let proxy = try S3Server()
    let client = HTTPClient(environment: ["http_proxy": "http://me:p%40ss@127.0.0.1:\(proxy.port)"])
    let address = try S3Address("s3://documents", endpoint: "http://nas.example:8080", allowsPlain: true)
    let store = S3Store(at: address, keys: S3Keys(S3Server.credentials), transport: client)
    // The server in the place of a proxy refuses a whole address.
    await #expect(throws: ObjectStoreError.self) { try await store.get("a") }
    let request = try #require(proxy.requests.first)
    #expect(request.path == "http://nas.example:8080/documents/a")
    #expect(request.headers["proxy-authorization"] == "Basic " + Data("me:p@ss".utf8).base64EncodedString())
    #expect(request.headers["host"] == "nas.example:8080")
  }

  @Test func `that are encrypted ask a proxy for a tunnel`() async throws {
    let proxy = try S3Server { _ in .raw("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n") }
    let client = HTTPClient(environment: ["HTTPS_PROXY": "me:not-a-real-secret@127.0.0.1:\(proxy.port)"])
    let address = try S3Address("s3://documents", endpoint: "https://nas.example")
    let store = S3Store(at: address, keys: S3Keys(S3Server.credentials), transport: client)
    let error = await #expect(throws: ObjectStoreError.self) { try await store.get("a") }
    #expect(error?.reason == "the proxy of HTTPS_PROXY answers with status 407")
    #expect(proxy.requests.map(\.method) == ["CONNECT"] && proxy.requests.map(\.path) == ["nas.example:443"])
    #expect(error?.description.contains("not-a-real-secret") == false)
    #expect(proxy.requests.first?.headers["proxy-authorization"]?.hasPrefix("Basic ") == true)
    #expect(proxy.requests.first?.headers["authorization"] == nil)
  }

  @Test(
    arguments: [
      ("s3.example.org", true, ["https_proxy": "p", "HTTPS_PROXY": "q", "all_proxy": "r"], "https_proxy"),
      ("s3.example.org", true, ["http_proxy": "p"], nil), ("s3.example.org", false, ["HTTP_PROXY": "p"], nil),
      ("s3.example.org", true, ["ALL_PROXY": "p"], "ALL_PROXY"),
      ("s3.example.org", false, ["all_proxy": "p"], "all_proxy"),
      ("s3.example.org", true, ["https_proxy": "", "all_proxy": "p"], nil),
      ("127.0.0.1", true, ["all_proxy": "p"], nil), ("localhost", false, ["http_proxy": "p"], nil),
      ("[::1]", false, ["http_proxy": "p"], nil),
    ] as [(String, Bool, [String: String], String?)])
  func `find their proxy`(host: String, isEncrypted: Bool, variables: [String: String], proxy: String?) {
    #expect(HTTPProxy(for: host, isEncrypted: isEncrypted, in: variables)?.variable == proxy)
  }

  // The address is one of those that RFC 5737 leaves for examples: no server has it.
  @Test(arguments: ["192.0.2.1", "a.b, 192.0.2.0/24", "*"])
  func `lead past the proxy to an exception`(exceptions: String) async throws {
    let proxy = try S3Server()
    let client = HTTPClient(
      times: .init(connecting: .milliseconds(500)),
      environment: ["http_proxy": "127.0.0.1:\(proxy.port)", "no_proxy": exceptions])
    let address = try S3Address("s3://documents", endpoint: "http://192.0.2.1", allowsPlain: true)
    let store = S3Store(at: address, keys: S3Keys(S3Server.credentials), transport: client)
    await #expect(throws: ObjectStoreError.self) { try await store.get("a") }
    #expect(proxy.requests.isEmpty)
  }
}
