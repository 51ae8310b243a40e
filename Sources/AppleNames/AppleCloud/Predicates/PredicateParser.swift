import Foundation

/// Reads the condition of a format string.
///
/// ```
/// or         = and { ("OR" | "||") and }
/// and        = not { ("AND" | "&&") not }
/// not        = ("NOT" | "!") not | "(" or ")" | "TRUEPREDICATE" | "FALSEPREDICATE" | comparison
/// comparison = operand operator ["[" "c" "d" "]"] operand
/// operand    = value | attribute | "SELF" | "{" operand { "," operand } "}"
/// ```
struct PredicateParser {
  private let format: String
  private var rest: ArraySlice<PredicateToken>
  private var depth = 0
  /// The depth of conditions in conditions at which a format is refused.
  private static let maximumDepth = 200

  private static let symbols: [String: PredicateNode.Operator] = [
    "=": .equal, "==": .equal, "!=": .notEqual, "<>": .notEqual, "<": .less, "<=": .lessOrEqual,
    "=<": .lessOrEqual, ">": .greater, ">=": .greaterOrEqual, "=>": .greaterOrEqual,
  ]
  private static let words: [String: PredicateNode.Operator] = [
    "LIKE": .like, "MATCHES": .matches, "BEGINSWITH": .beginsWith, "ENDSWITH": .endsWith,
    "CONTAINS": .contains, "IN": .isIn,
  ]

  /// - Throws: `PredicateFormatError`.
  static func parse(
    _ format: String, _ arguments: [Any]
  ) throws(PredicateFormatError) -> PredicateNode {
    let tokens = try PredicateScanner.tokens(of: format, arguments)
    var parser = PredicateParser(format: format, rest: tokens[...])
    let node = try parser.or()
    if let next = parser.rest.first { throw parser.failure("nothing follows before '\(next.text)'") }
    return node
  }

  private init(format: String, rest: ArraySlice<PredicateToken>) {
    (self.format, self.rest) = (format, rest)
  }

  private func failure(_ reason: String) -> PredicateFormatError {
    PredicateFormatError(format: format, reason: reason)
  }

  // MARK: Conditions

  private mutating func or() throws(PredicateFormatError) -> PredicateNode {
    var node = try and()
    while take(word: "OR") || take("||") { node = .or(node, try and()) }
    return node
  }

  private mutating func and() throws(PredicateFormatError) -> PredicateNode {
    var node = try not()
    while take(word: "AND") || take("&&") { node = .and(node, try not()) }
    return node
  }

  private mutating func not() throws(PredicateFormatError) -> PredicateNode {
    depth += 1
    defer { depth -= 1 }
    if depth > Self.maximumDepth { throw failure("too many conditions are in each other") }
    if take(word: "NOT") || take("!") { return .not(try not()) }
    if take("(") {
      let node = try or()
      guard take(")") else { throw failure("a bracket has no end") }
      return node
    }
    if take(word: "TRUEPREDICATE") { return .constant(true) }
    if take(word: "FALSEPREDICATE") { return .constant(false) }
    return .comparison(try comparison())
  }

  private mutating func comparison() throws(PredicateFormatError) -> PredicateNode.Comparison {
    let left = try operand()
    let operation = try takeOperator()
    let options = try takeOptions()
    return .init(left: left, operation: operation, right: try operand(), options: options)
  }

  private mutating func takeOperator() throws(PredicateFormatError) -> PredicateNode.Operator {
    switch rest.popFirst() {
    case .symbol(let symbol):
      if let operation = Self.symbols[symbol] { return operation }
    case .word(let word):
      if let operation = Self.words[word.uppercased()] { return operation }
    default: break
    }
    throw failure("an operator is missing")
  }

  private mutating func takeOptions() throws(PredicateFormatError) -> String.CompareOptions {
    guard take("[") else { return [] }
    guard case .word(let letters) = rest.popFirst(), take("]") else {
      throw failure("'[' needs 'c' or 'd' and ']'")
    }
    var options: String.CompareOptions = []
    for letter in letters.lowercased() {
      switch letter {
      case "c": options.insert(.caseInsensitive)
      case "d": options.insert(.diacriticInsensitive)
      default: throw failure("'[\(letters)]' is unknown")
      }
    }
    return options
  }

  private mutating func operand() throws(PredicateFormatError) -> PredicateNode.Operand {
    switch rest.popFirst() {
    case .value(let value): return .value(value)
    case .key(let name): return .key(Self.names(in: name))
    case .word(let word): return Self.operand(word)
    case .symbol("{"): return .value(.list(try list()))
    default: throw failure("a value or an attribute is missing")
    }
  }

  private mutating func list() throws(PredicateFormatError) -> [AttributeValue] {
    var list: [AttributeValue] = []
    if take("}") { return list }
    repeat {
      guard case .value(let value) = try operand() else { throw failure("a list has only values") }
      list.append(value)
    } while take(",")
    guard take("}") else { throw failure("a list has no end") }
    return list
  }

  private static func operand(_ word: String) -> PredicateNode.Operand {
    switch word.uppercased() {
    case "TRUE", "YES": .value(.number(1))
    case "FALSE", "NO": .value(.number(0))
    case "NIL", "NULL": .value(.none)
    case "SELF": .key([])
    default: .key(names(in: word))
    }
  }

  private static func names(in path: String) -> [String] {
    path.split(separator: ".", omittingEmptySubsequences: true).map(String.init)
  }

  // MARK: Tokens

  private mutating func take(_ symbol: String) -> Bool {
    guard rest.first == .symbol(symbol) else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func take(word: String) -> Bool {
    guard case .word(let next)? = rest.first, next.uppercased() == word else { return false }
    rest.removeFirst()
    return true
  }
}

extension PredicateToken {
  /// The token in an error.
  fileprivate var text: String {
    switch self {
    case .word(let text), .key(let text), .symbol(let text): text
    case .value(.text(let text)): text
    case .value(let value): "\(value)"
    }
  }
}
