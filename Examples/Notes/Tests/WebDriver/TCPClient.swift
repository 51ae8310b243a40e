import Glibc

/// A connection to a port of this machine, for bytes of any kind.
///
/// Its calls block: a test calls them in `waiting`.
final class TCPClient: Sendable {
  struct Failure: Error, CustomStringConvertible {
    var call: String
    var code: Int32
    var description: String { "\(call): \(String(cString: strerror(code)))" }
  }

  private let descriptor: Int32

  /// - Parameter patience: the seconds that one call waits.
  init(port: Int, patience: Int = 60) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Failure(call: "socket", code: errno) }
    var time = timeval(tv_sec: patience, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let descriptor = descriptor
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 else {
      let failure = Failure(call: "connect", code: errno)
      close(descriptor)
      throw failure
    }
  }

  deinit { close(descriptor) }

  /// Sends all bytes; returns false if the other end has closed the connection meanwhile.
  @discardableResult
  func send(_ bytes: [UInt8]) throws -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      if count < 0, [EPIPE, ECONNRESET].contains(errno) { return false }
      guard count > 0 else { throw Failure(call: "send", code: errno) }
      rest = rest.dropFirst(count)
    }
    return true
  }

  @discardableResult
  func send(_ text: String) throws -> Bool { try send(Array(text.utf8)) }

  /// Says that nothing more comes.
  func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Receives some bytes; none at the end of the connection.
  func receive() throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count < 0, errno == EINTR { continue }
      // The other end may close a connection with bytes that it has not read.
      if count < 0, errno == ECONNRESET { return [] }
      guard count >= 0 else { throw Failure(call: "recv", code: errno) }
      return Array(buffer[..<count])
    }
  }

  /// Receives everything up to the end of the connection.
  func receiveAll() throws -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let piece = try receive()
      if piece.isEmpty { return bytes }
      bytes += piece
    }
  }
}
