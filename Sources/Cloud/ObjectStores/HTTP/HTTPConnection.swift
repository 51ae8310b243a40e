import FilePackages
import FoundationEssentials
import Glibc

/// A connection that carries one request after the other. Its calls block a thread of their own.
actor HTTPConnection {
  /// The other end of a connection, and the proxy on the way.
  struct Origin: Sendable, Hashable {
    var isEncrypted: Bool
    var host: String
    var port: Int
    var proxy: HTTPProxy?
    /// The file with the certificates that count; nil for the system's.
    var authorities: String?

    /// Whether requests name the whole address, as a proxy wants it.
    var isAbsolute: Bool { proxy != nil && !isEncrypted }
  }

  private nonisolated let executor = BlockingExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let origin: Origin
  private let socket: HTTPSocket
  /// Whether the connection can carry another request.
  private(set) var isReusable = true
  /// Whether a byte of the last answer came.
  private(set) var answerBegan = false

  /// Connects, on the caller's thread, which blocks.
  init(
    to origin: Origin, _ times: HTTPClient.Times, _ cancellation: HTTPCancellation
  ) throws(HTTPFailure) {
    let wait = HTTPWait(times, cancellation)
    var socket = try HTTPSocket.connect(
      to: origin.proxy?.host ?? origin.host, origin.proxy?.port ?? origin.port, connecting: times.connecting,
      wait)
    if origin.isEncrypted {
      if let proxy = origin.proxy { try Self.tunnel(through: proxy, to: origin, socket, wait) }
      try socket.encrypt(for: origin.host, authorities: origin.authorities, wait)
    }
    self.origin = origin
    self.socket = socket
  }

  /// Whether the server has left the connection open since the last answer.
  var isQuiet: Bool { isReusable && socket.isQuiet }

  /// Sends a request, and waits for the answer.
  func send(
    _ request: HTTPRequest, limit: Int, _ times: HTTPClient.Times, _ cancellation: HTTPCancellation
  ) throws(HTTPFailure) -> HTTPResponse {
    (isReusable, answerBegan) = (false, false)
    var head = request
    if origin.isAbsolute, let field = origin.proxy?.authorization {
      head.headers["proxy-authorization"] = field
    }
    let bytes = Array(head.head(isAbsolute: origin.isAbsolute).utf8)
    var reader = HTTPAnswerReader(method: request.method, limit: limit)
    var wait = HTTPWait(times, cancellation)
    defer { answerBegan = reader.hasBegun }
    var isSent = try Self.write(bytes, to: socket, &wait, &reader)
    if isSent { isSent = try Self.write(request.body, to: socket, &wait, &reader) }
    let answer = try Self.read(&reader, from: socket, &wait)
    isReusable = isSent && reader.isReusable
    return answer
  }

  /// Asks a proxy for a connection to the server.
  private static func tunnel(
    through proxy: HTTPProxy, to origin: Origin, _ socket: borrowing HTTPSocket, _ wait: HTTPWait
  ) throws(HTTPFailure) {
    let target = "\(origin.host.contains(":") ? "[\(origin.host)]" : origin.host):\(origin.port)"
    var text = "CONNECT \(target) HTTP/1.1\r\nhost: \(target)\r\n"
    if let field = proxy.authorization { text += "proxy-authorization: \(field)\r\n" }
    var wait = wait
    var reader = HTTPAnswerReader(method: "CONNECT", limit: 1 << 20)
    _ = try write(Array((text + "\r\n").utf8), to: socket, &wait, &reader)
    let answer = try read(&reader, from: socket, &wait)
    guard (200...299).contains(answer.status) else {
      throw .unreachable("the proxy \(proxy) answers with status \(answer.status)")
    }
  }

  /// Writes all bytes, unless the server answers before it has them.
  ///
  /// - Returns: whether all bytes are written.
  private static func write(
    _ bytes: some ContiguousBytes, to socket: borrowing HTTPSocket, _ wait: inout HTTPWait,
    _ reader: inout HTTPAnswerReader
  ) throws(HTTPFailure) -> Bool {
    // withUnsafeBytes has untyped errors, so the outcome leaves its closure as a value.
    var outcome = Result<Bool, HTTPFailure>.success(true)
    bytes.withUnsafeBytes { bytes in
      do throws(HTTPFailure) {
        outcome = .success(try write(bytes, to: socket, &wait, &reader))
      } catch {
        outcome = .failure(error)
      }
    }
    return try outcome.get()
  }

  private static func write(
    _ bytes: UnsafeRawBufferPointer, to socket: borrowing HTTPSocket, _ wait: inout HTTPWait,
    _ reader: inout HTTPAnswerReader
  ) throws(HTTPFailure) -> Bool {
    var written = 0
    while written < bytes.count {
      let step: HTTPSocket.Step
      do throws(HTTPFailure) {
        let count = min(bytes.count - written, 256 << 10)
        step = try socket.write(UnsafeRawBufferPointer(rebasing: bytes[written..<written + count]))
      } catch {
        // A server that refuses a request may answer and close before it has read all of it.
        guard try readSome(&reader, from: socket, &wait), reader.hasBegun else { throw error }
        return false
      }
      switch step {
      case .moved(let count):
        written += count
        wait.note(count)
      case .end: throw .unreachable("the server closed the connection")
      case .wantsRead, .wantsWrite:
        // Only a write for which there is no room looks for an early answer.
        let wanted = step == .wantsRead ? POLLIN : POLLIN | POLLOUT
        guard try wait.wait(for: wanted, of: socket.number) & POLLIN != 0 else { continue }
        if try !readSome(&reader, from: socket, &wait) || reader.hasBegun { return false }
      }
    }
    return true
  }

  /// Reads what has come.
  ///
  /// - Returns: false at the end of the connection.
  private static func readSome(
    _ reader: inout HTTPAnswerReader, from socket: borrowing HTTPSocket, _ wait: inout HTTPWait
  ) throws(HTTPFailure) -> Bool {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    defer { buffer.deallocate() }
    switch try socket.read(into: buffer) {
    case .moved(let count):
      wait.note(count)
      try reader.read(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      return true
    case .wantsRead, .wantsWrite: return true
    case .end: return false
    }
  }

  private static func read(
    _ reader: inout HTTPAnswerReader, from socket: borrowing HTTPSocket, _ wait: inout HTTPWait
  ) throws(HTTPFailure) -> HTTPResponse {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      if let answer = reader.response { return answer }
      switch try socket.read(into: buffer) {
      case .moved(let count):
        wait.note(count)
        try reader.read(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      case .wantsRead: _ = try wait.wait(for: POLLIN, of: socket.number)
      case .wantsWrite: _ = try wait.wait(for: POLLOUT, of: socket.number)
      case .end: return try reader.end()
      }
    }
  }
}

extension HTTPRequest {
  /// The lines before the body.
  fileprivate func head(isAbsolute: Bool) -> String {
    let target = isAbsolute ? url : path + (query.isEmpty ? "" : "?" + query)
    var text = "\(method) \(target) HTTP/1.1\r\n"
    for (name, value) in headers.sorted(by: { $0.key < $1.key }) { text += "\(name): \(value)\r\n" }
    if headers["host"] == nil { text += "host: \(authority)\r\n" }
    if method == "PUT" || method == "POST" || !body.isEmpty { text += "content-length: \(body.count)\r\n" }
    return text + "\r\n"
  }
}
