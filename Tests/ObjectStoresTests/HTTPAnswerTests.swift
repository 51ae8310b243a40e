import Foundation
import TestSupport
import Testing

import ObjectStores
import StoreTestSupport

@Suite("The bytes of an answer", .temporaryDirectory)
struct HTTPAnswerTests {
  /// Sends a request to a server that answers with these bytes, and then ends the connection.
  private func answer(
    _ text: String, to method: String = "GET", limit: Int = 100
  ) async throws -> Result<HTTPResponse, HTTPFailure> {
    let server = try S3Server { _ in .raw(text) }
    let request = HTTPRequest(
      method: method, isEncrypted: false, host: "127.0.0.1", port: server.port, path: "/a", query: "",
      headers: [:], body: Data())
    let client = HTTPClient(environment: [:])
    do throws(HTTPFailure) {
      return .success(try await client.send(request, limit: limit))
    } catch {
      return .failure(error)
    }
  }

  @Test func `make an answer`() async throws {
    let plain = try await answer(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nETag:  \"x\" \r\nA: 1\r\nContent-Length: 5\r\na: 2\r\n\r\nhello"
    ).get()
    #expect(plain.status == 200 && plain.body == Data("hello".utf8))
    #expect(plain.headers == ["etag": "\"x\"", "content-length": "5", "a": "1, 2"])
    let chunked = try await answer(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=1\r\nabc\r\nA\r\n0123456789\r\n0\r\nT: 1\r\n\r\n"
    ).get()
    #expect(chunked.body == Data("abc0123456789".utf8) && chunked.headers["t"] == nil)
    let last = try await answer("HTTP/1.1 403 No\r\nConnection: close\r\n\r\nreason").get()
    #expect(last.status == 403 && last.body == Data("reason".utf8))
    let head = try await answer("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n", to: "HEAD").get()
    #expect(head.headers["content-length"] == "5000" && head.body.isEmpty)
    #expect(try await answer("HTTP/1.1 204 None\r\n\r\n", to: "DELETE").get().status == 204)
    // No body is decoded: an object has its own bytes.
    let coded = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc"
    #expect(try await answer(coded).get().body == Data("abc".utf8))
  }

  @Test(arguments: [
    "HTTP/9 200 OK\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 ٢٠٠ OK\r\n\r\n", "SSH-2.0-server\r\n",
    "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\n folded\r\n\r\n", "HTTP/1.1 200 OK\r\nno field\r\n\r\n",
    "HTTP/1.1 200 OK\r\nA: \0\r\n\r\n", "HTTP/1.1 200 OK\r\nName : x\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 1,2\r\n\r\nab",
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 1\r\n\r\nab",
    "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
    String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 3_000),
    "HTTP/1.1 200 OK\r\n" + String(repeating: "A: b\r\n", count: 11_000),
    "HTTP/1.1 200 OK\r\nA: " + String(repeating: "a", count: 70_000) + "\r\n\r\n",
    "HTTP/1.1 200 OK\r\nA: " + String(repeating: "a", count: 200_000),
  ])
  func `that two programs could read in two ways are none`(text: String) async throws {
    let outcome = try await answer(text)
    guard case .failure(.malformed) = outcome else {
      Issue.record("\(outcome)")
      return
    }
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 9999999999999999999\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n" + String(repeating: "x", count: 101),
    "HTTP/1.1 500 No\r\n\r\n" + String(repeating: "x", count: 101),
  ])
  func `are no more than the caller takes`(text: String) async throws {
    #expect(try await answer(text) == .failure(.tooLarge))
  }

  @Test(arguments: [
    "", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n", "HTTP/1.1 101 Switch\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
  ])
  func `that end too early are a broken connection`(text: String) async throws {
    let outcome = try await answer(text)
    guard case .failure(.unreachable) = outcome else {
      Issue.record("\(outcome)")
      return
    }
  }
}
