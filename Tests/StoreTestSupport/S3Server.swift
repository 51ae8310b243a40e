import DurableIO
import FilePackages
package import Foundation
import Glibc
package import ObjectStores
import Synchronization
import TestSupport

/// An S3 service in this process, on a loopback port. It checks signatures, and misbehaves on demand.
package final class S3Server: Sendable {
  /// A deviation from a server's duties.
  package enum Trouble: Sendable {
    /// An answer of this status, with a code of S3 and more header fields.
    case refusal(Int, String, [String: String] = [:])
    /// Any answer, byte for byte.
    case raw(String)
    /// The call is done, and the connection closed without an answer.
    case lostAnswer
    /// The answer is whole, and the connection ends after it without a word.
    case lastAnswer
    /// The answer comes before the body of the request is read, and the connection ends.
    case earlyRefusal(Int, String)
    /// The body ends before its length.
    case truncated
    /// The answer comes a byte at a time, until the client goes away.
    case drip
    /// The body has 32 MB, and no length that says so.
    case endless
    /// There is no answer until the client goes away.
    case silence
    /// These bytes, and then nothing until the client goes away.
    case stall(String)
    /// `If-None-Match` counts for nothing.
    case droppedCondition
    /// The last byte of a body is another one.
    case wrongByte
    /// An error that repeats the fields of the request.
    case echo
  }

  package struct Request: Sendable {
    package var method: String
    package var path: String
    package var query: String
    package var headers: [String: String]
    package var body: Data
  }

  private struct State {
    var objects: [String: Data] = [:]
    var requests: [Request] = []
    var connections: Set<Int32> = []
    var connectionCount = 0
  }

  package static let credentials = S3Credentials(
    accessKeyID: "AKTESTKEY", secretAccessKey: "not-a-real-secret")
  package static let bucket = "documents"
  package static let region = "test-1"
  /// The date of all objects.
  private static let date = "Fri, 24 May 2013 00:00:00 GMT"

  package let port: Int
  private let keys: S3Credentials
  private let listener: Int32
  private let state = Mutex(State())
  private let trouble: @Sendable (Request) -> Trouble?

  /// Makes a server for a test with the trait `temporaryDirectory`, which ends with it.
  ///
  /// - Parameters:
  ///   - keys: the credentials that requests need.
  ///   - trouble: is asked at each request.
  package init(
    keys: S3Credentials = S3Server.credentials,
    trouble: @escaping @Sendable (Request) -> Trouble? = { _ in nil }
  ) throws {
    (self.keys, self.trouble) = (keys, trouble)
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let code = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(listener, pointer, length) == 0 && listen(listener, 64) == 0
          && getsockname(listener, pointer, &length) == 0
      }
    }
    guard code else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    port = Int(UInt16(bigEndian: address.sin_port))
    Thread.detachNewThread { [weak self] in
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0, let self else { return }
        self.state.withLock {
          _ = $0.connections.insert(connection)
          $0.connectionCount += 1
        }
        Thread.detachNewThread { self.serve(connection) }
      }
    }
    atEndOfTest(stop)
  }

  /// Ends the server and its connections.
  package func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    for connection in state.withLock({ $0.connections }) { shutdown(connection, Int32(SHUT_RDWR)) }
  }

  deinit { close(listener) }

  /// A store on this server.
  package func store(prefix: String = "", transport: HTTPClient = .shared) throws -> S3Store {
    let address = try S3Address("s3://\(Self.bucket)/\(prefix)", endpoint: endpoint, region: Self.region)
    return S3Store(at: address, keys: S3Keys(keys), transport: transport)
  }

  /// The server's address.
  package var endpoint: String { "http://127.0.0.1:\(port)" }

  /// The number of connections so far.
  package var connectionCount: Int { state.withLock { $0.connectionCount } }

  package var requests: [Request] { state.withLock { $0.requests } }

  package func put(_ name: String, _ text: String) { state.withLock { $0.objects[name] = Data(text.utf8) } }

  /// The objects, to bring them back after changes.
  package var objects: [String: Data] {
    get { state.withLock { $0.objects } }
    set { state.withLock { $0.objects = newValue } }
  }

  // MARK: Connections

  private func serve(_ connection: Int32) {
    defer {
      state.withLock { _ = $0.connections.remove(connection) }
      close(connection)
    }
    var buffer = Data()
    while let request = read(connection, &buffer) {
      state.withLock { $0.requests.append(request) }
      let trouble = trouble(request)
      if case .refusal(let status, let code, let headers)? = trouble {
        guard send(connection, error(status, code, headers), request) else { return }
        continue
      }
      if case .echo? = trouble {
        let fields = request.headers.map { "\($0): \($1)" }.joined(separator: " ")
        let code = request.headers["x-amz-security-token"] ?? "NoToken"
        guard send(connection, error(403, code, message: fields), request) else { return }
        continue
      }
      if case .raw(let text)? = trouble {
        _ = write(connection, Data(text.utf8))
        return
      }
      if case .stall(let text)? = trouble {
        _ = write(connection, Data(text.utf8))
        while receive(connection, &buffer) {}
        return
      }
      var answer = answer(
        to: request, dropsCondition: { if case .droppedCondition? = trouble { true } else { false } }())
      switch trouble {
      case .lostAnswer: return
      case .silence:
        while receive(connection, &buffer) {}
        return
      case .lastAnswer:
        _ = send(connection, answer, request)
        return
      case .drip:
        for byte in head(answer, length: 1 << 20) + Data(repeating: 0x61, count: 1 << 20) {
          guard write(connection, Data([byte])), !hasGone(connection) else { return }
        }
        return
      case .truncated:
        _ = write(connection, head(answer, length: answer.body.count + 10) + answer.body)
        return
      case .endless:
        guard write(connection, Data("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)) else {
          return
        }
        let chunk = Data("10000\r\n".utf8) + Data(repeating: 0x61, count: 0x10000) + Data("\r\n".utf8)
        for _ in 0..<512 { guard write(connection, chunk) else { return } }
        return
      case .wrongByte: if !answer.body.isEmpty { answer.body[answer.body.count - 1] ^= 1 }
      default: break
      }
      guard send(connection, answer, request) else { return }
    }
  }

  private func read(_ connection: Int32, _ buffer: inout Data) -> Request? {
    let end = Data("\r\n\r\n".utf8)
    while buffer.range(of: end) == nil { guard receive(connection, &buffer) else { return nil } }
    guard let range = buffer.range(of: end) else { return nil }
    let lines = String(decoding: buffer[..<range.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    let first = lines[0].split(separator: " ")
    guard first.count == 3 else { return nil }
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      if parts.count == 2 { headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces) }
    }
    buffer = Data(buffer[range.upperBound...])
    let length = Int(headers["content-length"] ?? "0") ?? 0
    let target = first[1].split(separator: "?", maxSplits: 1)
    var request = Request(
      method: String(first[0]), path: String(target[0]), query: target.count > 1 ? String(target[1]) : "",
      headers: headers, body: Data())
    if case .earlyRefusal(let status, let code)? = trouble(request) {
      _ = send(connection, error(status, code), request)
      return nil
    }
    if headers["expect"] != nil { _ = write(connection, Data("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
    while buffer.count < length { guard receive(connection, &buffer) else { return nil } }
    request.body = Data(buffer.prefix(length))
    buffer = Data(buffer.dropFirst(length))
    return request
  }

  private func receive(_ connection: Int32, _ buffer: inout Data) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = recv(connection, &bytes, bytes.count, 0)
    guard count > 0 else { return false }
    buffer.append(contentsOf: bytes[..<count])
    return true
  }

  /// Waits a moment, and says whether the client closed the connection meanwhile.
  private func hasGone(_ connection: Int32) -> Bool {
    var descriptor = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
    return poll(&descriptor, 1, 20) > 0
  }

  private func write(_ connection: Int32, _ data: Data) -> Bool {
    var rest = data[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private func head(_ answer: HTTPResponse, length: Int) -> Data {
    var text = "HTTP/1.1 \(answer.status) Status\r\nContent-Length: \(length)\r\n"
    for (name, value) in answer.headers { text += "\(name): \(value)\r\n" }
    return Data((text + "\r\n").utf8)
  }

  private func send(_ connection: Int32, _ answer: HTTPResponse, _ request: Request) -> Bool {
    let length = answer.headers["x-length"].flatMap { Int($0) } ?? answer.body.count
    return write(connection, head(answer, length: length) + (request.method == "HEAD" ? Data() : answer.body))
  }

  private func error(
    _ status: Int, _ code: String, _ headers: [String: String] = [:], message: String? = nil
  ) -> HTTPResponse {
    let message = message ?? "About \(code)."
    let body = "<?xml version=\"1.0\"?><Error><Code>\(code)</Code><Message>\(message)</Message></Error>"
    return HTTPResponse(status: status, headers: headers, body: Data(body.utf8))
  }

  // MARK: The service

  private func answer(to request: Request, dropsCondition: Bool) -> HTTPResponse {
    guard isSigned(request) else { return error(403, "SignatureDoesNotMatch") }
    let base = "/\(Self.bucket)"
    guard request.path == base || request.path.hasPrefix(base + "/") else {
      return error(404, "NoSuchBucket")
    }
    let name = String(request.path.dropFirst(base.count + 1))
    return state.withLock { state in
      if name.isEmpty { return list(state.objects, request) }
      let headers = ["Last-Modified": Self.date]
      switch request.method {
      case "PUT":
        if request.headers["if-none-match"] == "*", state.objects[name] != nil, !dropsCondition {
          return error(412, "PreconditionFailed")
        }
        state.objects[name] = request.body
        return HTTPResponse(status: 200)
      case "GET", "HEAD":
        guard let bytes = state.objects[name] else { return error(404, "NoSuchKey") }
        if request.method == "HEAD" {
          return HTTPResponse(status: 200, headers: headers.merging(["x-length": "\(bytes.count)"]) { $1 })
        }
        guard
          let range = request.headers["range"]?.dropFirst("bytes=".count).split(separator: "-").compactMap({
            Int($0)
          })
        else { return HTTPResponse(status: 200, headers: headers, body: bytes) }
        if range[0] >= bytes.count { return error(416, "InvalidRange") }
        return HTTPResponse(
          status: 206, headers: headers, body: Data(bytes[range[0]...min(range[1], bytes.count - 1)]))
      case "DELETE":
        state.objects[name] = nil
        return HTTPResponse(status: 204)
      default: return error(405, "MethodNotAllowed")
      }
    }
  }

  private func list(_ objects: [String: Data], _ request: Request) -> HTTPResponse {
    var query: [String: String] = [:]
    for part in request.query.split(separator: "&") {
      let pair = part.split(separator: "=", maxSplits: 1)
      query[String(pair[0])] = pair.count > 1 ? String(pair[1]).removingPercentEncoding : ""
    }
    let names = objects.keys.filter { name in
      name.hasPrefix(query["prefix"] ?? "")
        && query["start-after"].map { Array($0.utf8).lexicographicallyPrecedes(Array(name.utf8)) } ?? true
    }.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
    let limit = Int(query["max-keys"] ?? "") ?? 1_000
    var body =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
    body += "<IsTruncated>\(names.count > limit)</IsTruncated>"
    for name in names.prefix(limit) {
      body +=
        "<Contents><Key>\(name.utf8.percentEncoded(keeping: "/"))</Key><LastModified>2013-05-24T00:00:00.000Z"
        + "</LastModified><ETag>&quot;x&quot;</ETag><Size>\(objects[name]?.count ?? 0)</Size></Contents>"
    }
    return HTTPResponse(status: 200, body: Data((body + "</ListBucketResult>").utf8))
  }

  /// Whether the signature is that of the request as it came.
  private func isSigned(_ request: Request) -> Bool {
    guard let sent = request.headers["authorization"], let time = request.headers["x-amz-date"],
      let payload = request.headers["x-amz-content-sha256"],
      payload == HTTPRequest.digest(of: request.body),
      let names = sent.components(separatedBy: "SignedHeaders=").last?.components(separatedBy: ",").first
    else { return false }
    var signed = HTTPRequest(
      method: request.method, isEncrypted: false, host: "", path: request.path, query: request.query,
      headers: [:],
      body: request.body)
    for name in names.split(separator: ";") { signed.headers[String(name)] = request.headers[String(name)] }
    let signature = SignatureV4(keys, region: Self.region).signature(of: signed, payload: payload, time)
    return sent.hasSuffix("Signature=\(signature.signature)")
      && sent.contains("Credential=\(keys.accessKeyID)/")
      && names.contains("host")
  }
}

extension HTTPRequest {
  static func digest(of body: Data) -> String { ContentHash(of: Array(body)).bytes.hexadecimal }
}
