import Foundation
import Synchronization
import Testing

/// A program that sends the server of a fixture what a page of it would send.
struct Visitor: Sendable {
  let port: Int
  /// The server's name and port.
  let host: String
  /// The cookie, as a browser returns it.
  let cookie: String

  var origin: String { "http://\(host)" }

  /// Gets the cookie from the address that the server printed.
  init(_ fixture: ServeFixture) async throws {
    let address = try fixture.address
    (port, host) = (address.port, address.host)
    let answer = try await Self.entrance(of: address)
    #expect(answer.status == 200)
    cookie = String(try #require(answer.field("set-cookie")).prefix { $0 != ";" })
  }

  /// Opens the address that the server printed.
  static func entrance(of address: ServeFixture.Address) async throws -> HTTPAnswer {
    try await waiting {
      let client = try TCPClient(port: address.port)
      try client.send(
        "GET /?token=\(address.token) HTTP/1.1\r\nHost: \(address.host)\r\nConnection: close\r\n\r\n"
      )
      return try HTTPAnswer.read(from: client)
    }
  }

  /// Sends bytes, and returns all that comes up to the end of the connection.
  func exchange(_ text: String, endsSending: Bool = false) async throws -> [UInt8] {
    try await waiting { [port] in
      let client = try TCPClient(port: port)
      try client.send(text)
      if endsSending { client.endSending() }
      return try client.receiveAll()
    }
  }

  /// Sends a request, and reads the answer.
  func ask(_ method: String, _ path: String, body: [UInt8] = []) async throws -> HTTPAnswer {
    try await waiting { [self] in
      let client = try TCPClient(port: port)
      var head = "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\nCookie: \(cookie)\r\nConnection: close\r\n"
      if method != "GET" && method != "HEAD" {
        head += "Origin: \(origin)\r\nContent-Length: \(body.count)\r\n"
      }
      try client.send(Array((head + "\r\n").utf8) + body)
      return try HTTPAnswer.read(from: client, isHead: method == "HEAD")
    }
  }

  /// Sends a command; returns the status and the value of the answer.
  @discardableResult
  func post(_ path: String, _ value: JSON = [:]) async throws -> (status: Int, value: JSON) {
    let answer = try await ask("POST", path, body: try value.bytes)
    return (answer.status, try JSON(parsing: answer.body))
  }

  /// Makes a document; returns its identifier.
  func makeDocument(_ text: String) async throws -> String {
    try #require(try await post("/api/library/new", ["text": .string(text)]).value["id"].string)
  }

  /// The identifier of a document, as the library lists it.
  func id(of name: String) async throws -> String {
    let events = try await EventReader(self, "/api/library/events")
    return try await waiting {
      while true {
        let (event, data) = try events.next()
        if event == "items", let item = data["items"].elements.first(where: { $0["name"].string == name }) {
          return try #require(item["id"].string)
        }
        try #require(event != "ready", "the library has no '\(name)'")
      }
    }
  }
}

/// A stream of server-sent events. Its calls block: a test calls them in `waiting`.
final class EventReader: Sendable {
  private let client: TCPClient
  private let rest = Mutex<[UInt8]>([])

  /// Asks for the events, and waits for the head of the answer: the server sends each event from then on.
  init(_ visitor: Visitor, _ path: String) async throws {
    client = try TCPClient(port: visitor.port)
    try client.send("GET \(path) HTTP/1.1\r\nHost: \(visitor.host)\r\nCookie: \(visitor.cookie)\r\n\r\n")
    let head = try await waiting { try self.read(upTo: "\r\n\r\n") }
    try #require(head.hasPrefix("HTTP/1.1 200 "), "\(head)")
  }

  /// Reads the next event, and throws after 20 heartbeats without one: the server sends them for ever.
  func next() throws -> (name: String, data: JSON) {
    for _ in 0..<20 {
      // Between the events there are the sizes of chunks.
      let lines = try read(upTo: "\n\n").split(whereSeparator: \.isNewline)
      guard let name = lines.first(where: { $0.hasPrefix("event: ") }),
        let data = lines.first(where: { $0.hasPrefix("data: ") })
      else { continue }
      return (String(name.dropFirst(7)), try JSON(parsing: data.dropFirst(6).utf8))
    }
    throw NoEvent()
  }

  struct NoEvent: Error {}

  /// Reads up to `end`, and returns the text before it.
  private func read(upTo end: String) throws -> String {
    let end = Array(end.utf8)
    var bytes = rest.withLock { $0 }
    while true {
      if let found = bytes.firstRange(of: end) {
        rest.withLock { $0 = Array(bytes[found.upperBound...]) }
        return String(decoding: bytes[..<found.lowerBound], as: UTF8.self)
      }
      let piece = try client.receive()
      try #require(!piece.isEmpty, "The stream ended.")
      bytes += piece
    }
  }
}

/// A page that shows a document: its copy of the text, as the events make it.
final class TextPage: Sendable {
  private struct State {
    var epoch = ""
    var seq = -1
    var text: [UInt16] = []
  }

  private let events: EventReader
  private let state = Mutex(State())

  init(_ visitor: Visitor, _ id: String, tab: String) async throws {
    events = try await EventReader(visitor, "/api/documents/\(id)/events?tab=\(tab)")
  }

  /// The name of the document's run.
  var epoch: String { state.withLock { $0.epoch } }

  /// Reads events until the text has this change; returns the text.
  func text(upTo seq: Int) async throws -> String {
    try await waiting { [self] in
      while state.withLock({ $0.seq }) < seq {
        let (name, data) = try events.next()
        state.withLock { state in
          if name == "open" {
            state = State(
              epoch: data["epoch"].string ?? "", seq: data["seq"].integer ?? 0,
              text: Array((data["text"].string ?? "").utf16))
          } else if name == "text" {
            for splice in data["splices"].elements {
              let start = splice[0].integer ?? 0
              state.text.replaceSubrange(
                start..<(start + (splice[1].integer ?? 0)), with: Array((splice[2].string ?? "").utf16))
            }
            state.seq = data["seq"].integer ?? 0
          }
        }
      }
      return String(decoding: state.withLock { $0.text }, as: UTF16.self)
    }
  }
}
