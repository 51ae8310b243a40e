import Dispatch
import DurableIO
import Glibc
import SystemPackage

/// One conversation with another process; it blocks no thread.
///
/// It ends when either end closes it or its process ends. Messages sent before that still arrive. Both ends belong to
/// the same user.
final class Connection: Sendable {
  /// The messages; the stream ends with the connection, and with the task that waits.
  let messages: AsyncStream<CoordinationMessage>
  private let socket: SharedSocket
  private let source: ReadSource

  /// - Throws: EACCES if the other end belongs to another user.
  init(_ socket: consuming LocalSocket) throws(SystemError) {
    guard try socket.peer.user == geteuid() else { throw SystemError("getsockopt", code: .permissionDenied) }
    let shared = SharedSocket(socket)
    let (messages, continuation) = AsyncStream.makeStream(of: CoordinationMessage.self)
    source = ReadSource(shared) {
      do throws(SystemError) {
        while true {
          switch try shared.socket.receive(atMost: CoordinationMessage.maximumLength) {
          case .nothingYet: return
          case .end: return continuation.finish()
          case .message(let bytes):
            // A program that sends anything else does not speak this protocol.
            var records = Records(bytes)
            guard let message = records.next(CoordinationMessage.self) else { return continuation.finish() }
            continuation.yield(message)
          }
        }
      } catch {
        continuation.finish()
      }
    } onCancel: {
      continuation.finish()
    }
    continuation.onTermination = { [source] _ in source.cancel() }
    (self.messages, self.socket) = (messages, shared)
  }

  func send(_ message: CoordinationMessage) throws(SystemError) {
    try socket.socket.send(Records.line(message))
  }

  func close() { source.cancel() }

  deinit { source.cancel() }
}

/// Waits for other processes' connections.
final class PresenterListener: Sendable {
  private let source: ReadSource

  init(_ socket: consuming LocalSocket, _ answer: @escaping @Sendable (Connection) -> Void) {
    let shared = SharedSocket(socket)
    source = ReadSource(shared) {
      do {
        while let socket = try shared.socket.accept() {
          // A connection that has ended, or that belongs to another user, is ignored.
          if let connection = try? Connection(socket) { answer(connection) }
        }
      } catch {
        // The process has no free descriptors: the other connections wait until it has.
        usleep(10_000)
      }
    }
  }

  func end() { source.cancel() }

  deinit { source.cancel() }
}

private final class SharedSocket: Sendable {
  let socket: LocalSocket

  init(_ socket: consuming LocalSocket) { self.socket = socket }
}

/// Calls a handler when a socket has data to read.
// `@unchecked`: `source` is a constant, and any thread may use a source of Dispatch.
private final class ReadSource: @unchecked Sendable {
  private let source: any DispatchSourceRead

  init(
    _ shared: SharedSocket, _ handler: @escaping @Sendable () -> Void,
    onCancel: @escaping @Sendable () -> Void = {}
  ) {
    source = DispatchSource.makeReadSource(fileDescriptor: shared.socket.number, queue: queue)
    source.setEventHandler(handler: handler)
    // The descriptor stays open until the source has handled its last event.
    source.setCancelHandler { withExtendedLifetime(shared, onCancel) }
    source.activate()
  }

  func cancel() { source.cancel() }
}

/// The queue of the handlers; each is short.
private let queue = DispatchQueue(label: "com.filepackages.coordination")
