/// An answer of HTTP/1.1.
struct HTTPAnswer: Sendable {
  struct Malformed: Error, CustomStringConvertible {
    var text: String
    var description: String { "this is no answer of HTTP/1.1: '\(text)'" }
  }

  var status: Int
  /// The header fields, with names in lower case.
  var fields: [(name: String, value: String)]
  var body: [UInt8]

  func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }

  var text: String { String(decoding: body, as: UTF8.self) }

  /// Reads one answer; `isHead` if it answers HEAD, so that it has no body.
  static func read(from client: TCPClient, isHead: Bool = false) throws -> HTTPAnswer {
    var reader = Reader(client: client)
    return try reader.answer(isHead: isHead)
  }

  /// Reads answers of one connection, one after the other.
  struct Reader {
    let client: TCPClient
    private var buffer: [UInt8] = []
    private(set) var hasEnded = false

    init(client: TCPClient) { self.client = client }

    private mutating func more() throws {
      let bytes = try client.receive()
      if bytes.isEmpty { hasEnded = true }
      buffer += bytes
    }

    private mutating func line() throws -> String {
      while true {
        if let end = buffer.firstIndex(of: 10) {
          let line = String(decoding: buffer[..<end], as: UTF8.self)
          buffer.removeSubrange(...end)
          return line.hasSuffix("\r") ? String(line.dropLast()) : line
        }
        if hasEnded { throw Malformed(text: String(decoding: buffer.prefix(200), as: UTF8.self)) }
        try more()
      }
    }

    private mutating func take(_ count: Int) throws -> [UInt8] {
      while buffer.count < count {
        if hasEnded { throw Malformed(text: "the body ends \(count - buffer.count) bytes early") }
        try more()
      }
      defer { buffer.removeFirst(count) }
      return Array(buffer[..<count])
    }

    /// Reads the next answer.
    mutating func answer(isHead: Bool = false) throws -> HTTPAnswer {
      let first = try line()
      let words = first.split(separator: " ")
      guard words.count >= 2, words[0] == "HTTP/1.1", let status = Int(words[1]) else {
        throw Malformed(text: first)
      }
      var answer = HTTPAnswer(status: status, fields: [], body: [])
      while true {
        let line = try line()
        if line.isEmpty { break }
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw Malformed(text: line) }
        answer.fields.append((parts[0].lowercased(), String(parts[1].drop { $0 == " " })))
      }
      if isHead || status == 204 || status == 304 { return answer }
      if answer.field("transfer-encoding") == "chunked" {
        while true {
          let line = try line()
          guard let size = Int(line, radix: 16) else { throw Malformed(text: line) }
          answer.body += try take(size)
          _ = try take(2)
          if size == 0 { break }
        }
      } else if let length = answer.field("content-length").flatMap({ Int($0) }) {
        answer.body = try take(length)
      } else {
        while !hasEnded { try more() }
        answer.body = try take(buffer.count)
      }
      return answer
    }

    /// Reads lines of an endless answer until one passes.
    mutating func line(where passes: (String) -> Bool) throws -> String {
      while true {
        let line = try line()
        if passes(line) { return line }
      }
    }
  }
}
