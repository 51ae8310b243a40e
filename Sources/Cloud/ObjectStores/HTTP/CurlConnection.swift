import CCurl
import FilePackages
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

/// One request at a time, on a thread that libcurl blocks. Its connections stay open for the next request.
actor CurlConnection {
  private nonisolated let executor = QueueExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private var easy = CurlEasy()

  /// The number of bytes that have to come or go within `Times.idle`.
  private static let leastProgress = 4_096

  /// Sends a request, and waits for its answer. libcurl asks once a second whether the task is cancelled.
  func send(_ order: CurlOrder) throws(HTTPFailure) -> HTTPResponse {
    let answer = CurlAnswer(to: order)
    easy.reset()
    try setRequest(order.request)
    try setTimes(order)
    try setAuthorities(order.authorities)
    try easy.set(CURLOPT_PROXY, order.proxy?.address ?? "")
    try easy.set(CURLOPT_NOPROXY, order.proxy?.exceptions ?? "")
    try easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    // The header of an answer to HEAD has the size of an object that is not sent.
    if order.request.method != "HEAD" { try easy.set(CURLOPT_MAXFILESIZE_LARGE, offset: order.limit) }
    try answer.take(from: easy)
    let code = order.request.body.withUnsafeBytes { body in
      easy.perform(sending: order.request.method == "PUT" || !body.isEmpty ? body : nil)
    }
    if code == CURLE_ABORTED_BY_CALLBACK && Task.isCancelled { throw .cancelled }
    return try answer.response(code, easy, order)
  }

  private func setRequest(_ request: HTTPRequest) throws(HTTPFailure) {
    try easy.set(CURLOPT_URL, request.url)
    try easy.set(CURLOPT_PROTOCOLS_STR, "http,https")
    try easy.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
    // A signature is for the path as it is.
    try easy.set(CURLOPT_PATH_AS_IS, 1)
    try easy.set(CURLOPT_NOSIGNAL, 1)
    // A cancelled request does not wait for the system's search for an address.
    try easy.set(CURLOPT_QUICK_EXIT, 1)
    try easy.set(CURLOPT_TCP_KEEPALIVE, 1)
    if request.method == "HEAD" { try easy.set(CURLOPT_NOBODY, 1) }
    try easy.set(CURLOPT_CUSTOMREQUEST, request.method)
    // libcurl leaves out a field that ends with a colon, and sends an empty one that ends with a semicolon.
    var fields = request.headers.sorted { $0.key < $1.key }.map { $1.isEmpty ? "\($0);" : "\($0): \($1)" }
    for name in ["accept", "content-type", "expect"] where request.headers[name] == nil {
      fields.append("\(name):")
    }
    if request.headers["host"] == nil { fields.append("host: \(request.authority)") }
    try easy.set(fields: fields)
  }

  private func setTimes(_ order: CurlOrder) throws(HTTPFailure) {
    // A full buffer goes at once.
    let buffer = order.rate == nil ? 256 << 10 : 16 << 10
    try easy.set(CURLOPT_BUFFERSIZE, buffer)
    try easy.set(CURLOPT_UPLOAD_BUFFERSIZE, buffer)
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

  private func setAuthorities(_ authorities: HTTPAuthorities) throws(HTTPFailure) {
    try easy.set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
    try easy.set(CURLOPT_SSL_VERIFYPEER, 1)
    try easy.set(CURLOPT_SSL_VERIFYHOST, 2)
    switch authorities {
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
}
