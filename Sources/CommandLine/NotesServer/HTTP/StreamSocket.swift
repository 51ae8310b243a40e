import CLinux
import Dispatch
import DurableIO
import Glibc
import SystemPackage

/// A TCP socket, at which tasks wait without a thread: tcp(7).
///
/// One task may read while another one writes. A wait ends with its task. `end()` ends all waits.
final class StreamSocket: Sendable {
  private let number: Int32

  private init(owning number: Int32) { self.number = number }

  deinit { _ = Glibc.close(number) }

  // MARK: Listening

  /// An address of this machine alone.
  enum Loopback { case ip4, ip6 }

  /// Listens at an address.
  ///
  /// - Parameter port: the port; 0 for a free one.
  /// - Throws: EADDRINUSE; EAFNOSUPPORT or EADDRNOTAVAIL if the machine has no such address.
  static func listen(_ address: Loopback, port: UInt16) throws(SystemError) -> StreamSocket {
    let domain = address == .ip4 ? AF_INET : AF_INET6
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let socket = StreamSocket(owning: try call("socket") { Glibc.socket(domain, type, 0) })
    var yes: Int32 = 1
    try call("setsockopt") {
      setsockopt(socket.number, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    }
    switch address {
    case .ip4:
      let loopback = in_addr(s_addr: INADDR_LOOPBACK.bigEndian)
      try socket.bind(
        sockaddr_in(
          sin_family: sa_family_t(AF_INET), sin_port: port.bigEndian, sin_addr: loopback,
          sin_zero: (0, 0, 0, 0, 0, 0, 0, 0)))
    case .ip6:
      try socket.bind(
        sockaddr_in6(
          sin6_family: sa_family_t(AF_INET6), sin6_port: port.bigEndian, sin6_flowinfo: 0,
          sin6_addr: in6addr_loopback, sin6_scope_id: 0))
    }
    try call("listen") { Glibc.listen(socket.number, SOMAXCONN) }
    return socket
  }

  private func bind<Address>(_ address: Address) throws(SystemError) {
    try Self.call("bind") {
      withUnsafeBytes(of: address) { bytes in
        Glibc.bind(number, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
      }
    }
  }

  /// The port of a listener.
  var port: UInt16 {
    get throws(SystemError) {
      var address = sockaddr_in6()
      var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
      try Self.call("getsockname") {
        withUnsafeMutableBytes(of: &address) { bytes in
          getsockname(number, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, &length)
        }
      }
      // The port has the same place in the addresses of both families.
      return UInt16(bigEndian: address.sin6_port)
    }
  }

  /// Waits for the next connection.
  ///
  /// - Throws: the errors of accept(2); `CancellationError`.
  func accept() async throws -> StreamSocket {
    try await whenReady(.reading) {
      StreamSocket(owning: try Self.call("accept4") { clinux_accept(self.number) })
    }
  }

  // MARK: Reading and writing

  /// Returns the next bytes; none at the end of the connection.
  func read(atMost count: Int) async throws -> [UInt8] {
    try await whenReady(.reading) {
      try [UInt8](unsafeUninitializedCapacity: count) { buffer, size in
        size = try Self.call("recv") { recv(self.number, buffer.baseAddress, buffer.count, 0) }
      }
    }
  }

  /// Sends all bytes.
  func write(_ bytes: ArraySlice<UInt8>) async throws {
    var rest = bytes
    while !rest.isEmpty {
      let sent = try await whenReady(.writing) {
        try Self.call("send") {
          rest.withUnsafeBytes { send(self.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        }
      }
      rest = rest.dropFirst(sent)
    }
  }

  /// Ends the connection in one direction or both: shutdown(2). A connection that is gone already is no error.
  func end(_ direction: Int = SHUT_RDWR) { _ = shutdown(number, Int32(direction)) }

  // MARK: Waiting

  private enum Direction { case reading, writing }

  /// Calls `body`, and again whenever the socket is ready, until it need not wait.
  private func whenReady<Result>(_ direction: Direction, _ body: () throws -> Result) async throws -> Result {
    while true {
      do {
        return try body()
      } catch let error as SystemError
        where [.wouldBlock, .resourceTemporarilyUnavailable].contains(error.code)
      {
        try await wait(for: direction)
      }
    }
  }

  private func wait(for direction: Direction) async throws {
    let source: any DispatchSourceProtocol =
      direction == .reading
      ? DispatchSource.makeReadSource(fileDescriptor: number, queue: Self.queue)
      : DispatchSource.makeWriteSource(fileDescriptor: number, queue: Self.queue)
    let wait = Wait(source: source)
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        source.setEventHandler { wait.source.cancel() }
        // Afterwards, Dispatch has no use for the descriptor any more.
        source.setCancelHandler { continuation.resume() }
        source.activate()
      }
    } onCancel: {
      wait.source.cancel()
    }
    try Task.checkCancellation()
  }

  /// A source of one wait.
  // `@unchecked`: `source` is a constant, and any thread may cancel a source of Dispatch.
  private struct Wait: @unchecked Sendable {
    let source: any DispatchSourceProtocol
  }

  /// The queue of the handlers; each is short.
  private static let queue = DispatchQueue(label: "com.filepackages.serve")

  @discardableResult
  private static func call<Result: FixedWidthInteger & SignedInteger>(
    _ name: String, _ body: () -> Result
  ) throws(SystemError) -> Result {
    while true {
      let result = body()
      if result >= 0 { return result }
      if errno != EINTR { throw SystemError(name, code: Errno(rawValue: errno)) }
    }
  }
}
