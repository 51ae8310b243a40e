import Dispatch
import Glibc
import Synchronization

/// The requests of programs to a server, and the bytes on the wire.
package struct WireTraffic: Sendable, Equatable {
  package var requests = 0
  package var bytesSent = 0
  package var bytesReceived = 0

  package init(requests: Int = 0, bytesSent: Int = 0, bytesReceived: Int = 0) {
    (self.requests, self.bytesSent, self.bytesReceived) = (requests, bytesSent, bytesReceived)
  }

  package static func - (now: Self, earlier: Self) -> Self {
    Self(
      requests: now.requests - earlier.requests, bytesSent: now.bytesSent - earlier.bytesSent,
      bytesReceived: now.bytesReceived - earlier.bytesReceived)
  }
}

/// Forwards connections from a loopback port to a server, and counts requests and bytes: every program that uses the
/// server is counted in the same way.
///
/// A byte counts before it is forwarded. So when a program has its last answer, all that it sent and got is counted.
package final class CountingProxy: Sendable {
  /// The loopback port.
  package let port: Int
  private let listener: Socket
  private let server: (host: String, port: Int)
  private let counts = Mutex(WireTraffic())

  /// Listens on a free port of 127.0.0.1.
  ///
  /// - Throws: `BenchmarkError`
  package init(to host: String, _ port: Int) throws(BenchmarkError) {
    server = (host, port)
    listener = Socket(owning: socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Socket.closesOnExec, 0))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let number = listener.number
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(number, pointer, size) == 0 && listen(number, 64) == 0
          && getsockname(number, pointer, &size) == 0
      }
    }
    guard isListening else {
      throw BenchmarkError(
        description:
          "No port of 127.0.0.1 could be opened to count requests: \(String(cString: strerror(errno))).")
    }
    self.port = Int(UInt16(bigEndian: address.sin_port))
    DispatchQueue(label: "CountingProxy").async { [weak self, listener] in
      while true {
        let client = Socket(owning: accept(listener.number, nil, nil))
        guard client.number >= 0, let self else { return }
        self.serve(client)
      }
    }
  }

  deinit { stop() }

  /// Takes no more connections. Those that are open end with their programs.
  package func stop() { listener.shutDown(SHUT_RDWR) }

  /// The requests and bytes so far.
  package var traffic: WireTraffic { counts.withLock { $0 } }

  private func serve(_ client: Socket) {
    guard let upstream = Socket.connect(to: server.host, server.port) else {
      // The program sees a connection that ends, and reports it.
      return client.shutDown(SHUT_RDWR)
    }
    client.prepare()
    upstream.prepare()
    DispatchQueue(label: "CountingProxy.sent").async { [self] in
      var requests = RequestCounter()
      Self.forward(from: client, to: upstream) { bytes in
        let before = requests.count
        requests.read(bytes)
        counts.withLock {
          $0.bytesSent += bytes.count
          $0.requests += requests.count - before
        }
      }
    }
    DispatchQueue(label: "CountingProxy.received").async { [self] in
      Self.forward(from: upstream, to: client) { bytes in
        counts.withLock { $0.bytesReceived += bytes.count }
      }
    }
  }

  /// Forwards all bytes of one direction, and then its end.
  private static func forward(
    from source: Socket, to target: Socket, _ count: (UnsafeRawBufferPointer) -> Void
  ) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    defer { buffer.deallocate() }
    while let bytes = source.receive(into: buffer) {
      count(bytes)
      guard target.send(bytes) else {
        source.shutDown(SHUT_RDWR)
        return
      }
    }
    target.shutDown(SHUT_WR)
  }
}

/// The owner of a socket, which two threads may use at once.
private final class Socket: Sendable {
  static let closesOnExec = Int32(SOCK_CLOEXEC.rawValue)

  let number: Int32

  init(owning number: Int32) { self.number = number }

  deinit { if number >= 0 { close(number) } }

  /// Connects to the first address of a host that answers; nil if there is none.
  static func connect(to host: String, _ port: Int) -> Socket? {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, "\(port)", &hints, &list) == 0, let first = list else { return nil }
    defer { freeaddrinfo(list) }
    for address in sequence(first: first, next: { $0.pointee.ai_next }) {
      let socket = Socket(
        owning: socket(address.pointee.ai_family, Int32(SOCK_STREAM.rawValue) | closesOnExec, 0))
      if Glibc.connect(socket.number, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0 {
        return socket
      }
    }
    return nil
  }

  /// Sends small pieces at once, and keeps the socket from programs that start meanwhile.
  func prepare() {
    var one: Int32 = 1
    // Without them a request is slower, or a connection ends later.
    setsockopt(number, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)  // As for the option above.
  }

  /// Returns the next bytes; nil at the end.
  func receive(into buffer: UnsafeMutableRawBufferPointer) -> UnsafeRawBufferPointer? {
    while true {
      let count = recv(number, buffer.baseAddress, buffer.count, 0)
      if count > 0 { return UnsafeRawBufferPointer(rebasing: buffer[..<count]) }
      if count == 0 || errno != EINTR { return nil }
    }
  }

  /// Sends all bytes; false if the other end is gone.
  func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let count = Glibc.send(number, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
      if count >= 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }

  func shutDown(_ direction: Int) { shutdown(number, Int32(direction)) }
}
