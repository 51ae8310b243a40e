import Foundation
import Testing

import ObjectStores

@Suite("The bytes of an answer")
struct HTTPAnswerReaderTests {
  /// Reads bytes that come in pieces of a size.
  private func read(
    _ text: String, pieces: Int, method: String = "GET", limit: Int = 100
  ) throws(HTTPFailure) -> (answer: HTTPResponse, isReusable: Bool) {
    var reader = HTTPAnswerReader(method: method, limit: limit)
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: pieces) {
      let piece = Array(bytes[start..<min(start + pieces, bytes.count)])
      var failure: HTTPFailure?
      piece.withUnsafeBytes { piece in
        do throws(HTTPFailure) { try reader.read(piece) } catch { failure = error }
      }
      if let failure { throw failure }
    }
    let isReusable = reader.response != nil && reader.isReusable
    return (try reader.end(), isReusable)
  }

  @Test(arguments: [1, 2, 3, 7, 1_000])
  func `make the same answer in pieces of any size`(pieces: Int) throws {
    let plain = try read(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nETag:  \"x\" \r\nContent-Length: 5\r\n\r\nhello",
      pieces: pieces)
    #expect(plain.answer.status == 200 && plain.answer.body == Data("hello".utf8) && plain.isReusable)
    #expect(plain.answer.headers == ["etag": "\"x\"", "content-length": "5"])
    let chunked = try read(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=1\r\nabc\r\nA\r\n0123456789\r\n0\r\nT: 1\r\n\r\n",
      pieces: pieces)
    #expect(chunked.answer.body == Data("abc0123456789".utf8) && chunked.isReusable)
    let last = try read("HTTP/1.1 403 No\r\nConnection: close\r\n\r\nreason", pieces: pieces)
    #expect(last.answer.body == Data("reason".utf8) && !last.isReusable)
    let head = try read("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n", pieces: pieces, method: "HEAD")
    #expect(head.answer.headers["content-length"] == "5000" && head.isReusable)
    let none = try read("HTTP/1.1 204 None\r\n\r\n", pieces: pieces, method: "DELETE")
    #expect(none.answer.status == 204 && none.isReusable)
  }

  @Test func `that no request asked for make the connection useless`() throws {
    let more = try read("HTTP/1.1 204 None\r\n\r\nHTTP/1.1 200 OK\r\n", pieces: 1_000)
    #expect(more.answer.status == 204 && !more.isReusable)
    #expect(try !read("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", pieces: 9).isReusable)
  }

  @Test(arguments: [
    "HTTP/2 200 OK\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 ٢٠٠ OK\r\n\r\n", "http/1.1 200 OK\r\n\r\n",
    "HTTP/1.1 200 OK\nContent-Length: 0\n\n", "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 101 Switch\r\n\r\n",
    "HTTP/1.1 200 OK\r\n folded\r\n\r\n", "HTTP/1.1 200 OK\r\nName : x\r\n\r\n",
    "HTTP/1.1 200 OK\r\nno field\r\n\r\n", "HTTP/1.1 200 OK\r\nA: \0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1,2\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 9999999999999999999\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
    "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x1\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFF\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
    String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 9),
    String(repeating: "a", count: 70_000),
    "HTTP/1.1 200 OK\r\n" + String(repeating: "A: b\r\n", count: 12_000),
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
      + String(repeating: "1;" + String(repeating: "x", count: 8_000) + "\r\na\r\n", count: 20),
  ])
  func `that could be read in two ways are none`(text: String) {
    for pieces in [1, 100_000] {
      do {
        _ = try read(text, pieces: pieces)
        Issue.record("an answer")
      } catch {
        guard case .malformed = error else {
          Issue.record("\(error)")
          continue
        }
      }
    }
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n",
    "HTTP/1.1 500 No\r\n\r\n" + String(repeating: "x", count: 101),
  ])
  func `are no more than the caller takes`(text: String) {
    #expect(throws: HTTPFailure.tooLarge) { try read(text, pieces: 10) }
  }

  @Test(arguments: [
    "", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n",
  ])
  func `that end too early are a broken connection`(text: String) {
    do {
      _ = try read(text, pieces: 1)
      Issue.record("an answer")
    } catch {
      guard case .unreachable = error else {
        Issue.record("\(error)")
        return
      }
    }
  }
}
