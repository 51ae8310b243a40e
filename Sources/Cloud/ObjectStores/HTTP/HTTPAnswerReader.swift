import DurableIO
import FoundationEssentials

/// Makes an answer of the bytes that a server sends, by RFC 9112.
///
/// It takes an answer in pieces of any size, and is strict: bytes that two programs could read in two ways are no
/// answer. It holds at most 64 KiB of a header and `limit` bytes of a body.
package struct HTTPAnswerReader: Sendable {
  private enum State: Sendable, Equatable {
    case head
    /// The body has this many bytes left.
    case body(Int)
    case chunkSize
    /// The chunk has this many bytes left.
    case chunk(Int)
    case chunkEnd
    case trailer
    /// The body ends with the connection.
    case untilEnd
    case complete
  }

  /// The longest header, in bytes, with the lines between chunks and after them.
  package static let longestHead = 64 << 10
  /// The number of answers such as `100 Continue` before the real one.
  private static let mostInterimAnswers = 8

  private let method: String
  private let limit: Int
  private var state = State.head
  private var line: [UInt8] = []
  private var lines: [String] = []
  private var headSize = 0
  private var interimAnswers = 0
  private var answer = HTTPResponse(status: 0)

  /// Whether the connection may carry another request after this answer.
  package private(set) var isReusable = false
  /// Whether a byte of the answer came.
  package private(set) var hasBegun = false

  /// - Parameters:
  ///   - method: the method of the request: an answer to `HEAD` has no body.
  ///   - limit: the largest body, in bytes.
  package init(method: String, limit: Int) { (self.method, self.limit) = (method, limit) }

  /// The answer, when its last byte came.
  package var response: HTTPResponse? { state == .complete ? answer : nil }

  /// Takes the next bytes of the connection.
  package mutating func read(_ bytes: UnsafeRawBufferPointer) throws(HTTPFailure) {
    var rest = bytes[...]
    if !rest.isEmpty { hasBegun = true }
    while !rest.isEmpty {
      switch state {
      case .complete:
        // Bytes that no request asked for.
        isReusable = false
        return
      case .body(let count):
        let taken = append(&rest, count)
        state = taken == count ? .complete : .body(count - taken)
      case .chunk(let count):
        let taken = append(&rest, count)
        state = taken == count ? .chunkEnd : .chunk(count - taken)
      case .untilEnd:
        guard answer.body.count + rest.count <= limit else { throw .tooLarge }
        _ = append(&rest, rest.count)
      case .head, .chunkSize, .chunkEnd, .trailer:
        if let text = try takeLine(&rest) { try take(text) }
      }
    }
  }

  /// Returns the answer of a connection that ended.
  package mutating func end() throws(HTTPFailure) -> HTTPResponse {
    isReusable = false
    switch state {
    case .complete: break
    case .untilEnd: state = .complete
    default:
      throw .unreachable(hasBegun ? "the connection ended within the answer" : "there is no answer")
    }
    return answer
  }

  private mutating func append(_ rest: inout Slice<UnsafeRawBufferPointer>, _ count: Int) -> Int {
    let taken = min(count, rest.count)
    answer.body.append(contentsOf: UnsafeRawBufferPointer(rebasing: rest.prefix(taken)))
    rest = rest.dropFirst(taken)
    return taken
  }

  /// Returns the next line without its end; nil if the line goes on after `rest`.
  private mutating func takeLine(
    _ rest: inout Slice<UnsafeRawBufferPointer>
  ) throws(HTTPFailure) -> String? {
    let end = rest.firstIndex(of: UInt8(ascii: "\n"))
    let part = end.map { rest[...$0] } ?? rest
    headSize += part.count
    guard headSize <= Self.longestHead else { throw .malformed("its header does not end") }
    line.append(contentsOf: part)
    rest = rest.dropFirst(part.count)
    guard end != nil else { return nil }
    defer { line = [] }
    guard line.count >= 2, line[line.count - 2] == UInt8(ascii: "\r") else {
      throw .malformed("a line of its header has another end")
    }
    let text = line.dropLast(2)
    // Bytes beyond ASCII are no part of any field that counts here.
    guard text.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
      throw .malformed("its header has control characters")
    }
    return String(decoding: text, as: UTF8.self)
  }

  private mutating func take(_ text: String) throws(HTTPFailure) {
    switch state {
    case .head where text.isEmpty: try finishHead()
    case .head: lines.append(text)
    case .chunkSize:
      let digits = text.prefix { $0 != ";" }
      guard (1...8).contains(digits.utf8.count), digits.allSatisfy(\.isHexDigit),
        let count = Int(digits, radix: 16)
      else { throw .malformed("a part of its body has no size") }
      guard answer.body.count + count <= limit else { throw .tooLarge }
      // A body of many chunks has many lines: they are bounded by its bytes.
      headSize = max(0, headSize - count - 16)
      state = count == 0 ? .trailer : .chunk(count)
    case .chunkEnd:
      guard text.isEmpty else { throw .malformed("a part of its body has another size") }
      state = .chunkSize
    case .trailer: if text.isEmpty { state = .complete }
    case .body, .chunk, .untilEnd, .complete: break
    }
  }

  private mutating func finishHead() throws(HTTPFailure) {
    let head = try HTTPHead(lines)
    (lines, headSize) = ([], 0)
    if (100...199).contains(head.status) {
      interimAnswers += 1
      guard head.status != 101, interimAnswers <= Self.mostInterimAnswers else {
        throw .malformed("it is for another request")
      }
      return
    }
    answer = HTTPResponse(status: head.status, headers: head.fields)
    isReusable = head.isLasting
    let isWithoutBody =
      method == "HEAD" || head.status == 204 || head.status == 304
      || method == "CONNECT" && (200...299).contains(head.status)
    if isWithoutBody {
      state = .complete
    } else if head.isChunked {
      state = .chunkSize
    } else if let length = try head.length() {
      guard length <= limit else { throw .tooLarge }
      answer.body.reserveCapacity(min(length, 8 << 20))
      state = length == 0 ? .complete : .body(length)
    } else if method == "GET", (200...299).contains(head.status) {
      // Its end and a broken connection would look the same.
      throw .malformed("it does not say its length")
    } else {
      (state, isReusable) = (.untilEnd, false)
    }
  }
}

