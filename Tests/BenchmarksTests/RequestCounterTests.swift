import Benchmarks
import Foundation
import ObjectStores
import StoreTestSupport
import Testing

@Suite("The counter of requests")
struct RequestCounterTests {
  /// Requests whose bodies look like requests.
  static let requests = [
    "GET /a HTTP/1.1\r\nHost: x\r\n\r\n",
    "PUT /b HTTP/1.1\r\nContent-Length: 29\r\n\r\nGET /body HTTP/1.1\r\nA: b\r\n\r\n\r",
    "\r\nHEAD /c HTTP/1.1\r\ncontent-LENGTH:  0 \r\nX: Content-Length: 7\r\n\r\n",
    "PUT /d HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1a;x=y\r\nGET /e HTTP/1.1\r\nHost: x\r\n\r\n"
      + "3\r\n\r\n\r\r\n0\r\nTrailer: x\r\n\r\n",
    "POST /f HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\nX-Long: "
      + String(repeating: "y", count: 5_000) + "\r\n\r\n\r\n",
    "DELETE /g HTTP/1.1\r\nHost: x\r\n\r\n",
  ]

  @Test(arguments: [1, 2, 3, 7, 100, 1_000_000])
  func `finds each request, however the bytes come`(step: Int) {
    var counter = RequestCounter()
    var counts: [Int] = []
    for request in Self.requests {
      var bytes = Array(request.utf8)[...]
      while !bytes.isEmpty {
        bytes.prefix(step).withUnsafeBytes { counter.read($0) }
        bytes = bytes.dropFirst(step)
      }
      counts.append(counter.count)
    }
    #expect(counts == Array(1...Self.requests.count))
  }

  @Test func `finds all requests of one piece of bytes`() {
    var counter = RequestCounter()
    Array(Self.requests.joined().utf8).withUnsafeBytes { counter.read($0) }
    #expect(counter.count == Self.requests.count)
  }

  @Test func `counts a request when its head is complete`() {
    var counter = RequestCounter()
    Array("PUT /b HTTP/1.1\r\nContent-Length: 9\r\n\r".utf8).withUnsafeBytes { counter.read($0) }
    #expect(counter.count == 0)
    Array("\n1234".utf8).withUnsafeBytes { counter.read($0) }
    #expect(counter.count == 1)
  }
}

@Suite("A proxy that counts")
struct CountingProxyTests {
  @Test func `counts the requests that a server gets, and more bytes than the objects have`() async throws {
    let server = try S3Server()
    defer { server.stop() }
    let proxy = try CountingProxy(to: "127.0.0.1", server.port)
    defer { proxy.stop() }
    let address = try S3Address(
      "s3://\(S3Server.bucket)", endpoint: "http://127.0.0.1:\(proxy.port)", region: S3Server.region)
    let client = HTTPClient(environment: [:])
    let store = S3Store(at: address, credentials: S3Server.credentials, transport: client)
    #expect(proxy.traffic == WireTraffic())
    let bytes = Data(repeating: 7, count: 300_000)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        let key = try #require(ObjectKey("object-\(number)"))
        group.addTask { try await store.put(bytes, at: key, ifAbsent: true) }
      }
      try await group.waitForAll()
    }
    let sent = proxy.traffic
    #expect(sent.requests == 20 && server.requests.count == 20)
    #expect((6_000_000..<6_100_000).contains(sent.bytesSent) && sent.bytesReceived < 10_000, "\(sent)")
    #expect(try await store.get("object-3") == bytes)
    let got = proxy.traffic - sent
    #expect(
      got.requests == 1 && (300_000..<301_000).contains(got.bytesReceived) && got.bytesSent < 2_000, "\(got)")
  }
}
