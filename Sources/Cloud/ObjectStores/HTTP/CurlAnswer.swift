import CCurl
import FoundationEssentials

/// The answer to a request while it arrives. Only libcurl's calls within `CurlEasy.perform` change it.
final class CurlAnswer {
  /// The longest header with those of answers such as `100 Continue`, in bytes.
  private static let longestHead = 64 << 10

  private let limit: Int
  /// Whether libcurl may repeat the request by itself.
  private let isRepeatable: Bool
  private var head = (bytes: 0, isComplete: false)
  private var body = Data()
  private var isSent = false
  /// The reason why this type ended the request.
  private var failure: HTTPFailure?

  init(to order: CurlOrder) {
    limit = order.limit
    isRepeatable = order.request.headers["if-none-match"] == nil
  }

  /// Lets a request give its answer here. The caller holds this object until the request has ended.
  func take(from easy: borrowing CurlEasy) throws(HTTPFailure) {
    try easy.set(
      Unmanaged.passUnretained(self).toOpaque(),
      starter: { context, _, _, _, _ in
        CurlAnswer.of(context)?.begin() == true ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
      },
      header: { line, size, count, context in
        let line = UnsafeRawBufferPointer(start: line, count: size * count)
        return CurlAnswer.of(context)?.takeLine(line) == true ? line.count : Int(CURL_WRITEFUNC_ERROR)
      },
      body: { bytes, size, count, context in
        let bytes = UnsafeRawBufferPointer(start: bytes, count: size * count)
        return CurlAnswer.of(context)?.takeBody(bytes) == true ? bytes.count : Int(CURL_WRITEFUNC_ERROR)
      },
      progress: { _, _, _, _, _ in Task.isCancelled ? 1 : 0 })
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> CurlAnswer? {
    context.map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
  }

  /// Says whether the request may go over a connection. libcurl repeats a request by itself if the server closed an old
  /// connection. The answer to a repeated `If-None-Match` could be about the request's own object: the caller compares.
  private func begin() -> Bool {
    defer { isSent = true }
    return !isSent || isRepeatable
  }

  private func takeLine(_ line: UnsafeRawBufferPointer) -> Bool {
    head.bytes += line.count
    guard head.bytes <= Self.longestHead else {
      failure = .malformed("its header does not end")
      return false
    }
    if line.starts(with: "HTTP/".utf8) { head.isComplete = false }
    if line.elementsEqual("\r\n".utf8) || line.elementsEqual("\n".utf8) { head.isComplete = true }
    return true
  }

  private func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard body.count + bytes.count <= limit else {
      failure = .tooLarge
      return false
    }
    body.append(contentsOf: bytes)
    return true
  }

  // MARK: Outcome

  /// Returns the answer to a request that has ended.
  ///
  /// - Throws: the reason why there is none.
  func response(
    _ code: CURLcode, _ easy: borrowing CurlEasy, _ order: CurlOrder
  ) throws(HTTPFailure) -> HTTPResponse {
    if let failure { throw failure }
    let answer = HTTPResponse(
      status: easy.number(CURLINFO_RESPONSE_CODE), headers: easy.answerFields, body: body)
    let isComplete = head.isComplete && answer.status >= 200
    if isComplete { try checkLength(of: answer, easy, order) }
    if code != CURLE_OK { throw HTTPFailure(code, easy, order) }
    guard isComplete else { throw HTTPFailure(CURLE_PARTIAL_FILE, easy, order) }
    return answer
  }

  /// Refuses an answer whose end two programs could see at two places.
  private func checkLength(
    of answer: HTTPResponse, _ easy: borrowing CurlEasy, _ order: CurlOrder
  ) throws(HTTPFailure) {
    let coding = answer.headers["transfer-encoding"]
    if let length = answer.headers["content-length"] {
      guard length.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
        throw .malformed("its length is no number")
      }
      if coding != nil { throw .malformed("it says its length in two ways") }
    } else if let coding {
      guard coding.lowercased() == "chunked" else { throw .malformed("it says its length in two ways") }
    } else if order.request.method == "GET", (200...299).contains(answer.status), answer.status != 204,
      easy.number(CURLINFO_HTTP_VERSION) < CURL_HTTP_VERSION_2_0
    {
      // Its end and a broken connection would look the same.
      throw .malformed("it does not say its length")
    }
  }
}
