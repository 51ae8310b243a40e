import Foundation

/// Reads the condition of a format string.
///
/// ```
/// or         = and { ("OR" | "||") and }
/// and        = not { ("AND" | "&&") not }
/// not        = ("NOT" | "!") not | "(" or ")" | "TRUEPREDICATE" | "FALSEPREDICATE" | comparison
/// comparison = operand operator ["[" "c" "d" "]"] operand
/// operand    = text | number | argument | attribute | "SELF"
/// ```
package struct PredicateParser {
  /// A condition on an item of a query, a dictionary or a value.
  package typealias Condition = @Sendable (Any?) -> Bool
  /// One side of a comparison.
  private typealias Operand = @Sendable (Any?) -> AttributeValue

  private let format: String
  private var tokens: ArraySlice<Substring> = []
  private var arguments: ArraySlice<Any>
  private var depth = 0
  /// The depth of conditions in conditions at which a format is refused.
  private static let maximumDepth = 200

  /// - Throws: `PredicateFormatError`.
  package static func parse(
    _ format: String, _ arguments: [Any]
  ) throws(PredicateFormatError) -> Condition {
    var parser = PredicateParser(format: format, arguments: arguments[...])
    try parser.cut()
    let condition = try parser.or()
    if let next = parser.tokens.first { throw parser.failure("nothing follows before '\(next)'") }
    return condition
  }

  private init(format: String, arguments: ArraySlice<Any>) {
    (self.format, self.arguments) = (format, arguments)
  }

  private func failure(_ reason: String) -> PredicateFormatError {
    PredicateFormatError(format: format, reason: reason)
  }

  // MARK: Tokens

  /// Cuts the format into texts in quotation marks, arguments, numbers, words and symbols.
  private mutating func cut() throws(PredicateFormatError) {
    let token =
      /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|%(?:@|K(?:\.[\p{L}\p{N}_.]*)?|[a-z]+)|-?[0-9][0-9A-Za-z.+\-]*|[\p{L}_][\p{L}\p{N}_.]*|==|!=|<>|<=|=<|>=|=>|&&|\|\||[=<>!()\[\]]/
      .dotMatchesNewlines()
    var rest = format.drop(while: \.isWhitespace)
    while !rest.isEmpty {
      guard let match = rest.prefixMatch(of: token) else {
        throw failure("no text, number, name or operator begins at '\(rest)'")
      }
      tokens.append(match.output)
      rest = rest[match.range.upperBound...].drop(while: \.isWhitespace)
    }
  }

  private mutating func take(_ words: String...) -> Bool {
    guard let next = tokens.first, words.contains(next.uppercased()) else { return false }
    tokens.removeFirst()
    return true
  }

  // MARK: Conditions

  private mutating func or() throws(PredicateFormatError) -> Condition {
    var condition = try and()
    while take("OR", "||") {
      let (one, other) = (condition, try and())
      condition = { one($0) || other($0) }
    }
    return condition
  }

  private mutating func and() throws(PredicateFormatError) -> Condition {
    var condition = try not()
    while take("AND", "&&") {
      let (one, other) = (condition, try not())
      condition = { one($0) && other($0) }
    }
    return condition
  }

  private mutating func not() throws(PredicateFormatError) -> Condition {
    depth += 1
    defer { depth -= 1 }
    if depth > Self.maximumDepth { throw failure("too many conditions are in each other") }
    if take("NOT", "!") {
      let condition = try not()
      return { !condition($0) }
    }
    if take("(") {
      let condition = try or()
      guard take(")") else { throw failure("a bracket has no end") }
      return condition
    }
    if take("TRUEPREDICATE") { return { _ in true } }
    if take("FALSEPREDICATE") { return { _ in false } }
    return try comparison()
  }

  private mutating func comparison() throws(PredicateFormatError) -> Condition {
    let left = try operand()
    guard let comparison = tokens.popFirst().flatMap({ PredicateComparison.named[$0.uppercased()] }) else {
      throw failure("an operator is missing")
    }
    let options = try takeOptions()
    let right = try operand()
    return { comparison(left($0).folded(options), right($0).folded(options)) }
  }

  private mutating func takeOptions() throws(PredicateFormatError) -> String.CompareOptions {
    guard take("[") else { return [] }
    let letters = tokens.popFirst()?.lowercased() ?? ""
    guard ["c", "d", "cd", "dc"].contains(letters), take("]") else {
      throw failure("'[' needs 'c' or 'd' and ']'")
    }
    var options: String.CompareOptions = []
    if letters.contains("c") { options.insert(.caseInsensitive) }
    if letters.contains("d") { options.insert(.diacriticInsensitive) }
    return options
  }

  // MARK: Operands

  private mutating func operand() throws(PredicateFormatError) -> Operand {
    guard let token = tokens.popFirst(), let first = token.first else {
      throw failure("a value or an attribute is missing")
    }
    switch first {
    case "'", "\"":
      // The backslash before a wildcard is part of the pattern.
      let text = token.dropFirst().dropLast().replacing(/\\([^*?])/.dotMatchesNewlines()) { $0.output.1 }
      return { _ in .text(String(text)) }
    case "%": return try argument(token.dropFirst())
    case "-", "0"..."9":
      guard let number = Double(token) else { throw failure("'\(token)' is no number") }
      return { _ in .number(number) }
    case _ where first.isLetter || first == "_": return Self.named(token)
    default: throw failure("a value or an attribute is missing")
    }
  }

  private static func named(_ word: Substring) -> Operand {
    switch word.uppercased() {
    case "TRUE", "YES": { _ in .number(1) }
    case "FALSE", "NO": { _ in .number(0) }
    case "NIL", "NULL": { _ in .none }
    case "SELF": { AttributeValue($0) }
    default: attribute(String(word))
    }
  }

  /// Returns an attribute, or the path extension of one.
  private static func attribute(_ path: String) -> Operand {
    let member = ".pathExtension"
    let name = path.hasSuffix(member) ? String(path.dropLast(member.count)) : path
    return { object in
      var value: Any?
      switch object {
      case let item as NSMetadataItem: value = item.value(forAttribute: name)
      case let dictionary as [String: Any]: value = dictionary[name]
      default: break
      }
      guard name != path else { return AttributeValue(value) }
      return AttributeValue((value as? String).map { ($0 as NSString).pathExtension })
    }
  }

  /// Takes the next argument for `%@`, `%K`, and the formats of numbers.
  private mutating func argument(_ specifier: Substring) throws(PredicateFormatError) -> Operand {
    guard let argument = arguments.popFirst().map({ AttributeValue($0) }) else {
      throw failure("an argument of '%\(specifier)' is missing")
    }
    switch (specifier, argument) {
    case ("@", _): return { _ in argument }
    // A name may go on after the argument, as in `%K.pathExtension`.
    case (_, .text(let name)) where specifier.first == "K":
      return Self.attribute(name + specifier.dropFirst())
    case (_, .number)
    where ["d", "i", "u", "ld", "li", "lu", "lld", "lli", "llu", "f", "lf", "g", "hd", "hu"].contains(
      specifier):
      return { _ in argument }
    default: throw failure("the argument of '%\(specifier)' is of another kind")
    }
  }
}

/// The reason why a format string is no predicate.
package struct PredicateFormatError: Error, Equatable, CustomStringConvertible {
  let format: String
  let reason: String

  package var description: String { "The predicate '\(format)' cannot be read: \(reason)." }
}
