import DurableIO

/// The head of one request: its method, its target and its header fields.
package struct HTTPRequestHead: Sendable, Equatable {
  /// The method, such as `GET`.
  package var method: String
  /// The path's segments, with their escapes resolved. The path `/` has none.
  package var segments: [String]
  /// The parameters of the query, with their escapes resolved.
  package var query: [String: String]
  /// The header fields, by their names in lower case. No name occurs twice.
  package var fields: [String: String]

  /// Whether the client asks for the end of the connection after the answer.
  var closesConnection: Bool {
    (fields["connection"] ?? "").lowercased().split(separator: ",").contains { $0.trimmedField == "close" }
  }

  /// The value of one cookie.
  package func cookie(_ name: String) -> String? {
    for pair in (fields["cookie"] ?? "").split(separator: ";") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2, parts[0].trimmedField == name { return parts[1].trimmedField }
    }
    return nil
  }
}

extension HTTPRequestHead {
  /// Reads a head, without the empty line that ends it.
  ///
  /// It accepts less than the standard allows: one version, an absolute path, and no field twice.
  package init(_ bytes: some Sequence<UInt8>) throws(HTTPRefusal) {
    let bytes = Array(bytes)
    guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x0D || $0 == 0x0A || $0 == 0x09 }),
      let text = String(validating: bytes, as: UTF8.self)
    else { throw .badRequest("The head has a forbidden byte.") }
    var lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)[...]
    let words = (lines.popFirst() ?? "").split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, words[2] == "HTTP/1.1", !words[0].isEmpty,
      words[0].utf8.allSatisfy({ (0x41...0x5A).contains($0) })
    else { throw .badRequest("The request line is not one of HTTP/1.1.") }
    method = String(words[0])
    (segments, query) = try Self.target(words[1])
    fields = [:]
    for line in lines {
      guard let colon = line.firstIndex(of: ":"), colon > line.startIndex,
        line[..<colon].utf8.allSatisfy(Self.isToken), !line.contains("\r"), !line.contains("\n")
      else { throw .badRequest("A header field is malformed.") }
      let name = line[..<colon].lowercased()
      guard fields.updateValue(line[line.index(after: colon)...].trimmedField, forKey: name) == nil else {
        throw .badRequest("A header field occurs twice.")
      }
    }
  }

  /// Reads the target of a request: a path of plain segments, and a query.
  private static func target(
    _ target: Substring
  ) throws(HTTPRefusal) -> (segments: [String], query: [String: String]) {
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard let path = parts.first, path.hasPrefix("/") else {
      throw .badRequest("The target is not a path.")
    }
    var segments: [String] = []
    if path != "/" {
      for part in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
        // No address of this program has any other letter.
        guard !part.isEmpty, !part.hasPrefix("."), part.utf8.allSatisfy(isPlain) else {
          throw .notFound
        }
        segments.append(String(part))
      }
    }
    var query: [String: String] = [:]
    for pair in parts.count > 1 ? parts[1].split(separator: "&") : [] {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = unescaped(parts[0]), let value = unescaped(parts.count > 1 ? parts[1] : "") else {
        throw .badRequest("The query is malformed.")
      }
      query[name] = value
    }
    return (segments, query)
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    isAlphanumeric(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
      || byte == UInt8(ascii: ".")
  }

  private static func isToken(_ byte: UInt8) -> Bool {
    isAlphanumeric(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }

  /// Resolves the escapes of a query; nil if they are malformed or give no text.
  private static func unescaped(_ text: Substring) -> String? {
    let (bytes, isWellFormed) = text.utf8.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }.percentDecoded
    guard isWellFormed, !bytes.contains(0) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }
}
