import DurableIO
import Synchronization
import SystemPackage

/// Answers a request.
protocol HTTPHandler: Sendable {
  /// Returns whether a request is from a page of this server, whose connection then counts as one.
  func knows(_ head: HTTPRequestHead) -> Bool
  /// Answers one request.
  ///
  /// - Throws: `HTTPRefusal`, or the error of the work.
  func answer(_ head: HTTPRequestHead, _ body: HTTPBody) async throws -> ServerResponse
  /// Answers a request that failed.
  func answer(_ error: any Error, to head: HTTPRequestHead?) -> ServerResponse
}

/// A server of HTTP/1.1 on this machine's own addresses, 127.0.0.1 and ::1: a browser may use either of them for a name
/// below `localhost`, so another program must have neither.
///
/// It is written here and not taken from Hummingbird, which cannot end the connection that waited longest: beside half
/// requests of strangers, it answers no page.
final class HTTPListener: Sendable {
  private let sockets: [StreamSocket]
  private let limits: HTTPLimits
  private let connections = Mutex<[ObjectIdentifier: ServerConnection]>([:])
  /// The port.
  let port: UInt16

  /// Begins to listen.
  ///
  /// - Parameter port: the port; 0 for a free one.
  /// - Throws: EADDRINUSE, and other errors of the system.
  init(port: UInt16, limits: HTTPLimits = HTTPLimits()) throws(SystemError) {
    self.limits = limits
    let first = try StreamSocket.listen(.ip4, port: port)
    self.port = try first.port
    sockets = [first] + (try Self.secondSocket(self.port))
  }

  /// The socket at ::1; none on a machine without IPv6, where no program can be there.
  private static func secondSocket(_ port: UInt16) throws(SystemError) -> [StreamSocket] {
    do {
      return [try .listen(.ip6, port: port)]
    } catch  where [.addressFamilyNotSupported, .addressNotAvailable].contains(error.code) {
      return []
    }
  }

  /// Serves until the task is cancelled.
  func run(_ handler: some HTTPHandler) async throws {
    // A client that comes later learns at once that no server is here.
    defer { for listener in sockets { listener.end() } }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        while true {
          try await Task.sleep(for: .seconds(1))
          for connection in self.connections.withLock({ Array($0.values) }) { connection.endIfLate() }
        }
      }
      for listener in sockets { group.addTask { try await self.accept(listener, handler) } }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  /// Ends all connections.
  func endConnections() {
    for connection in connections.withLock({ Array($0.values) }) { connection.end() }
  }

  private func accept(_ listener: StreamSocket, _ handler: some HTTPHandler) async throws {
    try await withThrowingDiscardingTaskGroup { group in
      while true {
        let accepted: StreamSocket
        do {
          accepted = try await listener.accept()
        } catch let error as SystemError where Self.passingErrors.contains(error.code) {
          // A client that is gone, too many open files, or no memory: the next attempt may succeed.
          try await Task.sleep(for: .milliseconds(50))
          continue
        }
        let connection = ServerConnection(accepted, limits)
        guard admit(connection) else {
          continue
        }
        group.addTask {
          await self.serve(connection, handler)
          _ = self.connections.withLock { $0.removeValue(forKey: ObjectIdentifier(connection)) }
        }
      }
    }
  }

  private static let passingErrors: [Errno] = [
    .connectionAbort, .tooManyOpenFiles, .tooManyOpenFilesInSystem, .noBufferSpace, .noMemory,
  ]

  /// Counts a new connection. Strangers are those that no request of a page has come from. If there are too many of
  /// them, the one that has waited longest ends, so that strangers never keep a page out.
  private func admit(_ connection: ServerConnection) -> Bool {
    connections.withLock { connections in
      let strangers = connections.values.filter { !$0.isKnown }
      if connections.count - strangers.count >= limits.connections { return false }
      if strangers.count >= limits.strangers, let oldest = strangers.min(by: { $0.began < $1.began }) {
        oldest.end()
        connections[ObjectIdentifier(oldest)] = nil
      }
      connections[ObjectIdentifier(connection)] = connection
      return true
    }
  }

  /// Serves one connection to its end.
  private func serve(_ connection: ServerConnection, _ handler: some HTTPHandler) async {
    // A connection that breaks has no one to tell.
    while (try? await serveNext(connection, handler)) == true {}
  }

  /// Serves one request; returns whether another may follow.
  private func serveNext(_ connection: ServerConnection, _ handler: some HTTPHandler) async throws -> Bool {
    var head: HTTPRequestHead?
    var body: HTTPBody?
    var response: ServerResponse
    var closes = false
    do {
      head = try await connection.readHead()
      guard let head else { return false }
      closes = head.closesConnection
      if handler.knows(head) { connection.setKnown() }
      let itsBody = try HTTPBody(of: head, on: connection)
      body = itsBody
      response = try await handler.answer(head, itsBody)
    } catch {
      if error is ServerConnection.Broken || error is CancellationError { throw error }
      response = handler.answer(error, to: head)
      if (error as? HTTPRefusal)?.endsConnection == true { closes = true }
    }
    // Bytes that nothing read must not look like the next request.
    if body?.isRead != true { closes = true }
    if case .events = response.body { closes = true }
    try await send(response, isHead: head?.method == "HEAD", closes, to: connection)
    if closes, body?.isRead != true { await connection.linger() }
    return !closes
  }

  private func send(
    _ response: ServerResponse, isHead: Bool, _ closes: Bool, to connection: ServerConnection
  ) async throws {
    let head = response.head(closes: closes)
    switch response.body {
    case .bytes(let bytes): try await connection.write(isHead ? head : head + bytes)
    case .pieces(_, let next):
      try await connection.write(head)
      while !isHead, let piece = try await next() { try await connection.write(piece) }
    case .events(let events, let ended):
      let result = await Task { try await self.send(head, events, to: connection) }.result
      await ended()
      try result.get()
    }
  }

  /// Sends events until their channel or the connection ends.
  private func send(_ head: [UInt8], _ events: EventChannel, to connection: ServerConnection) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      try await connection.write(head)
      group.addTask { for await event in events.stream { try await connection.write(event.bytes) } }
      group.addTask { try await connection.waitForEnd() }
      group.addTask {
        while true {
          try await Task.sleep(for: .seconds(15))
          events.send(.heartbeat)
        }
      }
      try await group.next()
    }
  }
}
