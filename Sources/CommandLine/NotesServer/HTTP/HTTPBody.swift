/// The body of one request, which its handler reads in pieces.
///
/// The size that the head declares bounds it, before the first byte is read. Bodies in chunks are refused, because no
/// page sends one.
final class HTTPBody {
  private let connection: ServerConnection
  /// The size of the body.
  let size: UInt64
  private var rest: UInt64

  init(of head: HTTPRequestHead, on connection: ServerConnection) throws(HTTPRefusal) {
    self.connection = connection
    guard head.fields["transfer-encoding"] == nil else {
      throw .badRequest("The body of a request has to have a declared size.")
    }
    if let text = head.fields["content-length"] {
      guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), text.utf8.count <= 19,
        let size = UInt64(text)
      else { throw .badRequest("The size of the body is malformed.") }
      self.size = size
    } else {
      size = 0
    }
    rest = size
    if size > connection.limits.upload { throw .tooLarge(connection.limits.upload) }
  }

  /// Whether the handler has read all of it.
  var isRead: Bool { rest == 0 }

  /// The next piece; nil at the end.
  func next() async throws -> [UInt8]? {
    if rest == 0 { return nil }
    let bytes = try await connection.readBody(atMost: Int(min(rest, 64 << 10)))
    rest -= UInt64(bytes.count)
    return bytes
  }

  /// The whole body of a command.
  func all() async throws -> [UInt8] {
    if size > UInt64(connection.limits.command) {
      throw HTTPRefusal.tooLarge(UInt64(connection.limits.command))
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(size))
    while let piece = try await next() { bytes += piece }
    return bytes
  }
}
