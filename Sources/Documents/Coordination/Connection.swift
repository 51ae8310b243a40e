import Dispatch
import DurableIO
import Glibc
import SystemPackage

// (1) A connection ends when either end closes it or ends. What was sent before arrives all the same.
// (2) Whoever is at the other end is this user, or nobody.

/// One conversation with another process. It waits on no thread.
final class Connection: Sendable {
  /// The messages; ends with the connection, and with the task that waits.
  let messages: AsyncStream<CoordinationMessage>
  private let socket: SharedSocket
  private let source: ReadSource

  /// - Throws: EACCES for another user's. (2)
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
            // Whoever says something else is no program of ours.
            guard let message = CoordinationMessage(bytes) else { return continuation.finish() }
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
    try socket.socket.send(message.bytes)
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
          // One that is gone again, or another user's, has nothing to say.
          if let connection = try? Connection(socket) { answer(connection) }
        }
      } catch {
        // No descriptors left: the others wait until there are.
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

/// Tells when there is something to read.
///
/// Unchecked: `DispatchSourceRead` is not marked `Sendable`, and its objects may be used from any thread.
private final class ReadSource: @unchecked Sendable {
  private let source: any DispatchSourceRead

  init(
    _ shared: SharedSocket, _ handler: @escaping @Sendable () -> Void,
    onCancel: @escaping @Sendable () -> Void = {}
  ) {
    source = DispatchSource.makeReadSource(fileDescriptor: shared.socket.number, queue: queue)
    source.setEventHandler(handler: handler)
    // The descriptor stays open until the last event was handled.
    source.setCancelHandler { withExtendedLifetime(shared, onCancel) }
    source.activate()
  }

  func cancel() { source.cancel() }
}

/// Reads what came; nothing here takes long.
private let queue = DispatchQueue(label: "com.filepackages.coordination")
