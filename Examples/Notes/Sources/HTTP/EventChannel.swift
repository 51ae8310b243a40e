import Foundation

/// One server-sent event.
struct ServerEvent: Sendable {
  /// The lines of the event, with the empty one.
  let bytes: [UInt8]

  /// Makes an event of a value.
  init(_ name: String, _ value: some Encodable) throws {
    bytes = Array("event: \(name)\ndata: ".utf8) + (try JSONEncoder.plain.encode(value)) + Array("\n\n".utf8)
  }

  private init(comment: String) { bytes = Array(": \(comment)\n\n".utf8) }

  /// A line that listeners ignore, which shows a dead connection.
  static let heartbeat = ServerEvent(comment: "alive")
}

/// The way of events to one page.
///
/// It holds events until the page takes them. A page that takes none for `HTTPLimits.patience` loses its connection, and
/// with it the channel ends.
final class EventChannel: Sendable {
  /// The events, for one connection.
  let stream: AsyncStream<ServerEvent>
  private let continuation: AsyncStream<ServerEvent>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  /// Sends an event.
  func send(_ event: ServerEvent) { continuation.yield(event) }

  /// Ends the channel. Events sent before still arrive.
  func finish() { continuation.finish() }
}

extension JSONEncoder {
  /// The encoder of all answers.
  static var plain: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    return encoder
  }
}
