import CCurl
import FoundationEssentials
import Glibc

/// A request, and how it is sent.
struct CurlOrder: Sendable {
  var request: HTTPRequest
  /// The largest body of the answer, in bytes.
  var limit: Int
  var times: HTTPClient.Times
  /// The largest number of bytes a second, in each direction; nil for any number.
  var rate: Int?
  var proxy: HTTPProxy?
  var authorities: HTTPAuthorities
}

/// One request of libcurl while it runs. Only the thread of its `CurlLoop` uses it.
final class CurlTransfer {
  /// The longest header with those of answers such as `100 Continue`, in bytes and in lines.
  private static let longestHead = (bytes: 64 << 10, lines: 1_000)
  /// The number of bytes that have to come or go within `Times.idle`.
  private static let leastProgress = 4_096

  private(set) var easy = CurlEasy()
  private let order: CurlOrder
  private let isRepetition: Bool
  private var sent = 0
  /// The number of times that the request went over a connection.
  private var attempts = 0
  private var head = (bytes: 0, lines: 0, isComplete: false)
  private var body = Data()
  /// The reason why a callback ended the request.
  private var failure: HTTPFailure?

  /// - Parameter isRepetition: whether the request was sent before: it gets a new connection, and is the last one.
  init(_ order: CurlOrder, isRepetition: Bool = false) {
    (self.order, self.isRepetition) = (order, isRepetition)
  }

  /// Sets all options.
  ///
  /// - Parameter number: the request's number for `CurlMulti.takeEnded`.
  func prepare(_ number: Int) throws(HTTPFailure) {
    let request = order.request
    try easy.set(CURLOPT_PRIVATE, UnsafeMutableRawPointer(bitPattern: number))
    try easy.set(CURLOPT_URL, request.url)
    try easy.set(CURLOPT_PROTOCOLS_STR, "http,https")
    try easy.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
    // A signature is for the path as it is.
    try easy.set(CURLOPT_PATH_AS_IS, 1)
    try easy.set(CURLOPT_NOSIGNAL, 1)
    // A cancelled request does not wait for the system's search for an address.
    try easy.set(CURLOPT_QUICK_EXIT, 1)
    try easy.set(CURLOPT_TCP_KEEPALIVE, 1)
    try easy.set(CURLOPT_FRESH_CONNECT, isRepetition ? 1 : 0)
    // A full buffer goes at once.
    let buffer = order.rate == nil ? 256 << 10 : 16 << 10
    try easy.set(CURLOPT_BUFFERSIZE, buffer)
    try easy.set(CURLOPT_UPLOAD_BUFFERSIZE, buffer)
    try setBody()
    try setTimes()
    try setAuthorities()
    try easy.set(CURLOPT_PROXY, order.proxy?.address ?? "")
    try easy.set(CURLOPT_NOPROXY, order.proxy?.exceptions ?? "")
    try easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    try setCallbacks()
  }

  private func setBody() throws(HTTPFailure) {
    let request = order.request
    if request.method == "PUT" || request.method == "POST" || !request.body.isEmpty {
      try easy.set(CURLOPT_UPLOAD, 1)
      try easy.set(CURLOPT_INFILESIZE_LARGE, offset: request.body.count)
    }
    if request.method == "HEAD" { try easy.set(CURLOPT_NOBODY, 1) }
    try easy.set(CURLOPT_CUSTOMREQUEST, request.method)
    // The header of an answer to HEAD has the size of an object that is not sent.
    if request.method != "HEAD" { try easy.set(CURLOPT_MAXFILESIZE_LARGE, offset: order.limit) }
    // libcurl leaves out a field that ends with a colon, and sends an empty one that ends with a semicolon.
    var fields = request.headers.sorted { $0.key < $1.key }.map { $1.isEmpty ? "\($0);" : "\($0): \($1)" }
    for name in ["accept", "expect"] where request.headers[name] == nil { fields.append("\(name):") }
    if request.headers["host"] == nil { fields.append("host: \(request.authority)") }
    try easy.set(fields: fields)
  }

  private func setTimes() throws(HTTPFailure) {
    let seconds = max(1, Int((order.times.idle / .seconds(1)).rounded(.up)))
    try easy.set(CURLOPT_LOW_SPEED_TIME, seconds)
    let least = Self.leastProgress / seconds
    try easy.set(CURLOPT_LOW_SPEED_LIMIT, max(1, min(least, (order.rate ?? .max) / 2)))
    try easy.set(CURLOPT_CONNECTTIMEOUT_MS, Int(order.times.connecting / .milliseconds(1)))
    // A slow request goes on while it goes on at its rate.
    try easy.set(
      CURLOPT_TIMEOUT_MS, order.rate == nil ? Int(order.times.total / .milliseconds(1)) : 0)
    try easy.set(CURLOPT_MAX_SEND_SPEED_LARGE, offset: order.rate ?? 0)
    try easy.set(CURLOPT_MAX_RECV_SPEED_LARGE, offset: order.rate ?? 0)
  }