/// The first lines of an answer.
struct HTTPHead {
  let status: Int
  /// Names are in lower case. The values of a name that comes several times have a comma between them.
  let fields: [String: String]
  private let isOld: Bool

  init(_ lines: [String]) throws(HTTPFailure) {
    let first = (lines.first ?? "").split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard first.count >= 2, first[0] == "HTTP/1.1" || first[0] == "HTTP/1.0", first[1].utf8.count == 3,
      first[1].allSatisfy(\.isASCIIDigit), let status = Int(first[1]), status >= 100
    else { throw .malformed("it does not begin as one") }
    var fields: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.allSatisfy(Self.isName) else {
        throw .malformed("a line of its header is no field")
      }
      let (name, value) = (parts[0].lowercased(), parts[1].trimmedField)
      fields[name] = fields[name].map { $0 + ", " + value } ?? value
    }
    if let coding = fields["transfer-encoding"] {
      guard coding.lowercased() == "chunked", fields["content-length"] == nil, first[0] == "HTTP/1.1" else {
        throw .malformed("it says its length in two ways")
      }
    }
    (self.status, self.fields, isOld) = (status, fields, first[0] == "HTTP/1.0")
  }

  var isChunked: Bool { fields["transfer-encoding"] != nil }

  /// Whether the server leaves the connection open.
  var isLasting: Bool {
    let words = (fields["connection"] ?? "").lowercased().split(separator: ",").map(\.trimmedField)
    return !isOld && !words.contains("close")
  }

  /// The number of bytes of the body; nil if the header does not say.
  func length() throws(HTTPFailure) -> Int? {
    guard let text = fields["content-length"] else { return nil }
    let values = Set(text.split(separator: ",", omittingEmptySubsequences: false).map(\.trimmedField))
    guard values.count == 1, let value = values.first, (1...18).contains(value.utf8.count),
      value.allSatisfy(\.isASCIIDigit), let length = Int(value)
    else { throw .malformed("its length is no number") }
    return length
  }

  /// Whether a name may have the byte: a letter, a digit or one of the marks of RFC 9110.
  private static func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { isASCII && isWholeNumber }
}
