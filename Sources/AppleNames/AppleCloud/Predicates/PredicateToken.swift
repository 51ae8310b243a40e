import Foundation

/// A part of a format string.
enum PredicateToken: Equatable {
  /// A keyword, or the names of an attribute.
  case word(String)
  /// The names of an attribute, also if they are those of a keyword.
  case key(String)
  /// A text, a number, or an argument.
  case value(AttributeValue)
  /// An operator, a bracket or a comma.
  case symbol(String)
}

/// The reason why a format string is no predicate.
package struct PredicateFormatError: Error, Equatable, CustomStringConvertible {
  let format: String
  let reason: String

  package var description: String { "The predicate '\(format)' cannot be read: \(reason)." }
}

/// Cuts a format string into tokens, and puts the arguments in.
struct PredicateScanner {
  private let format: String
  private var rest: Substring
  private var arguments: ArraySlice<Any>
  private var tokens: [PredicateToken] = []

  private static let symbols = [
    "==", "!=", "<>", "<=", "=<", ">=", "=>", "&&", "||", "=", "<", ">", "!", "(", ")", "{", "}", "[", "]",
    ",",
  ]

  private init(_ format: String, _ arguments: [Any]) {
    (self.format, rest, self.arguments) = (format, format[...], arguments[...])
  }

  /// - Throws: `PredicateFormatError` for a text without an end, a missing argument and unknown characters.
  static func tokens(of format: String, _ arguments: [Any]) throws(PredicateFormatError) -> [PredicateToken] {
    var scanner = PredicateScanner(format, arguments)
    while let next = scanner.rest.first { try scanner.scan(next) }
    return scanner.tokens
  }

  private mutating func scan(_ next: Character) throws(PredicateFormatError) {
    if next.isWhitespace {
      rest.removeFirst()
    } else if next == "'" || next == "\"" {
      tokens.append(.value(.text(try quoted(next))))
    } else if next == "%" {
      rest.removeFirst()
      try takeArgument()
    } else if next.isNumber || next == "-" {
      try takeNumber()
    } else if next.isLetter || next == "_" {
      tokens.append(.word(word()))
    } else if let symbol = Self.symbols.first(where: { rest.hasPrefix($0) }) {
      rest.removeFirst(symbol.count)
      tokens.append(.symbol(symbol))
    } else {
      throw failure("it has an unknown character '\(next)'")
    }
  }

  private func failure(_ reason: String) -> PredicateFormatError {
    PredicateFormatError(format: format, reason: reason)
  }

  private mutating func word() -> String {
    let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
    rest.removeFirst(word.count)
    return String(word)
  }

  private mutating func quoted(_ mark: Character) throws(PredicateFormatError) -> String {
    rest.removeFirst()
    var (text, isEscaped) = ("", false)
    while let character = rest.popFirst() {
      if isEscaped {
        // The backslash before a wildcard is part of the pattern.
        if character == "*" || character == "?" { text.append("\\") }
        text.append(character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else if character == mark {
        return text
      } else {
        text.append(character)
      }
    }
    throw failure("a text has no end")
  }

  private mutating func takeNumber() throws(PredicateFormatError) {
    let digits = rest.prefix { $0.isNumber || $0.isLetter || $0 == "." || $0 == "-" || $0 == "+" }
    rest.removeFirst(digits.count)
    guard let number = Double(digits) else { throw failure("'\(digits)' is no number") }
    tokens.append(.value(.number(number)))
  }

  /// Takes the next argument for `%@`, `%K`, and the formats of numbers.
  private mutating func takeArgument() throws(PredicateFormatError) {
    let specifier = rest.first == "@" || rest.first == "K" ? rest.prefix(1) : rest.prefix { $0.isLetter }
    rest.removeFirst(specifier.count)
    guard let argument = arguments.popFirst() else {
      throw failure("an argument of '%\(specifier)' is missing")
    }
    switch specifier {
    case "@": tokens.append(.value(AttributeValue(argument)))
    case "K":
      guard case .text(let name) = AttributeValue(argument) else {
        throw failure("the argument of '%K' is no text")
      }
      // A name may go on after the argument, as in `%K.pathExtension`.
      tokens.append(.key(rest.first == "." ? name + word() : name))
    case "d", "i", "u", "ld", "li", "lu", "lld", "lli", "llu", "f", "lf", "g", "hd", "hu":
      guard case .number(let number) = AttributeValue(argument) else {
        throw failure("the argument of '%\(specifier)' is no number")
      }
      tokens.append(.value(.number(number)))
    default: throw failure("'%\(specifier)' is unknown")
    }
  }
}
