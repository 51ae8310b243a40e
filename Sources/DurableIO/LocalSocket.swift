internal import CLinux
internal import Glibc
internal import SystemPackage

// (1) A socket is found by its name in an open folder, so that the length of the folder's path does not matter.
// (2) Nothing here waits: what cannot be done at once is said to be so.

/// One end of a connection between processes on this machine, or what waits for them: unix(7), SOCK_SEQPACKET. Messages
/// arrive whole and in order, and what was sent arrives although the sender has ended.
package struct LocalSocket: ~Copyable, Sendable {
  /// The descriptor, for whoever waits until there is something to read.
  package let number: Int32

  private init(owning number: Int32) { self.number = number }

  deinit { _ = close(number) }

  /// Waits for connections under a name that is free: bind(2), listen(2).
  package static func listen(
    _ name: FileName, in folder: borrowing OwnedDescriptor
  ) throws(SystemError) -> LocalSocket {
    let socket = LocalSocket(owning: try repeated("socket") { clinux_socket() })
    try repeated("bind", name) { clinux_listen(socket.number, path(of: name, in: folder)) }
    return socket
  }

  /// Connects: connect(2).
  ///
  /// - Throws: ECONNREFUSED where nobody waits there any more, EAGAIN where too many are connecting.
  package static func connect(
    to name: FileName, in folder: borrowing OwnedDescriptor
  ) throws(SystemError) -> LocalSocket {
    let socket = LocalSocket(owning: try repeated("socket") { clinux_socket() })
    try repeated("connect", name) { clinux_connect(socket.number, path(of: name, in: folder)) }
    return socket
  }

  /// (1)
  private static func path(of name: FileName, in folder: borrowing OwnedDescriptor) -> String {
    "/proc/self/fd/\(folder.number)/\(name.string)"
  }

  /// The next connection; nil where there is none: accept4(2).
  package func accept() throws(SystemError) -> LocalSocket? {
    do {
      return LocalSocket(owning: try repeated("accept4") { clinux_accept(number) })
    } catch  where error.isNothingYet || error.code == .connectionAbort {
      return nil
    }
  }

  /// Who is at the other end, as the kernel knows it: SO_PEERCRED.
  package var peer: (user: UInt32, process: Int32) {
    get throws(SystemError) {
      var (user, process): (UInt32, Int32) = (0, 0)
      try repeated("getsockopt") { clinux_peer(number, &user, &process) }
      return (user, process)
    }
  }

  /// Sends one message: send(2).
  ///
  /// - Throws: EAGAIN where the other end does not read, EPIPE where it is gone.
  package func send(_ message: [UInt8]) throws(SystemError) {
    try repeated("send") { clinux_send(number, message, message.count) }
  }

  /// What there is to read.
  package enum Received: Sendable, Equatable {
    case message([UInt8])
    case nothingYet
    /// The other end is gone.
    case end
  }

  /// The next message: recv(2).
  ///
  /// - Throws: EMSGSIZE for one that is longer than `limit`; it is gone.
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
