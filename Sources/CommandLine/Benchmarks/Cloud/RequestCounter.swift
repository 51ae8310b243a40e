import DurableIO

/// Counts the requests among the bytes that a client sends over one connection: HTTP/1.1, RFC 9112.
package struct RequestCounter: Sendable {
  private enum Part {
    /// The lines before a body; `begun` tells whether there was a request line.
    case head(begun: Bool)
    /// The rest of a body, or of a chunk; the line after a chunk is empty.
    case bytes(Int, next: Next)
    case chunkSize
    case afterChunk
    case trailer
  }

  private enum Next { case head, afterChunk }

  /// The longest line of a head that can matter.
  private static let longestLine = 1 << 10

  private var part = Part.head(begun: false)
  private var line: [UInt8] = []
  private var length = 0
  private var isChunked = false
  /// The number of requests whose heads are complete.
  package private(set) var count = 0

  package init() {}

  /// Reads the next bytes of the connection.
  package mutating func read(_ bytes: UnsafeRawBufferPointer) {
    var position = 0
    while position < bytes.count {
      if case .bytes(let left, let next) = part {
        let step = min(left, bytes.count - position)
        position += step
        if step < left {
          part = .bytes(left - step, next: next)
        } else {
          part = next == .head ? .head(begun: false) : .afterChunk
        }
        continue
      }
      let byte = bytes[position]
      position += 1
      if byte != UInt8(ascii: "\n") {
        if line.count < Self.longestLine { line.append(byte) }
        continue
      }
      if line.last == UInt8(ascii: "\r") { line.removeLast() }
      let text = String(decoding: line, as: UTF8.self)
      line.removeAll(keepingCapacity: true)
      take(text)
    }
  }

  /// Takes a whole line.
  private mutating func take(_ line: String) {
    switch part {
    case .head(false):
      // A client may send an empty line before a request.
      if !line.isEmpty { (part, length, isChunked) = (.head(begun: true), 0, false) }
    case .head(true):
      if line.isEmpty { return endHead() }
      let field = line.split(separator: ":", maxSplits: 1).map { $0.lowercased() }
      guard field.count == 2 else { return }
      if field[0] == "content-length" { length = Int(field[1].trimmed()) ?? 0 }
      if field[0] == "transfer-encoding" { isChunked = field[1].contains("chunked") }
    case .chunkSize:
      let size = Int(line.prefix { $0.isHexDigit }, radix: 16) ?? 0
      part = size > 0 ? .bytes(size, next: .afterChunk) : .trailer
    case .afterChunk: part = .chunkSize
    case .trailer: if line.isEmpty { part = .head(begun: false) }
    case .bytes: break
    }
  }

  private mutating func endHead() {
    count += 1
    part = isChunked ? .chunkSize : length > 0 ? .bytes(length, next: .head) : .head(begun: false)
  }
}
