internal import CLinux
internal import Glibc
internal import SystemPackage

/// A connection between processes on this machine, or a listener for connections: unix(7), SOCK_SEQPACKET.
///
/// No call waits: a call that cannot finish at once says so. Messages arrive whole and in order. A sent message arrives
/// even if the sender has ended.
package struct LocalSocket: ~Copyable, Sendable {
  /// The descriptor, for a caller that waits for data.
  package let number: Int32

  private init(owning number: Int32) { self.number = number }

  deinit { _ = close(number) }

  /// Listens for connections under a free name: bind(2), listen(2).
  package static func listen(
    _ name: FileName, in folder: borrowing OwnedDescriptor
  ) throws(SystemError) -> LocalSocket {
    let socket = LocalSocket(owning: try repeated("socket") { clinux_socket() })
    try repeated("bind", name) { clinux_listen(socket.number, path(of: name, in: folder)) }
    return socket
  }

  /// Connects: connect(2).
  ///
  /// - Throws: ECONNREFUSED if no process listens any more, EAGAIN if too many connections wait.
  package static func connect(
    to name: FileName, in folder: borrowing OwnedDescriptor
  ) throws(SystemError) -> LocalSocket {
    let socket = LocalSocket(owning: try repeated("socket") { clinux_socket() })
    try repeated("connect", name) { clinux_connect(socket.number, path(of: name, in: folder)) }
    return socket
  }

  /// Returns a short path to a socket, through the descriptor of its folder.
  ///
  /// So the length of the folder's own path does not matter.
  private static func path(of name: FileName, in folder: borrowing OwnedDescriptor) -> String {
    "/proc/self/fd/\(folder.number)/\(name.string)"
  }

  /// Returns the next connection, nil if there is none: accept4(2).
  package func accept() throws(SystemError) -> LocalSocket? {
    do {
      return LocalSocket(owning: try repeated("accept4") { clinux_accept(number) })
    } catch  where error.isNothingYet || error.code == .connectionAbort {
      return nil
    }
  }

  /// The user and the process at the other end, from the kernel: SO_PEERCRED.
  package var peer: (user: UInt32, process: Int32) {
    get throws(SystemError) {
      var (user, process): (UInt32, Int32) = (0, 0)
      try repeated("getsockopt") { clinux_peer(number, &user, &process) }
      return (user, process)
    }
  }

  /// Sends one message: send(2).
  ///
  /// - Throws: EAGAIN if the other end does not read, EPIPE if it is gone.
  package func send(_ message: [UInt8]) throws(SystemError) {
    try repeated("send") { clinux_send(number, message, message.count) }
  }

  /// The result of a receive.
  package enum Received: Sendable, Equatable {
    case message([UInt8])
    case nothingYet
    /// The other end is gone.
    case end
  }

  /// Returns the next message: recv(2).
  ///
  /// - Throws: EMSGSIZE for a message longer than `limit`, which is lost.
  package func receive(atMost limit: Int) throws(SystemError) -> Received {
    var length = 0
    do {
      let message = try [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
        length = try repeated("recv") { clinux_receive(number, buffer.baseAddress, buffer.count) }
        count = min(length, limit)
      }
      if length > limit { throw SystemError("recv", code: Errno(rawValue: EMSGSIZE)) }
      return length == 0 ? .end : .message(message)
    } catch let error as SystemError {
      if error.isNothingYet { return .nothingYet }
      if error.code == .connectionReset { return .end }
      throw error
    } catch {
      throw SystemError("recv", code: .ioError)
    }
  }
}

extension SystemError {
  fileprivate var isNothingYet: Bool { code == .wouldBlock || code == .resourceTemporarilyUnavailable }
}