  private func setAuthorities() throws(HTTPFailure) {
    try easy.set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
    try easy.set(CURLOPT_SSL_VERIFYPEER, 1)
    try easy.set(CURLOPT_SSL_VERIFYHOST, 2)
    switch order.authorities {
    case .system(let file, let folder):
      if let file { try easy.set(CURLOPT_CAINFO, file) }
      if let folder { try easy.set(CURLOPT_CAPATH, folder) }
    case .own(let path):
      var status = stat()
      let isFolder = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
      try easy.set(CURLOPT_CAINFO, isFolder ? nil : path)
      try easy.set(CURLOPT_CAPATH, isFolder ? path : nil)
    }
  }

  // MARK: Callbacks

  private func setCallbacks() throws(HTTPFailure) {
    // The loop holds this object until the request has ended.
    let context = Unmanaged.passUnretained(self).toOpaque()
    for option in [
      CURLOPT_READDATA, CURLOPT_SEEKDATA, CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_PREREQDATA,
    ] {
      try easy.set(option, context)
    }
    try easy.set { buffer, size, count, context in
      CurlTransfer.of(context)?.giveBody(UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
        ?? Int(CURL_READFUNC_ABORT)
    }
    try easy.set(seeker: { context, offset, origin in
      guard origin == SEEK_SET, let transfer = CurlTransfer.of(context) else { return CURL_SEEKFUNC_FAIL }
      transfer.sent = offset
      return CURL_SEEKFUNC_OK
    })
    try easy.set(CURLOPT_HEADERFUNCTION) { line, size, count, context in
      let line = UnsafeRawBufferPointer(start: line, count: size * count)
      return CurlTransfer.of(context)?.takeLine(line) == true ? line.count : Int(CURL_WRITEFUNC_ERROR)
    }
    try easy.set(CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
      let bytes = UnsafeRawBufferPointer(start: bytes, count: size * count)
      return CurlTransfer.of(context)?.takeBody(bytes) == true ? bytes.count : Int(CURL_WRITEFUNC_ERROR)
    }
    try easy.set(starter: { context, _, _, _, _ in
      CurlTransfer.of(context)?.begin() == true ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    })
    // A program that this process starts does not get the socket.
    try easy.set(opener: { _, _, address in
      guard let address = address?.pointee else { return -1 }
      return socket(address.family, address.socktype | Int32(SOCK_CLOEXEC.rawValue), address.protocol)
    })
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
    context.map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
  }

  /// The number of times that the request may be sent: the server may have closed a connection from before when the
  /// request was on its way. A request whose answer depends on an earlier one of its kind is not repeated.
  private var mostAttempts: Int { isRepetition || order.request.headers["if-none-match"] != nil ? 1 : 2 }

  /// Says whether the request may go over a connection. libcurl repeats it by itself if there is no answer.
  private func begin() -> Bool {
    attempts += 1
    return attempts <= mostAttempts
  }

  private func giveBody(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = order.request.body.dropFirst(sent).prefix(buffer.count).copyBytes(to: buffer)
    sent += count
    return count
  }

  private func takeLine(_ line: UnsafeRawBufferPointer) -> Bool {
    head.bytes += line.count
    head.lines += 1
    guard head.bytes <= Self.longestHead.bytes, head.lines <= Self.longestHead.lines else {
      failure = .malformed("its header does not end")
      return false
    }
    let isLast = line.elementsEqual("\r\n".utf8) || line.elementsEqual("\n".utf8)
    if isLast && easy.number(CURLINFO_RESPONSE_CODE) >= 200 { head.isComplete = true }
    return true
  }

  private func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard body.count + bytes.count <= order.limit else {
      failure = .tooLarge
      return false
    }
    if body.isEmpty { body.reserveCapacity(min(max(bytes.count, easy.announcedLength), 8 << 20)) }
    body.append(contentsOf: bytes)
    return true
  }

  // MARK: Outcome

  /// Returns the request once more if a connection from before broke without an answer, and libcurl does not repeat it.
  func repetition(after code: CURLcode) -> CurlTransfer? {
    guard code != CURLE_OK, head.bytes == 0, attempts == 1, mostAttempts > 1,
      easy.number(CURLINFO_NUM_CONNECTS) == 0, case .failure(.unreachable) = outcome(code)
    else { return nil }
    return CurlTransfer(order, isRepetition: true)
  }

  /// Returns the answer, or the reason why there is none.
  func outcome(_ code: CURLcode) -> Result<HTTPResponse, HTTPFailure> {
    do throws(HTTPFailure) {
      if let failure { throw failure }
      let answer = HTTPResponse(
        status: easy.number(CURLINFO_RESPONSE_CODE), headers: easy.answerFields, body: body)
      if head.isComplete { try checkLength(of: answer) }
      if code != CURLE_OK { throw HTTPFailure(code, easy, order) }
      guard head.isComplete else { throw HTTPFailure(CURLE_PARTIAL_FILE, easy, order) }
      return .success(answer)
    } catch {
      return .failure(error)
    }
  }

  /// Refuses an answer whose end two programs could see at two places.
  private func checkLength(of answer: HTTPResponse) throws(HTTPFailure) {
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
