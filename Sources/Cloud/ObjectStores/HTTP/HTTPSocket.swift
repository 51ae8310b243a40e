import CTLS
import Glibc

/// One connection to a server, encrypted or not. No call waits for the other end.
struct HTTPSocket: ~Copyable {
  /// The result of a read or a write.
  enum Step: Equatable {
    case moved(Int)
    case wantsRead
    case wantsWrite
    case end
  }

  /// The descriptor, for poll(2).
  let number: Int32
  private var session: OpaquePointer?

  private init(owning number: Int32) { self.number = number }

  deinit {
    if let session { ctls_end(session) }
    close(number)
  }

  /// Connects to the first address of the host that answers: getaddrinfo(3), connect(2).
  static func connect(
    to host: String, _ port: Int, connecting: Duration, _ wait: HTTPWait
  ) throws(HTTPFailure) -> HTTPSocket {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_ADDRCONFIG | AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, "\(port)", &hints, &list)
    guard code == 0, let first = list else {
      throw .unreachable("'\(host)' has no address: \(String(cString: gai_strerror(code)))")
    }
    defer { freeaddrinfo(list) }
    var failure = HTTPFailure.unreachable("'\(host)' has no address")
    for address in sequence(first: first, next: { $0.pointee.ai_next }) {
      do throws(HTTPFailure) {
        return try connect(to: address.pointee, connecting, wait)
      } catch .cancelled {
        throw .cancelled
      } catch {
        failure = error
      }
    }
    throw failure
  }

  private static func connect(
    to address: addrinfo, _ limit: Duration, _ wait: HTTPWait
  ) throws(HTTPFailure) -> HTTPSocket {
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let number = Glibc.socket(address.ai_family, type, 0)
    guard number >= 0 else { throw .unreachable(HTTPFailure.reason(errno)) }
    let socket = HTTPSocket(owning: number)
    var one: Int32 = 1
    // Both only save time: without them a request is slower, or a lost server is found later.
    setsockopt(number, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
    setsockopt(number, SOL_SOCKET, SO_KEEPALIVE, &one, 4)
    if Glibc.connect(number, address.ai_addr, address.ai_addrlen) != 0 {
      guard errno == EINPROGRESS else { throw .unreachable(HTTPFailure.reason(errno)) }
      guard try wait.wait(for: POLLOUT, of: number, limit: limit) != 0 else { throw .timedOut }
      var (code, size): (Int32, socklen_t) = (0, 4)
      guard getsockopt(number, SOL_SOCKET, SO_ERROR, &code, &size) == 0, code == 0 else {
        throw .unreachable(HTTPFailure.reason(code))
      }
    }
    return socket
  }

  /// Agrees on keys with the server, and checks its certificate for the name.
  ///
  /// - Parameter authorities: a file or folder with the certificates that count; nil for the system's.
  mutating func encrypt(for host: String, authorities: String?, _ wait: HTTPWait) throws(HTTPFailure) {
    var reason: UnsafePointer<CChar>?
    guard let session = ctls_begin(number, host, authorities, &reason) else {
      let text = reason.map { String(cString: $0) } ?? "libssl failed"
      if let authorities { throw .untrusted("\(text): '\(authorities)'") }
      throw .unreachable(text)
    }
    self.session = session
    while true {
      switch Int(ctls_handshake(session)) {
      case 1: return
      case CTLS_WANTS_READ: _ = try wait.wait(for: POLLIN, of: number)
      case CTLS_WANTS_WRITE: _ = try wait.wait(for: POLLOUT, of: number)
      case CTLS_UNTRUSTED: throw .untrusted(String(cString: ctls_reason(session)))
      case CTLS_PLAIN: throw .notEncrypted
      default: throw .unreachable("TLS: " + String(cString: ctls_reason(session)))
      }
    }
  }

  /// Reads what there is: recv(2) or libssl.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(HTTPFailure) -> Step {
    if let session {
      return try step(ctls_read(session, buffer.baseAddress, buffer.count), session)
    }
    while true {
      let count = recv(number, buffer.baseAddress, buffer.count, 0)
      if count > 0 { return .moved(count) }
      if count == 0 { return .end }
      if errno == EAGAIN { return .wantsRead }
      guard errno == EINTR else { throw .unreachable(HTTPFailure.reason(errno)) }
    }
  }

  /// Writes as much as there is room for: send(2) or libssl.
  func write(_ bytes: UnsafeRawBufferPointer) throws(HTTPFailure) -> Step {
    if let session {
      return try step(ctls_write(session, bytes.baseAddress, bytes.count), session)
    }
    while true {
      let count = send(number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      if count >= 0 { return .moved(count) }
      if errno == EAGAIN { return .wantsWrite }
      guard errno == EINTR else { throw .unreachable(HTTPFailure.reason(errno)) }
    }
  }

  private func step(_ result: Int, _ session: OpaquePointer) throws(HTTPFailure) -> Step {
    switch result {
    case 1...: return .moved(result)
    case CTLS_END: return .end
    case CTLS_WANTS_READ: return .wantsRead
    case CTLS_WANTS_WRITE: return .wantsWrite
    default: throw .unreachable("TLS: " + String(cString: ctls_reason(session)))
    }
  }

  /// Whether the server has sent nothing since the last answer, and has not closed the connection.
  var isQuiet: Bool {
    var descriptor = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
    return poll(&descriptor, 1, 0) == 0
  }
}
