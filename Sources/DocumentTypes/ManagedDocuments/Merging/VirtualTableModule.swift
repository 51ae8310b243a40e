import GRDB

/// The module of a virtual table and its arguments, as its statement has them.
struct VirtualTableModule: Sendable, Hashable {
  var module: String
  var arguments: [String]

  /// Reads a `CREATE VIRTUAL TABLE` statement; nil for another one.
  init?(sql: String) {
    let tokens = Self.split(sql)
    guard let using = tokens.firstIndex(where: { $0.lowercased() == "using" }), using + 1 < tokens.count
    else {
      return nil
    }
    module = Self.unquoted(tokens[using + 1]).lowercased()
    arguments = []
    var (depth, current) = (0, "")
    for token in tokens.dropFirst(using + 2) {
      if token == ")" { depth -= 1 }
      if token == "," && depth == 1 {
        arguments.append(current)
        current = ""
      } else if depth > 0 {
        current += token
      }
      if token == "(" { depth += 1 }
    }
    arguments.append(current)
  }

  /// The value of an option such as `content`; nil if there is no such option.
  func option(_ name: String) -> String? {
    for argument in arguments {
      let tokens = Self.split(argument)
      if tokens.count >= 2, tokens[0].lowercased() == name, tokens[1] == "=" {
        return tokens.count > 2 ? Self.unquoted(tokens[2]) : ""
      }
    }
    return nil
  }

  /// Splits SQL into words, quoted texts and single characters, without spaces and comments.
  private static func split(_ sql: String) -> [String] {
    var tokens: [String] = []
    var rest = Substring(sql)
    while let first = rest.first {
      let closing: Character? = first == "[" ? "]" : "'\"`".contains(first) ? first : nil
      let token: Substring
      if let closing {
        let end = rest.dropFirst().firstIndex(of: closing) ?? rest.index(before: rest.endIndex)
        token = rest[...end]
      } else if rest.hasPrefix("--") {
        rest = rest.drop { !$0.isNewline }
        continue
      } else if first.isLetter || first.isNumber || first == "_" {
        token = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" }
      } else {
        token = rest.prefix(1)
      }
      if !first.isWhitespace { tokens.append(String(token)) }
      rest = rest[token.endIndex...]
    }
    return tokens
  }

  private static func unquoted(_ token: String) -> String {
    guard let first = token.first, "'\"`[".contains(first), token.count >= 2 else { return token }
    return String(token.dropFirst().dropLast())
  }
}
