import DurableIO
import Glibc
import Synchronization

/// The limits of one connection.
struct HTTPLimits: Sendable {
  /// The largest head, in bytes.
  var head = 16 << 10
  /// The largest body that a handler reads as a whole.
  var command = 16 << 20
  /// The largest upload.
  var upload: UInt64 = 512 << 20
  /// The longest wait for the next bytes of a request, or for the client to take bytes of an answer.
  var patience: Duration = .seconds(10)
  /// The longest time from the first byte of a head to its last.
  var headTime: Duration = .seconds(10)
  /// The longest wait between two requests.
  var idleTime: Duration = .seconds(60)
  /// The number of connections of pages at one time.
  var connections = 256
  /// The number of other connections at one time.
  var strangers = 64
}

/// One connection: it reads requests and writes answers, each within its limits.
///
/// A task of the listener calls `endIfLate()` every second. The connection ends if its present wait lasts too long.
final class ServerConnection: Sendable {
  private struct State {
    var buffer: [UInt8] = []
    var isKnown = false
    var deadline: ContinuousClock.Instant?
  }

  private let socket: StreamSocket
  let limits: HTTPLimits
  private let state = Mutex(State())
  /// The time at which the client connected.
  let began = ContinuousClock.now

  init(_ socket: StreamSocket, _ limits: HTTPLimits) { (self.socket, self.limits) = (socket, limits) }

  /// Whether a request of a page came from it.
  var isKnown: Bool { state.withLock { $0.isKnown } }

  func setKnown() { state.withLock { $0.isKnown = true } }

  // MARK: Deadlines

  /// Sets the time at which the connection ends.
  private func allow(_ time: Duration?) {
    state.withLock { $0.deadline = time.map { .now + $0 } }
  }

  /// Ends the connection if its present wait lasts too long.
  func endIfLate() {
    if state.withLock({ $0.deadline.map { $0 < .now } }) == true { end() }
  }

  /// Ends all waits of the connection.
  func end() { socket.end() }

  /// The connection is broken, or its client ended it within a request.
  struct Broken: Error {}

  // MARK: Reading

  private func read(atMost count: Int) async throws -> [UInt8] {
    do { return try await socket.read(atMost: count) } catch is SystemError { throw Broken() }
  }

  /// Reads the head of the next request; nil if the client has ended the connection.
  func readHead() async throws -> HTTPRequestHead? {
    let end: [UInt8] = [13, 10, 13, 10]
    var searched = 0
    allow(state.withLock { $0.buffer.isEmpty } ? limits.idleTime : limits.headTime)
    while true {
      let (head, size): ([UInt8]?, Int) = state.withLock { state in
        let buffer = state.buffer
        var index = max(0, searched - 3)
        while index + 4 <= buffer.count {
          if buffer[index] == 13, buffer[index..<(index + 4)].elementsEqual(end) {
            state.buffer.removeFirst(index + 4)
            return (Array(buffer[..<index]), index)
          }
          index += 1
        }
        searched = buffer.count
        return (nil, buffer.count)
      }
      if size > limits.head {
        throw HTTPRefusal(
          status: .headTooLarge, message: "The head of the request is too large.", endsConnection: true)
      }
      if let head {
        allow(nil)
        return try HTTPRequestHead(head)
      }
      let bytes = try await read(atMost: 4096)
      if bytes.isEmpty { return nil }
      if size == 0 { allow(limits.headTime) }
      state.withLock { $0.buffer += bytes }
    }
  }

  /// Returns the next bytes of a body, at most `count`.
  func readBody(atMost count: Int) async throws -> [UInt8] {
    let buffered = state.withLock { state in
      let bytes = Array(state.buffer.prefix(count))
      state.buffer.removeFirst(bytes.count)
      return bytes
    }
    if !buffered.isEmpty { return buffered }
    allow(limits.patience)
    defer { allow(nil) }
    let bytes = try await read(atMost: count)
    if bytes.isEmpty { throw Broken() }
    return bytes
  }

  /// Waits until the client ends the connection. Bytes that it sends meanwhile wait.
  func waitForEnd() async throws {
    while true {
      let bytes = try await read(atMost: 4096)
      if bytes.isEmpty { return }
      let count = state.withLock { state in
        state.buffer += bytes
        return state.buffer.count
      }
      if count > limits.head { return }
    }
  }

  // MARK: Writing

  /// Writes bytes. The client has to take each piece within the limits.
  func write(_ bytes: [UInt8]) async throws {
    var start = 0
    while start < bytes.count {
      let end = min(start + 256 << 10, bytes.count)
      allow(limits.patience)
      do { try await socket.write(bytes[start..<end]) } catch is SystemError { throw Broken() }
      start = end
    }
    allow(nil)
  }

  /// Reads and drops what the client still sends after a refusal, within bounds. Without that, the end of the
  /// connection could overtake the answer.
  func linger() async {
    socket.end(SHUT_WR)
    allow(.seconds(2))
    var rest = 1 << 20
    while rest > 0, let bytes = try? await read(atMost: 4096), !bytes.isEmpty { rest -= bytes.count }
  }
}
